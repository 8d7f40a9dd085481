/* SPDX-License-Identifier: MIT */
/* NOP encodings: writing them, and decoding what a piece of padding consists of. */
#ifndef ALTPICK_NOP_H
#define ALTPICK_NOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ALTPICK_NOP_LONGEST = 15 /* an x86 instruction has at most 15 bytes (SDM vol. 2, 2.3.11) */
};

/* What decides the cost of one NOP as far as published figures go. */
struct altpick_nop {
    uint8_t opcode;   /* 0x90, or 0x1f for 0F1F /0 */
    uint8_t bytes;    /* prefixes, opcode and operand */
    uint8_t prefixes; /* 66 and 2E alike; the opcode follows them */
};

/*
 * Decode the NOP at the start of @code: prefixes 66 and 2E, then 90 or 0F1F /0 with a memory
 * operand.  Returns its length, or 0 when there is anything else (PAUSE, ENDBR and other hints, the
 * LEA and MOV forms of 32-bit code) or less than a whole NOP.
 */
size_t altpick_nop_decode(const uint8_t *code, size_t bytes, struct altpick_nop *ret_nop);

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
    bool jumps;             /* begins with JMP rel8 to its end */
};

/*
 * Decode @code: NOPs as altpick_nop_decode() knows them, or a jump over all of it.  False when it
 * is empty, holds anything else or ends inside an instruction.
 */
bool altpick_padding_scan(const uint8_t *code, size_t bytes, struct altpick_padding *ret_padding);

#endif
