/* SPDX-License-Identifier: MIT */
/* Finds what has to change in machine code when it is moved. */
#ifndef ALTPICK_ELF_FIXUP_H
#define ALTPICK_ELF_FIXUP_H

#include "altpick/patches.h"

/*
 * Find the fixups of @code: @bytes (at most 255) of @bits (64 or 32) bit code, which is decoded
 * from its first byte on.  A target may be the end of the code.  Returns ALTPICK_EFORMAT for what
 * is no instruction, hangs over the end or has a displacement of 16 bits, ALTPICK_ENOSPACE for more
 * than ALTPICK_FIXUPS_MAX.
 */
int altpick_fixups_find(const uint8_t *code, size_t bytes, unsigned bits,
                        struct altpick_fixup ret_fixups[ALTPICK_FIXUPS_MAX], size_t *ret_n);

#endif
