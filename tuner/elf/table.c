/* SPDX-License-Identifier: MIT */
/* Finds the patch tables of an image: the layout in which every record is valid is the layout. */
#include "elf/table.h"

#include "diag.h"
#include "elf/record.h"
#include "elf/shape.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_BYTES = 128 };

/* How far one layout came. */
struct trial {
    const struct altpick_layout *layout;
    struct altpick_record *entries; /* owned */
    size_t n_entries, n_valid;
    struct altpick_record_fault fault; /* of record n_valid, where that is not the last */
    bool wrong_size;                   /* the section is no whole number of records */
};

static bool is_valid(const struct trial *trial)
{
    return !trial->wrong_size && trial->n_valid == trial->n_entries;
}

static int out_of_memory(const struct altpick_image *image, struct altpick_diag *diag)
{
    return altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", image->path);
}

/* Read all of @records as @layout until one is not valid. */
static int try_layout(const struct altpick_records *records, const struct altpick_layout *layout,
                      struct trial *ret_trial, struct altpick_diag *diag)
{
    struct trial trial = {
        .layout = layout,
        .n_entries = (size_t) (records->bytes / layout->record_bytes),
        .wrong_size = records->bytes % layout->record_bytes != 0,
    };

    trial.entries = calloc(trial.n_entries + 1, sizeof *trial.entries);
    if (!trial.entries)
        return out_of_memory(records->image, diag);
    while (trial.n_valid < trial.n_entries &&
           altpick_record_read(records, layout, trial.n_valid, &trial.entries[trial.n_valid],
                               &trial.fault) == ALTPICK_OK)
        trial.n_valid++;
    *ret_trial = trial;
    return ALTPICK_OK;
}

/* --- choosing -----------------------------------------------------------------------------------
 */

static int no_layout(const struct altpick_records *records, const struct trial *best,
                     struct altpick_diag *diag)
{
    const struct altpick_image *image = records->image;
    const char *section = image->sections[records->section].name;
    uint64_t offset = records->offset + best->n_valid * best->layout->record_bytes;

    if (best->n_valid == best->n_entries)
        return altpick_fail(
            diag, ALTPICK_EFORMAT,
            "%s: %s: %llu bytes are no whole number of records; as %s %llu are left "
            "over behind record %zu, at offset %#llx",
            image->path, section, (unsigned long long) records->bytes, best->layout->name,
            (unsigned long long) (records->bytes % best->layout->record_bytes), best->n_entries,
            (unsigned long long) offset);
    return altpick_fail(diag, ALTPICK_EFORMAT, "%s: %s: as %s, record %zu at offset %#llx: %s: %s",
                        image->path, section, best->layout->name, best->n_valid,
                        (unsigned long long) offset, best->fault.field, best->fault.why);
}

/* The one valid trial; if there is none, or several, say so. */
static int choose(const struct altpick_records *records, struct trial *trials, size_t n,
                  struct trial **ret_trial, struct altpick_diag *diag)
{
    struct trial *valid = NULL, *best = &trials[0];
    char names[NAMES_BYTES] = "";
    size_t n_valid = 0;

    for (size_t i = 0; i < n; i++) {
        /* Bytes, not records: a shorter record fails later by its number alone. */
        if (trials[i].n_valid * trials[i].layout->record_bytes >
            best->n_valid * best->layout->record_bytes)
            best = &trials[i];
        if (!is_valid(&trials[i]))
            continue;
        valid = &trials[i];
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s",
                 n_valid++ ? " and " : "", trials[i].layout->name);
    }
    if (!valid)
        return no_layout(records, best, diag);
    if (n_valid > 1)
        return altpick_fail(diag, ALTPICK_EFORMAT,
                            "%s: %s: all records are valid as %s; say which "
                            "with --layout",
                            records->image->path, records->image->sections[records->section].name,
                            names);
    *ret_trial = valid;
    return ALTPICK_OK;
}

bool altpick_layout_may_be(const struct altpick_image *image, const struct altpick_layout *layout,
                           const char *section, enum altpick_table_found found,
                           const struct altpick_layout *force)
{
    if (layout->bits && layout->bits != (image->code_is_64 ? 64 : 32))
        return false;
    if (found != ALTPICK_FOUND_BY_SECTION) /* Linux has a section of its own, also where these
                                              symbols are kept */
        return force ? layout == force : layout->family == ALTPICK_FAMILY_XEN;
    if (strcmp(layout->section, section) != 0)
        return false;
    if (force && strcmp(force->section, section) == 0)
        return layout == force;
    return !layout->only_by_symbols;
}

static int append(struct altpick_patch_tables *tables, const struct altpick_records *records,
                  enum altpick_table_found found, struct trial *trial, struct altpick_diag *diag)
{
    struct altpick_patch_table *grown =
        realloc(tables->tables, (tables->n_tables + 1) * sizeof *grown);

    if (!grown)
        return out_of_memory(records->image, diag);
    tables->tables = grown;
    grown[tables->n_tables++] = (struct altpick_patch_table){
        .layout = trial->layout,
        .section = &records->image->sections[records->section],
        .offset = records->offset,
        .found = found,
        .entries = trial->entries,
        .n_entries = trial->n_entries,
    };
    trial->entries = NULL;
    return ALTPICK_OK;
}

