/* SPDX-License-Identifier: MIT */
/* Finds out whether another engine would patch the same bytes when the image starts. */
#include "elf/patch.h"
#include "elf/table.h"

#include "diag.h"

#include <string.h>

static const char module_magic[] = "~Module signature appended~\n";

bool altpick_patch_has_build_id(const struct altpick_image *image)
{
    return altpick_image_section(image, ".note.gnu.build-id") != NULL;
}

bool altpick_patch_has_signature(const struct altpick_image *image)
{
    size_t n = sizeof module_magic - 1;

    return image->map_bytes >= n && memcmp(image->map + image->map_bytes - n, module_magic, n) == 0;
}

/* Whether there is anything that may be a table of another engine. */
static bool has_others(const struct altpick_image *image)
{
    struct altpick_symbol symbol;

    for (size_t i = 0; i < altpick_layout_count; i++) {
        if (altpick_layouts[i]->family != ALTPICK_FAMILY_ALTPICK &&
            altpick_image_section(image, altpick_layouts[i]->section))
            return true;
    }
    return image->is_xen ||
           altpick_image_symbol_find(image, "__alt_instructions", &symbol) == ALTPICK_OK;
}

static int check_table(const struct altpick_image *image, const struct altpick_patch_table *table,
                       const uint64_t *addresses, const uint8_t *lengths, size_t n,
                       struct altpick_diag *diag)
{
    for (size_t i = 0; i < table->n_entries; i++) {
        uint64_t start = table->entries[i].site.address;

        for (size_t j = 0; j < n; j++) {
            if (start < addresses[j] + lengths[j] &&
                addresses[j] < start + table->entries[i].site_bytes)
                return altpick_fail(diag, ALTPICK_ENOFIT,
                                    "%s: site %zu, at %#llx: its bytes are patched by table %s, "
                                    "too, whose engine would overwrite them",
                                    image->path, j, (unsigned long long) addresses[j],
                                    table->layout->name);
        }
    }
    return ALTPICK_OK;
}

int altpick_patch_check_others(const struct altpick_image *image, const uint64_t *addresses,
                               const uint8_t *lengths, size_t n, struct altpick_diag *diag)
{
    struct altpick_patch_tables tables = {.tables = NULL};
    int r;

    if (!has_others(image))
        return ALTPICK_OK;
    r = altpick_patch_tables_read(image, NULL, &tables, diag);
    for (size_t i = 0; r == ALTPICK_OK && i < tables.n_tables; i++) {
        if (tables.tables[i].layout->family != ALTPICK_FAMILY_ALTPICK)
            r = check_table(image, &tables.tables[i], addresses, lengths, n, diag);
    }
    altpick_patch_tables_fini(&tables);
    return r;
}
