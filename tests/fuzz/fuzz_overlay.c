/* SPDX-License-Identifier: MIT */
/* Fuzz target: the first byte chooses an engine, the second features, the rest is an ELF file whose
 * table of Linux is applied. */
#include "fuzz.h"

#include "elf/banner.h"
#include "elf/embedded.h"
#include "elf/nop_func.h"
#include "elf/overlay.h"
#include "elf/rewriters.h"
#include "elf/thunks.h"

#include <stdlib.h>

enum { CHUNK = 64 };

/* All that is made of one image. */
struct work {
    struct altpick_image image;
    struct altpick_patch_tables tables;
    struct altpick_memory memory;
    struct altpick_all_entries all;
    struct altpick_rewriters rewriters;
    struct altpick_rewrite *rewrites;
    struct altpick_overlay overlay;
    struct altpick_kernel kernel;
    uint8_t features;
    struct altpick_diag diag;
};

static bool has(void *ctx, unsigned number)
{
    return (*(const uint8_t *) ctx >> number % 8 & 1) != 0;
}

static bool pointer(void *ctx, uint64_t address, uint64_t *ret_pointer)
{
    return altpick_memory_number(ctx, address, 8, ret_pointer);
}

/* What readers rely on: running bytes wherever a site is, and each of its entries. */
static void check(const struct work *work)
{
    const struct altpick_overlay *overlay = &work->overlay;
    uint8_t code[CHUNK], origin[CHUNK];
    uint32_t by[CHUNK];

    for (size_t i = 0; i < overlay->n_sites; i++) {
        const struct altpick_site *site = &overlay->sites[i];
        size_t n = altpick_overlay_read(overlay, site->address, CHUNK, code, origin, by);

        FUZZ_CHECK(n > 0 && altpick_overlay_site(overlay, site->address));
        FUZZ_CHECK(site->bytes == 0 || altpick_overlay_code(overlay, site));
        for (size_t k = 0; k < n; k++)
            FUZZ_CHECK(altpick_origin_name(origin[k]) && by[k] <= overlay->table->n_entries);
        for (size_t k = 0; k < site->n_entries; k++)
            FUZZ_CHECK(overlay->order[site->first + k] < overlay->table->n_entries);
    }
}

static int run(struct work *work, const struct altpick_patch_table *table)
{
    const struct altpick_thunks_plan thunks = {.returns = work->features & 1,
                                               .retpolines = work->features & 2,
                                               .lfence = work->features & 4};
    struct altpick_overlay_plan plan = {
        .kernel = &work->kernel, .has = has, .ctx = &work->features};
    int r = altpick_memory_load(&work->image, &work->memory, &work->diag);

    if (r == ALTPICK_OK)
        r = altpick_all_entries_make(&work->memory, table, &work->all, &work->diag);
    if (r == ALTPICK_OK)
        r = altpick_rewriters_find(&work->memory, &work->rewriters, &work->diag);
    if (r < 0)
        return r;
    work->kernel.is_64 = work->image.code_is_64;
    work->kernel.pointer = pointer;
    work->kernel.ctx = &work->memory;
    work->kernel.knows_nop_func = altpick_nop_func_find(&work->memory, &work->all.table,
                                                        &work->rewriters, &work->kernel.nop_func);
    r = altpick_thunks_make(&work->memory, &work->rewriters, &work->kernel, &thunks,
                            &work->rewrites, &plan.n_rewrites, &work->diag);
    plan.rewrites = work->rewrites;
    if (r == ALTPICK_OK)
        r = altpick_overlay_make(&work->memory, &work->all.table, &plan, &work->overlay,
                                 &work->diag);
    if (r == ALTPICK_OK && (work->features & 8))
        r = altpick_overlay_unlock(&work->overlay, &work->diag);
    if (r == ALTPICK_OK)
        check(work);
    return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct work *work;
    struct altpick_banner banner;

    if (n < 2 || !(work = calloc(1, sizeof *work)))
        return 0;
    work->kernel.engine = altpick_engines[data[0] % altpick_engine_count];
    work->features = data[1];
    if (altpick_image_view("input", data + 2, n - 2, &work->image, &work->diag) == ALTPICK_OK &&
        altpick_patch_tables_read(&work->image, NULL, &work->tables, &work->diag) == ALTPICK_OK) {
        altpick_banner_find(&work->image, &banner);
        for (size_t i = 0; i < work->tables.n_tables; i++) {
            if (work->tables.tables[i].layout->family != ALTPICK_FAMILY_LINUX)
                continue;
            if (run(work, &work->tables.tables[i]) < 0)
                FUZZ_CHECK(work->diag.text[0]);
            break;
        }
    }
    altpick_overlay_fini(&work->overlay);
    free(work->rewrites);
    altpick_rewriters_fini(&work->rewriters);
    altpick_all_entries_fini(&work->all);
    altpick_memory_fini(&work->memory);
    altpick_patch_tables_fini(&work->tables);
    altpick_image_close(&work->image);
    free(work);
    return 0;
}
