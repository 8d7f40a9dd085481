/* SPDX-License-Identifier: MIT */
/* Fuzz target: an ELF file with sites, which `altpick patch` would patch with the default. */
#include "fuzz.h"

#include "altpick/patches.h"
#include "elf/patch.h"

#include <stdlib.h>
#include <string.h>

/* What is written lies in the file, and nothing twice; with it, the copy can be patched again. */
static void check_plan(const uint8_t *data, size_t n, const struct altpick_patches *patches,
                       const struct altpick_patch_plan *plan)
{
    struct altpick_image image = {.path = NULL};
    struct altpick_patch_plan again = {.changes = NULL};
    struct altpick_diag diag;
    uint8_t *copy = malloc(n), *is_changed = calloc(n, 1);

    FUZZ_CHECK(copy && is_changed && plan->n_changes >= 2);
    memcpy(copy, data, n);
    for (size_t i = 0; i < plan->n_changes; i++) {
        const struct altpick_file_change *change = &plan->changes[i];

        FUZZ_CHECK(change->offset <= n && change->bytes <= n - change->offset);
        FUZZ_CHECK(!memchr(is_changed + change->offset, 1, change->bytes));
        memset(is_changed + change->offset, 1, change->bytes);
        memcpy(copy + change->offset, change->data, change->bytes);
    }
    FUZZ_CHECK(altpick_image_view("copy", copy, n, &image, &diag) == ALTPICK_OK);
    if (altpick_patch_plan(&image, patches->data, patches->bytes, &again, &diag) == ALTPICK_OK)
        FUZZ_CHECK(again.was_applied && again.n_changes == plan->n_changes);
    altpick_patch_plan_fini(&again);
    altpick_image_close(&image);
    free(copy);
    free(is_changed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static struct altpick_patches patches;
    struct altpick_image image = {.path = NULL};
    struct altpick_patch_plan plan = {.changes = NULL};
    struct altpick_diag diag = {.text = ""};

    if (patches.bytes == 0) {
        static struct altpick_output output;

        altpick_output_default(0, &output);
        FUZZ_CHECK(altpick_patches_build(&output, NULL, &patches) == ALTPICK_OK);
    }
    if (altpick_image_view("input", data, n, &image, &diag) < 0)
        return 0;
    if (altpick_patch_plan(&image, patches.data, patches.bytes, &plan, &diag) < 0)
        FUZZ_CHECK(!plan.changes && diag.text[0]);
    else
        check_plan(data, n, &patches, &plan);
    altpick_patch_plan_fini(&plan);
    altpick_image_close(&image);
    return 0;
}
