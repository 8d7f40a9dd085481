/* SPDX-License-Identifier: MIT */
/* Fuzz target: the first byte forces a layout or none, the rest is an ELF file with patch tables.
 */
#include "fuzz.h"

#include "elf/table.h"

static volatile uint8_t sink;

/* What every reader of a validated entry relies on. */
static void check_entry(const struct altpick_image *image, const struct altpick_record *entry)
{
    const struct altpick_place *places[] = {&entry->site, &entry->replacement};
    uint16_t bytes[] = {entry->site_bytes, entry->replacement_bytes};

    FUZZ_CHECK(entry->site_bytes > 0 && entry->replacement_bytes <= entry->site_bytes &&
               entry->pad_bytes <= entry->site_bytes);
    FUZZ_CHECK(entry->feature < 32 * ALTPICK_FEATURE_WORDS_MAX);
    for (unsigned i = 0; i < 2; i++) {
        FUZZ_CHECK(places[i]->section < image->n_sections);
        FUZZ_CHECK(places[i]->data || places[i]->symbol || bytes[i] == 0);
        if (places[i]->data && bytes[i])
            sink = places[i]->data[bytes[i] - 1];
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct altpick_image image = {.path = NULL};
    struct altpick_patch_tables tables = {.tables = NULL};
    struct altpick_diag diag = {.text = ""};
    const struct altpick_layout *force;

    if (n < 1)
        return 0;
    force = data[0] < altpick_layout_count ? altpick_layouts[data[0]] : NULL;
    if (altpick_image_view("input", data + 1, n - 1, &image, &diag) < 0)
        return 0;
    if (altpick_patch_tables_read(&image, force, &tables, &diag) < 0)
        FUZZ_CHECK(!tables.tables && diag.text[0]);
    for (size_t i = 0; i < tables.n_tables; i++) {
        for (size_t k = 0; k < tables.tables[i].n_entries; k++)
            check_entry(&image, &tables.tables[i].entries[k]);
    }
    altpick_patch_tables_fini(&tables);
    altpick_image_close(&image);
    return 0;
}
