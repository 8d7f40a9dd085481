/* SPDX-License-Identifier: MIT */
/* Turns a file into all that is known of its patch tables and its padding. */
#include "elf/inspect.h"

#include "diag.h"

#include <stdlib.h>

static int read_facts(struct altpick_inspection *inspection, struct altpick_diag *diag)
{
    const struct altpick_patch_tables *tables = &inspection->tables;
    int r = ALTPICK_OK;

    inspection->facts = calloc(tables->n_tables + 1, sizeof *inspection->facts);
    if (!inspection->facts)
        return altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", inspection->image.path);
    for (size_t i = 0; r == ALTPICK_OK && i < tables->n_tables; i++)
        r = altpick_table_facts_read(&inspection->image, &tables->tables[i], &inspection->facts[i],
                                     diag);
    return r;
}

/* Other tables are only counted, but of a whole number of records. */
static int check_rewriters(const struct altpick_image *image, struct altpick_diag *diag)
{
    const struct altpick_rewriter *rewriter;
    int r = ALTPICK_OK;
    size_t n;

    for (size_t i = 1; r == ALTPICK_OK && i < image->n_sections; i++)
        r = altpick_rewriter_section(image, &image->sections[i], &rewriter, &n, diag);
    return r;
}

bool altpick_inspection_rewriter_next(const struct altpick_image *image, size_t *next,
                                      struct altpick_rewriter_found *ret_found)
{
    struct altpick_rewriter_found found = {.rewriter = NULL};
    struct altpick_diag none; /* all were checked when the image was read */

    while (*next < image->n_sections && !found.rewriter) {
        found.section = &image->sections[(*next)++];
        altpick_rewriter_section(image, found.section, &found.rewriter, &found.n_records, &none);
    }
    if (found.rewriter)
        *ret_found = found;
    return found.rewriter != NULL;
}

int altpick_inspection_read(const char *path, const struct altpick_layout *force, bool with_census,
                            struct altpick_inspection *inspection, struct altpick_diag *diag)
{
    int r;

    inspection->image = (struct altpick_image){.path = NULL};
    inspection->tables = (struct altpick_patch_tables){.tables = NULL};
    inspection->facts = NULL;
    inspection->has_census = with_census;
    r = altpick_image_open(path, &inspection->image, diag);
    if (r == ALTPICK_OK)
        r = altpick_patch_tables_read(&inspection->image, force, &inspection->tables, diag);
    if (r == ALTPICK_OK)
        r = read_facts(inspection, diag);
    if (r == ALTPICK_OK)
        r = altpick_smp_locks_read(&inspection->image, &inspection->locks, diag);
    if (r == ALTPICK_OK)
        r = check_rewriters(&inspection->image, diag);
    if (r == ALTPICK_OK && with_census)
        r = altpick_census_image(&inspection->image, &inspection->census, diag);
    if (r < 0)
        altpick_inspection_fini(inspection);
    return r;
}

void altpick_inspection_fini(struct altpick_inspection *inspection)
{
    for (size_t i = 0; inspection->facts && i < inspection->tables.n_tables; i++)
        altpick_table_facts_fini(&inspection->facts[i]);
    free(inspection->facts);
    inspection->facts = NULL;
    altpick_patch_tables_fini(&inspection->tables);
    altpick_image_close(&inspection->image);
}
