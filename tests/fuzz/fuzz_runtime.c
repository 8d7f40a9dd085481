/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: the records of an image, of which the first byte says how many, whose sites count
 * from the start of the code, then changes of three bytes (u16 where, u8 what) to a valid table.
 */
#include "fuzz.h"

#include "altpick/patches.h"
#include "patch.h"

#include <stdlib.h>
#include <string.h>

enum { SITES_MAX = 8, TEXT_BYTES = 600, RECORD_BYTES = 12, CHANGE_BYTES = 3 };

static const char names[] = "nop.fill.64\0refcount.inc\0fpu.init.body\0nop.text-poke.5\0"
                            "kernel-fpu.begin.sse-32\0nop.fill.32\0unknown";

struct image {
    uint8_t text[TEXT_BYTES];
    struct altpick_patch_site sites[SITES_MAX];
    int checked;
};

static int poke(void *ctx, void *address, const uint8_t *bytes, size_t n)
{
    struct image *image = ctx;
    uint8_t *to = address;

    FUZZ_CHECK(image->checked && to >= image->text && to + n <= image->text + TEXT_BYTES);
    memcpy(to, bytes, n);
    return 0;
}

static void tell(void *ctx, const struct altpick_patch_site *site, enum altpick_patch_fate fate,
                 const uint8_t *bytes)
{
    (void) site;
    FUZZ_CHECK((fate == ALTPICK_PATCH_APPLIED) == (bytes != NULL));
    ((struct image *) ctx)->checked = 1;
}

static void run(struct image *image, size_t n_sites, const uint8_t *table, size_t table_bytes)
{
    static const struct altpick_patch_mark mark = {
        .magic = "altpick-mark", .version = 1, .xcr0 = UINT32_MAX};
    struct altpick_patcher patcher = {
        .table = (const void *) table,
        .table_bytes = table_bytes,
        .text = image->text,
        .text_bytes = TEXT_BYTES,
        .ctx = image,
        .poke = poke,
        .tell = tell,
        .sites = image->sites,
        .sites_end = image->sites + n_sites,
        .names = names,
        .names_end = names + sizeof names,
        .mark = &mark,
    };
    struct altpick_patch_result result;
    int r = altpick_patch_apply(&patcher, &result);

    FUZZ_CHECK(r == 0 ? result.n_sites == n_sites : result.why[0] != '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static struct altpick_patches patches;
    static struct image image;
    size_t n_sites;
    uint8_t *table;

    if (patches.bytes == 0) {
        static struct altpick_output output;

        altpick_output_default(0, &output);
        FUZZ_CHECK(altpick_patches_build(&output, NULL, &patches) == 0);
    }
    if (n < 1 || data[0] > SITES_MAX || n - 1 < (size_t) data[0] * RECORD_BYTES)
        return 0;
    n_sites = *data++;
    n -= 1 + n_sites * RECORD_BYTES;
    image.checked = 0;
    memcpy(image.sites, data, n_sites * RECORD_BYTES);
    data += n_sites * RECORD_BYTES;
    for (size_t i = 0; i < n_sites; i++) {
        struct altpick_patch_site *site = &image.sites[i];

        site->site = (int32_t) ((uint32_t) site->site +
                                (uint32_t) ((uintptr_t) image.text - (uintptr_t) &site->site));
        site->item = (int32_t) ((uint32_t) site->item +
                                (uint32_t) ((uintptr_t) names - (uintptr_t) &site->item));
    }
    table = aligned_alloc(64, (patches.bytes + 63) / 64 * 64);
    FUZZ_CHECK(table);
    memcpy(table, patches.data, patches.bytes);
    for (; n >= CHANGE_BYTES; n -= CHANGE_BYTES, data += CHANGE_BYTES)
        table[(data[0] | (size_t) data[1] << 8) % patches.bytes] = data[2];
    run(&image, n_sites, table, patches.bytes);
    free(table);
    return 0;
}
