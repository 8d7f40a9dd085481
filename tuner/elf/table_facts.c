/* SPDX-License-Identifier: MIT */
/* Turns the records of a patch table into counts of what they say. */
#include "elf/table_facts.h"

#include "diag.h"

#include <stdlib.h>
#include <string.h>

/* --- tallies ------------------------------------------------------------------------------------
 */

static int by_value(const void *a, const void *b)
{
    const struct altpick_tally_item *left = a, *right = b;

    if (left->name && right->name && strcmp(left->name, right->name) != 0)
        return strcmp(left->name, right->name);
    return left->value < right->value ? -1 : left->value > right->value;
}

static int by_count(const void *a, const void *b)
{
    const struct altpick_tally_item *left = a, *right = b;

    if (left->count != right->count)
        return left->count > right->count ? -1 : 1;
    return by_value(a, b);
}

/* What a record says; false: nothing of this. */
typedef bool value_of(const struct altpick_record *entry, struct altpick_tally_item *ret);

static int tally_make(const struct altpick_patch_table *table, value_of *value,
                      struct altpick_tally *ret)
{
    struct altpick_tally_item *items = calloc(table->n_entries + 1, sizeof *items);
    size_t n = 0, last = 0;

    if (!items)
        return ALTPICK_ENOMEM;
    for (size_t i = 0; i < table->n_entries; i++)
        n += value(&table->entries[i], &items[n]);
    qsort(items, n, sizeof *items, by_value);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || by_value(&items[i], &items[last]) != 0) {
            last = i == 0 ? 0 : last + 1;
            items[last] = items[i];
            items[last].count = 0;
        }
        items[last].count++;
    }
    ret->items = items;
    ret->n = n ? last + 1 : 0;
    return ALTPICK_OK;
}

static int tally_by_count(const struct altpick_patch_table *table, value_of *value,
                          struct altpick_tally *ret)
{
    int r = tally_make(table, value, ret);

    if (r == ALTPICK_OK)
        qsort(ret->items, ret->n, sizeof *ret->items, by_count);
    return r;
}

static bool feature_of(const struct altpick_record *entry, struct altpick_tally_item *ret)
{
    ret->value = entry->feature;
    return true;
}

static bool tag_of(const struct altpick_record *entry, struct altpick_tally_item *ret)
{
    ret->value = entry->tag;
    return true;
}

static bool item_of(const struct altpick_record *entry, struct altpick_tally_item *ret)
{
    ret->name = entry->item;
    return entry->item != NULL;
}

static bool length_of(const struct altpick_record *entry, struct altpick_tally_item *ret)
{
    ret->value = entry->site_bytes;
    return true;
}

static bool site_section_of(const struct altpick_record *entry, struct altpick_tally_item *ret)
{
    ret->value = entry->site.section;
    return true;
}

static bool replacement_section_of(const struct altpick_record *entry,
                                   struct altpick_tally_item *ret)
{
    ret->value = entry->replacement.section;
    return entry->replacement_bytes > 0;
}

/* --- sites --------------------------------------------------------------------------------------
 */

static int by_site(const void *a, const void *b)
{
    const struct altpick_place *left = *(const struct altpick_place *const *) a;
    const struct altpick_place *right = *(const struct altpick_place *const *) b;

    if (left->symbol && right->symbol && strcmp(left->symbol, right->symbol) != 0)
        return strcmp(left->symbol, right->symbol);
    if (left->section != right->section)
        return left->section < right->section ? -1 : 1;
    return left->offset < right->offset ? -1 : left->offset > right->offset;
}

static int count_sites(struct altpick_table_facts *facts)
{
    size_t n = facts->table->n_entries, run;
    const struct altpick_place **sites = calloc(n + 1, sizeof *sites);

    if (!sites)
        return ALTPICK_ENOMEM;
    for (size_t i = 0; i < n; i++)
        sites[i] = &facts->table->entries[i].site;
    qsort(sites, n, sizeof *sites, by_site);
    for (size_t i = 0; i < n; i += run) {
        for (run = 1; i + run < n && by_site(&sites[i], &sites[i + run]) == 0;)
            run++;
        facts->sites++;
        facts->groups += run > 1;
        facts->grouped += run > 1 ? run : 0;
    }
    free(sites);
    return ALTPICK_OK;
}

