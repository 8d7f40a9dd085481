/* SPDX-License-Identifier: MIT */
/* The summary of an inspection as text. */
#include "inspect_print.h"
#include "table.h"

#include <elf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LISTED_MAX = 20, LIST_BYTES = 900, LIST_ITEM_BYTES = 120 };

/* A list in one cell: "a 1, b 2 and 3 others". */
struct list {
    char text[LIST_BYTES];
    size_t n, others;
};

__attribute__((format(printf, 2, 3))) static void list_add(struct list *list, const char *format,
                                                           ...)
{
    size_t used = strlen(list->text);
    va_list args;

    if (list->n == LISTED_MAX || used > LIST_BYTES - LIST_ITEM_BYTES) {
        list->others++;
        return;
    }
    used +=
        (size_t) snprintf(list->text + used, sizeof list->text - used, "%s", list->n++ ? ", " : "");
    va_start(args, format);
    vsnprintf(list->text + used, sizeof list->text - used, format, args);
    va_end(args);
}

static void list_row(struct altpick_table *rows, const char *key, const struct list *list)
{
    if (list->n == 0)
        return;
    altpick_table_cell(rows, "%s", key);
    if (list->others)
        altpick_table_cell(rows, "%s and %zu other%s", list->text, list->others,
                           list->others == 1 ? "" : "s");
    else
        altpick_table_cell(rows, "%s", list->text);
}

const char *altpick_inspect_kind(const struct altpick_image *image)
{
    if (image->is_xen)
        return "Xen";
    if (image->is_relocatable)
        return altpick_image_section(image, ".gnu.linkonce.this_module") ? "Linux module"
                                                                         : "relocatable";
    return image->type == ET_DYN ? "shared object or PIE" : "executable";
}

const char *altpick_inspect_machine(const struct altpick_image *image)
{
    return image->code_is_64 ? "x86-64" : "i386";
}

const char *altpick_inspect_found(enum altpick_table_found found)
{
    static const char *const texts[] = {
        [ALTPICK_FOUND_BY_SECTION] = "section",
        [ALTPICK_FOUND_BY_SYMBOLS] = "symbols",
        [ALTPICK_FOUND_BY_SHAPE] = "shape",
    };

    return texts[found];
}

/* --- tables -------------------------------------------------------------------------------------
 */

static void other_layouts(struct altpick_table *rows, const struct altpick_table_facts *facts)
{
    for (size_t i = 0; i < facts->n_others; i++) {
        const struct altpick_other_layout *other = &facts->others[i];

        altpick_table_cell(rows, "  not %s", other->layout->name);
        if (other->is_valid)
            altpick_table_cell(rows, "every record is valid in it, too: --layout chose");
        else if (!other->fault.field)
            altpick_table_cell(rows, "the table is no whole number of records of %u bytes",
                               other->layout->record_bytes);
        else
            altpick_table_cell(rows, "record %zu at offset %#" PRIx64 ": %s: %s", other->record,
                               other->offset, other->fault.field, other->fault.why);
    }
}

static void tally_row(struct altpick_table *rows, const char *key,
                      const struct altpick_tally *tally, bool as_feature)
{
    struct list list = {.n = 0};

    for (size_t i = 0; i < tally->n; i++) {
        const struct altpick_tally_item *item = &tally->items[i];

        if (item->name)
            list_add(&list, "%s: %zu", item->name, item->count);
        else if (as_feature)
            list_add(&list, "%u*32+%u: %zu", item->value / 32, item->value % 32, item->count);
        else
            list_add(&list, "%u: %zu", item->value, item->count);
    }
    list_row(rows, key, &list);
}

static void sections_row(struct altpick_table *rows, const char *key,
                         const struct altpick_image *image, const struct altpick_tally *tally,
                         size_t without)
{
    struct list list = {.n = 0};

    for (size_t i = 0; i < tally->n; i++)
        list_add(&list, "%s: %zu",
                 tally->items[i].value ? image->sections[tally->items[i].value].name
                                       : "undefined symbols",
                 tally->items[i].count);
    if (without)
        list_add(&list, "none: %zu", without);
    list_row(rows, key, &list);
}

static void sites_row(struct altpick_table *rows, const struct altpick_table_facts *facts)
{
    altpick_table_cell(rows, "  sites");
    if (facts->groups)
        altpick_table_cell(rows, "%zu, of which %zu have several records, %zu in all", facts->sites,
                           facts->groups, facts->grouped);
    else
        altpick_table_cell(rows, "%zu", facts->sites);
}

static void flags_row(struct altpick_table *rows, const struct altpick_table_facts *facts)
{
    struct list list = {.n = 0};

    if (facts->inverted)
        list_add(&list, "inverted: %zu", facts->inverted);
    if (facts->direct_call)
        list_add(&list, "direct call: %zu", facts->direct_call);
    if (facts->padded)
        list_add(&list, "padding: %zu", facts->padded);
    list_row(rows, "  flags", &list);
}

