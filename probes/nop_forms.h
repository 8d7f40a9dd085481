/* SPDX-License-Identifier: MIT */
/* The NOP encodings that candidates are built from, and what a piece of padding consists of. */
#ifndef ALTPICK_PROBES_NOP_FORMS_H
#define ALTPICK_PROBES_NOP_FORMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The multi-byte form of @bytes (1..15) bytes: the table of Intel's SDM (vol. 2, NOP) and AMD's
 * optimisation guides to 9 bytes, then 66 prefixes and one 2E (a CS override), as assemblers write
 * it.  1 and 2 bytes: 90, 66 90.
 */
void altpick_nop_recommended(uint8_t *ret_code, uint32_t bytes);

/* 66 ... 66 90 in @bytes (1..15) bytes. */
void altpick_nop_6690(uint8_t *ret_code, uint32_t bytes);

/*
 * Fill @bytes with @pieces (1..) instructions of equal length, longer ones first where they cannot
 * all be equal, each written by @form.
 */
void altpick_nop_even(uint8_t *ret_code, uint32_t bytes, uint32_t pieces,
                      void (*form)(uint8_t *ret_code, uint32_t bytes));

/* What a piece of padding consists of. */
struct altpick_padding {
    uint32_t instructions;  /* executed; filler that a jump skips is not counted */
    uint32_t longest_bytes; /* of one instruction */
    uint32_t prefixes;      /* most on one instruction */
    bool     jumps;         /* begins with JMP rel8 to its end */
};

/*
 * Decode @code: NOPs (90, 0F1F /0) with 66 and 2E prefixes, or a jump over all of it.  False when
 * it holds anything else or ends inside an instruction.
 */
bool altpick_padding_scan(const uint8_t *code, size_t bytes, struct altpick_padding *ret_padding);

#endif
