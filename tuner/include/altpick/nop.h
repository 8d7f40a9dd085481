/* SPDX-License-Identifier: MIT */
/* NOP encodings: writing them, and decoding what a piece of padding consists of. */
#ifndef ALTPICK_NOP_H
#define ALTPICK_NOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ALTPICK_NOP_LONGEST = 15,   /* an x86 instruction has at most 15 bytes (SDM vol. 2, 2.3.11) */
    ALTPICK_NOP_GAP_MAX = 64,   /* longest gap that is looked at */
    ALTPICK_NOP_LEA_LONGEST = 8 /* in the table of 32-bit forms that kernels use */
};

/* What decides the cost of one NOP as far as published figures go. */
struct altpick_nop {
    uint8_t opcode;   /* 0x90, or 0x1f for 0F1F /0; 0x8d, 0x89 or 0x8b in 32-bit code only */
    uint8_t bytes;    /* prefixes, opcode and operand */
    uint8_t prefixes; /* 66, 2E and 3E alike; the opcode follows them */
};

/*
 * Decode the NOP at the start of @code: prefixes 66 and 2E, then 90 or 0F1F /0 with a memory
 * operand.  Returns its length, or 0 when there is anything else (PAUSE, ENDBR and other hints, the
 * LEA and MOV forms of 32-bit code) or less than a whole NOP.
 */
size_t altpick_nop_decode(const uint8_t *code, size_t bytes, struct altpick_nop *ret_nop);

/*
 * The same in code of @bits (64 or 32).  32-bit code has more NOPs, none of which is one in 64-bit
 * code, where they clear the upper half of a register: MOV of a register to itself, and, after
 * prefixes 2E and 3E, LEA that gives its destination back.
 */
size_t altpick_nop_decode_in(uint32_t bits, const uint8_t *code, size_t bytes,
                             struct altpick_nop *ret_nop);

/*
 * The multi-byte form of @bytes (1..15) bytes: the table of Intel's SDM (vol. 2, NOP) and AMD's
 * optimisation guides to 9 bytes, then 66 prefixes and one 2E (a CS override), as assemblers write
 * it.  1 and 2 bytes: 90, 66 90.
 */
void altpick_nop_recommended(uint8_t *ret_code, uint32_t bytes);

/* 66 ... 66 90 in @bytes (1..15) bytes. */
void altpick_nop_6690(uint8_t *ret_code, uint32_t bytes);

/*
 * The MOV and LEA forms of 32-bit code in @bytes (1..8) bytes, as kernels and assemblers write them
 * for CPUs without 0F1F: 90, mov esi, esi, then lea esi, [esi] in its lengths; 5 and 8 bytes are
 * those of 4 and 7 with a DS override.  Never for 64-bit code.
 */
void altpick_nop_lea(uint8_t *ret_code, uint32_t bytes);

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

/* The same in code of @bits (64 or 32): NOPs as altpick_nop_decode_in() knows them. */
bool altpick_padding_scan_in(uint32_t bits, const uint8_t *code, size_t bytes,
                             struct altpick_padding *ret_padding);

#endif