/* Find the layout of @records and add their table. */
static int read_table(const struct altpick_records *records, enum altpick_table_found found,
                      const struct altpick_layout *force, struct altpick_patch_tables *tables,
                      struct altpick_diag *diag)
{
    const char *section = records->image->sections[records->section].name;
    struct trial *trials = calloc(altpick_layout_count, sizeof *trials);
    struct trial *chosen = NULL;
    size_t n = 0;
    int r = trials ? ALTPICK_OK : out_of_memory(records->image, diag);

    for (size_t i = 0; r == ALTPICK_OK && i < altpick_layout_count; i++) {
        if (altpick_layout_may_be(records->image, altpick_layouts[i], section, found, force)) {
            r = try_layout(records, altpick_layouts[i], &trials[n], diag);
            n += r == ALTPICK_OK;
        }
    }
    if (r == ALTPICK_OK && n == 0)
        r = altpick_fail(diag, ALTPICK_EUNSUPPORTED, "%s: %s: no layout is for %s-bit code",
                         records->image->path, section, records->image->code_is_64 ? "64" : "32");
    if (r == ALTPICK_OK)
        r = choose(records, trials, n, &chosen, diag);
    if (r == ALTPICK_OK)
        r = append(tables, records, found, chosen, diag);
    for (size_t i = 0; i < n; i++)
        free(trials[i].entries);
    free(trials);
    return r;
}

/* --- finding ------------------------------------------------------------------------------------
 */

static bool is_patch_section(const char *name)
{
    for (size_t i = 0; i < altpick_layout_count; i++) {
        if (strcmp(altpick_layouts[i]->section, name) == 0)
            return true;
    }
    return false;
}

static int read_section(const struct altpick_image *image, uint32_t number,
                        const struct altpick_layout *force, struct altpick_patch_tables *tables,
                        struct altpick_diag *diag)
{
    struct altpick_records records = {
        .image = image, .section = number, .bytes = image->sections[number].bytes};
    struct altpick_relocation *relocations = NULL;
    int r;

    if (records.bytes == 0)
        return ALTPICK_OK;
    if (!image->sections[number].data)
        return altpick_fail(diag, ALTPICK_EFORMAT, "%s: %s holds nothing in the file", image->path,
                            image->sections[number].name);
    r = altpick_image_relocations(image, number, &relocations, &records.n_relocations, diag);
    records.relocations = relocations;
    if (r == ALTPICK_OK)
        r = read_table(&records, ALTPICK_FOUND_BY_SECTION, force, tables, diag);
    free(relocations);
    return r;
}

/* Xen keeps its table between two symbols, in a section with other things. */
static int read_by_symbols(const struct altpick_image *image, const struct altpick_layout *force,
                           struct altpick_patch_tables *tables, struct altpick_diag *diag)
{
    struct altpick_symbol start, end;
    const struct altpick_section *section;
    struct altpick_records records = {.image = image};

    if (image->is_relocatable ||
        altpick_image_symbol_find(image, "__alt_instructions", &start) < 0 ||
        altpick_image_symbol_find(image, "__alt_instructions_end", &end) < 0 ||
        start.value == end.value)
        return ALTPICK_OK;
    section = end.value > start.value
                  ? altpick_image_at(image, start.value, end.value - start.value)
                  : NULL;
    if (!section || !section->data)
        return altpick_fail(
            diag, ALTPICK_EFORMAT, "%s: __alt_instructions at %#llx to %#llx: not in one section",
            image->path, (unsigned long long) start.value, (unsigned long long) end.value);
    for (size_t i = 0; i < tables->n_tables; i++) {
        if (tables->tables[i].section == section)
            return ALTPICK_OK; /* Linux with its symbols */
    }
    records.section = (uint32_t) (section - image->sections);
    records.offset = start.value - section->address;
    records.bytes = end.value - start.value;
    return read_table(&records, ALTPICK_FOUND_BY_SYMBOLS, force, tables, diag);
}

/* Xen as it is shipped has no symbols: its records are looked for, in the layout that is newer. */
static int read_by_shape(const struct altpick_image *image, const struct altpick_layout *force,
                         struct altpick_patch_tables *tables, struct altpick_diag *diag)
{
    const struct altpick_layout *layout = force ? force : altpick_layout_find("xen14");
    struct altpick_records records;

    if (!image->is_xen || layout->family != ALTPICK_FAMILY_XEN || tables->n_tables)
        return ALTPICK_OK;
    if (altpick_shape_find(image, layout, &records) < 0)
        return ALTPICK_OK;
    return read_table(&records, ALTPICK_FOUND_BY_SHAPE, layout, tables, diag);
}

int altpick_patch_tables_read(const struct altpick_image *image, const struct altpick_layout *force,
                              struct altpick_patch_tables *ret_tables, struct altpick_diag *diag)
{
    struct altpick_patch_tables tables = {.tables = NULL};
    int r = ALTPICK_OK;

    for (size_t i = 1; r == ALTPICK_OK && i < image->n_sections; i++) {
        if (is_patch_section(image->sections[i].name))
            r = read_section(image, (uint32_t) i, force, &tables, diag);
    }
    if (r == ALTPICK_OK)
        r = read_by_symbols(image, force, &tables, diag);
    if (r == ALTPICK_OK)
        r = read_by_shape(image, force, &tables, diag);
    if (r < 0)
        altpick_patch_tables_fini(&tables);
    else
        *ret_tables = tables;
    return r;
}

void altpick_patch_tables_fini(struct altpick_patch_tables *tables)
{
    for (size_t i = 0; i < tables->n_tables; i++)
        free(tables->tables[i].entries);
    free(tables->tables);
    *tables = (struct altpick_patch_tables){.tables = NULL};
}
