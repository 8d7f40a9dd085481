/* SPDX-License-Identifier: MIT */
/* The table of format elf alone. */
#include "altpick/err.h"
#include "altpick/generator.h"
#include "altpick/patches.h"
#include "elf/fixup.h"

static int emit(const struct altpick_output *output, const char *flavour, struct altpick_out *out)
{
    struct altpick_patches patches;
    int r = altpick_patches_build(output, altpick_fixups_find, &patches);

    (void) flavour;
    if (r == ALTPICK_OK)
        altpick_out_bytes(out, (const char *) patches.data, patches.bytes);
    return r == ALTPICK_OK ? out->err : r;
}

const struct altpick_generator altpick_generator_patches = {
    .name = "patches",
    .title = "the table of format elf",
    .emit = emit,
};
