/* SPDX-License-Identifier: MIT */
/* Bodies in words, read from their bytes. */
#ifndef ALTPICK_GENERATORS_CODE_TEXT_H
#define ALTPICK_GENERATORS_CODE_TEXT_H

#include <stddef.h>
#include <stdint.h>

enum { ALTPICK_CODE_TEXT_MAX = 48 };

/*
 * Write the AT&T disassembly of the instruction of code of @bits (64, or 32 where it is the same
 * but for the width of addresses) that begins at @code, as far as bodies have such instructions.
 * Jumps say how far: "je .+16".  Returns its length, 0 where it is not known.
 */
size_t altpick_code_describe(uint32_t bits, const uint8_t *code, size_t bytes,
                             char ret[ALTPICK_CODE_TEXT_MAX]);

#endif