static void count_flags(struct altpick_table_facts *facts)
{
    bool has_replacements = facts->table->layout->replacement.kind != ALTPICK_FIELD_NONE;

    for (size_t i = 0; i < facts->table->n_entries; i++) {
        const struct altpick_record *entry = &facts->table->entries[i];

        facts->inverted += entry->inverted;
        facts->direct_call += entry->direct_call;
        facts->padded += entry->pad_bytes > 0;
        facts->no_replacement += has_replacements && entry->replacement_bytes == 0;
    }
}

/* --- other layouts ------------------------------------------------------------------------------
 */

static void try_other(const struct altpick_records *records, const struct altpick_layout *layout,
                      struct altpick_other_layout *ret)
{
    size_t n = (size_t) (records->bytes / layout->record_bytes);
    struct altpick_record entry;

    *ret = (struct altpick_other_layout){.layout = layout};
    while (ret->record < n &&
           altpick_record_read(records, layout, ret->record, &entry, &ret->fault) == ALTPICK_OK)
        ret->record++;
    ret->offset = records->offset + ret->record * layout->record_bytes;
    if (ret->record == n) {
        ret->fault.field = NULL;
        ret->is_valid = records->bytes % layout->record_bytes == 0;
    }
}

/* Try what table.c tried, besides what it took. */
static int try_others(const struct altpick_image *image, struct altpick_table_facts *facts,
                      struct altpick_diag *diag)
{
    const struct altpick_patch_table *table = facts->table;
    struct altpick_records records = {
        .image = image,
        .section = (uint32_t) (table->section - image->sections),
        .offset = table->offset,
        .bytes = table->n_entries * table->layout->record_bytes,
    };
    struct altpick_relocation *relocations = NULL;
    int r = altpick_image_relocations(image, records.section, &relocations, &records.n_relocations,
                                      diag);

    if (r < 0)
        return r;
    records.relocations = relocations;
    for (size_t i = 0; i < altpick_layout_count; i++) {
        const struct altpick_layout *layout = altpick_layouts[i];

        if (layout != table->layout && facts->n_others < ALTPICK_OTHER_LAYOUTS_MAX &&
            altpick_layout_may_be(image, layout, table->section->name, table->found, NULL))
            try_other(&records, layout, &facts->others[facts->n_others++]);
    }
    free(relocations);
    return ALTPICK_OK;
}

int altpick_table_facts_read(const struct altpick_image *image,
                             const struct altpick_patch_table *table,
                             struct altpick_table_facts *ret_facts, struct altpick_diag *diag)
{
    struct altpick_table_facts facts = {.table = table};
    int r;

    count_flags(&facts);
    r = count_sites(&facts);
    if (r == ALTPICK_OK && table->layout->feature.kind != ALTPICK_FIELD_NONE)
        r = tally_by_count(table, feature_of, &facts.features);
    if (r == ALTPICK_OK && table->layout->tag.kind != ALTPICK_FIELD_NONE)
        r = tally_by_count(table, tag_of, &facts.tags);
    if (r == ALTPICK_OK)
        r = tally_by_count(table, item_of, &facts.items);
    if (r == ALTPICK_OK)
        r = tally_make(table, length_of, &facts.lengths);
    if (r == ALTPICK_OK)
        r = tally_by_count(table, site_section_of, &facts.site_sections);
    if (r == ALTPICK_OK)
        r = tally_by_count(table, replacement_section_of, &facts.replacement_sections);
    if (r < 0)
        altpick_fail(diag, r, "%s: out of memory", image->path);
    else
        r = try_others(image, &facts, diag);
    if (r < 0)
        altpick_table_facts_fini(&facts);
    else
        *ret_facts = facts;
    return r;
}

void altpick_table_facts_fini(struct altpick_table_facts *facts)
{
    free(facts->features.items);
    free(facts->tags.items);
    free(facts->items.items);
    free(facts->lengths.items);
    free(facts->site_sections.items);
    free(facts->replacement_sections.items);
    *facts = (struct altpick_table_facts){.table = NULL};
}