static void table_rows(struct altpick_table *rows, const struct altpick_image *image,
                       const struct altpick_table_facts *facts)
{
    const struct altpick_patch_table *table = facts->table;
    const struct altpick_layout *layout = table->layout;

    altpick_table_cell(rows, "%s", table->section->name);
    altpick_table_cell(rows, "%zu records of %u bytes%s: %s (%s), in which each is valid",
                       table->n_entries, layout->record_bytes,
                       table->found == ALTPICK_FOUND_BY_SECTION   ? ""
                       : table->found == ALTPICK_FOUND_BY_SYMBOLS ? " between symbols"
                                                                  : " found by their shape",
                       layout->name, layout->era);
    other_layouts(rows, facts);
    sites_row(rows, facts);
    sections_row(rows, "  in", image, &facts->site_sections, 0);
    tally_row(rows, "  features", &facts->features, true);
    tally_row(rows, "  tags", &facts->tags, false);
    tally_row(rows, "  items", &facts->items, false);
    flags_row(rows, facts);
    tally_row(rows, "  site lengths", &facts->lengths, false);
    sections_row(rows, "  replacements", image, &facts->replacement_sections,
                 facts->no_replacement);
}

/* --- the rest -----------------------------------------------------------------------------------
 */

static void others_rows(struct altpick_table *rows, const struct altpick_inspection *inspection)
{
    const struct altpick_smp_locks *locks = &inspection->locks;
    struct altpick_rewriter_found found;
    struct list list = {.n = 0};
    size_t next = 1;

    if (locks->present) {
        list_add(&list, "lock prefixes: %zu", locks->n - locks->removed - locks->other);
        if (locks->removed)
            list_add(&list, "removed ones: %zu", locks->removed);
        if (locks->other)
            list_add(&list, "something else: %zu", locks->other);
        if (locks->padding)
            list_add(&list, "words of padding: %zu", locks->padding);
        list_row(rows, ".smp_locks", &list);
        list = (struct list){.n = 0};
    }
    while (altpick_inspection_rewriter_next(&inspection->image, &next, &found))
        list_add(&list, "%s (%s): %zu", found.rewriter->name, found.section->name, found.n_records);
    list_row(rows, "only counted", &list);
}

static void prefixes_text(const struct altpick_nop_encoding *encoding, char ret[64])
{
    ret[0] = '\0';
    for (unsigned i = 0; i < encoding->prefixes_66; i++)
        strcat(ret, "66 ");
    for (unsigned i = 0; i < encoding->prefixes_2e; i++)
        strcat(ret, "2e ");
}

static void census_rows(struct altpick_table *rows, const struct altpick_census *census)
{
    struct altpick_nop_encoding encodings[ALTPICK_NOP_LISTED];
    size_t n = altpick_census_list(census, encodings);
    struct list lengths = {.n = 0}, forms = {.n = 0};
    char prefixes[64];

    altpick_table_cell(rows, "code");
    altpick_table_cell(
        rows, "%" PRIu64 " bytes, %" PRIu64 " instructions; bytes that do not decode: %" PRIu64,
        census->bytes, census->instructions, census->undecodable_bytes);
    altpick_table_cell(rows, "NOPs");
    altpick_table_cell(rows, "%" PRIu64 ", %" PRIu64 " bytes in all", census->nops.count,
                       census->nops.bytes);
    for (unsigned i = 1; i <= ALTPICK_NOP_BYTES_MAX; i++) {
        if (census->by_length[i])
            list_add(&lengths, "%u: %" PRIu64, i, census->by_length[i]);
    }
    list_row(rows, "  by length", &lengths);
    for (size_t i = 0; i < n; i++) {
        prefixes_text(&encodings[i], prefixes);
        list_add(&forms, "%s%s: %" PRIu64, prefixes, altpick_nop_form_text(encodings[i].form),
                 encodings[i].nops.count);
    }
    list_row(rows, "  by encoding", &forms);
}

void altpick_inspect_text(const struct altpick_inspection *inspection, struct altpick_out *out)
{
    const struct altpick_image *image = &inspection->image;
    struct altpick_table rows;

    altpick_line(out, 2, "%s: %s %s, %zu bytes%s%s", image->path, altpick_inspect_machine(image),
                 altpick_inspect_kind(image), image->map_bytes,
                 image->packing ? " inflated from " : "", image->packing ? image->packing : "");
    altpick_table_init(&rows, "ll", 2);
    for (size_t i = 0; i < inspection->tables.n_tables; i++)
        table_rows(&rows, image, &inspection->facts[i]);
    if (inspection->tables.n_tables == 0) {
        altpick_table_cell(&rows, "patch tables");
        altpick_table_cell(&rows, "none");
    }
    others_rows(&rows, inspection);
    if (inspection->has_census)
        census_rows(&rows, &inspection->census);
    altpick_table_print(&rows, out);
}
