/* SPDX-License-Identifier: MIT */
/*
 * The table that integration/runtime and `altpick patch` put into sites, made of an output: by a
 * build, or by an operating system at boot of what altpick_boot_probe() decided.  docs/formats.md,
 * Sites, has its layout and integration/runtime/patch.h its types.
 */
#ifndef ALTPICK_PATCHES_H
#define ALTPICK_PATCHES_H

#include "altpick/output.h"

#include <stddef.h>
#include <stdint.h>

enum { ALTPICK_PATCHES_BYTES_MAX = 16384, ALTPICK_PATCHES_ALIGN = 64, ALTPICK_FIXUPS_MAX = 64 };

/* Memory for a table: the caller's, and as long as sites use its data. */
struct altpick_patches {
    /* A struct altpick_patch_table. */
    _Alignas(ALTPICK_PATCHES_ALIGN) uint8_t data[ALTPICK_PATCHES_BYTES_MAX];
    size_t bytes; /* of it */
};

/* A displacement whose target lies outside of the code that it is in. */
struct altpick_fixup {
    uint8_t at, bytes;    /* where the displacement is; 1 or 4 */
    uint8_t end;          /* of its instruction: what it counts from */
    int32_t displacement; /* target less end */
};

/*
 * Find the fixups of @code: @bytes (at most 255) of @bits (64 or 32) bit code.  Returns 0, or an
 * error that altpick_patches_build() returns.
 */
typedef int altpick_patches_find(const uint8_t *code, size_t bytes, unsigned bits,
                                 struct altpick_fixup ret_fixups[ALTPICK_FIXUPS_MAX],
                                 size_t *ret_n);

/*
 * Build the struct altpick_patch_table of @output, the same bytes wherever it is built: it has
 * replacements for 64-bit and for 32-bit code.  @find decodes code, which takes a decoder; NULL
 * where nothing in @output refers to anything outside of itself, as no built-in body does, and
 * those are all that an output has.  Returns ALTPICK_ENOFIT when a body refers to something outside
 * of itself and of the table, ALTPICK_ENOSPACE when all of it is too large, or what @find returned;
 * *ret_patches then holds no table.  It has no address of @output's.  Needs 2 KiB of stack.
 */
int altpick_patches_build(const struct altpick_output *output, altpick_patches_find *find,
                          struct altpick_patches *ret_patches);

#endif
