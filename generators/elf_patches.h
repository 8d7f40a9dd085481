/* SPDX-License-Identifier: MIT */
/* The table that integration/runtime and `altpick patch` apply. */
#ifndef ALTPICK_GENERATORS_ELF_PATCHES_H
#define ALTPICK_GENERATORS_ELF_PATCHES_H

#include "altpick/output.h"

#include <stddef.h>
#include <stdint.h>

enum { ALTPICK_PATCHES_BYTES_MAX = 16384, ALTPICK_PATCHES_ALIGN = 64 };

struct altpick_patches {
    _Alignas(ALTPICK_PATCHES_ALIGN) uint8_t data[ALTPICK_PATCHES_BYTES_MAX];
    size_t bytes;
};

/*
 * Build the struct altpick_patch_table of @output: the same bytes for ELF64 and ELF32, since it has
 * replacements for both kinds of code.  ALTPICK_ENOFIT when a body refers to something outside of
 * itself and of the table, ALTPICK_ENOSPACE when all of it is too large.
 */
int altpick_patches_build(const struct altpick_output *output, struct altpick_patches *ret_patches);

#endif
