/* SPDX-License-Identifier: MIT */
/* Padding in words, read from its bytes. */
#ifndef ALTPICK_GENERATORS_NOP_TEXT_H
#define ALTPICK_GENERATORS_NOP_TEXT_H

#include "altpick/out.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Describe @code, of @bits (64 or 32), in a few words without a line break: the AT&T disassembly of
 * a single NOP ("cs nopw 0x0(%rax,%rax,1)"), the lengths of several ("2 NOPs: 6 + 5"), "jump over
 * 14 bytes".
 */
void altpick_nop_describe(struct altpick_out *out, uint32_t bits, const uint8_t *code,
                          size_t bytes);

#endif
