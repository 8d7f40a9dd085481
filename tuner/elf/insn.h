/* SPDX-License-Identifier: MIT */
/* What patching needs to know of one instruction: length, NOP or not, what is relative in it. */
#ifndef ALTPICK_ELF_INSN_H
#define ALTPICK_ELF_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A number within an instruction: bytes is 0 where it has none. */
struct altpick_insn_field {
    uint8_t offset, bytes;
    int64_t value; /* sign-extended */
};

struct altpick_insn {
    uint8_t bytes;
    uint8_t opcode;                    /* of the first map and of 0F */
    bool is_nop;                       /* 0x90 with any prefix but F3, or 0F1F */
    bool is_jump;                      /* E9 or EB */
    struct altpick_insn_field branch;  /* of a call, jump or conditional jump */
    struct altpick_insn_field operand; /* displacement of a RIP-relative operand */
};

/* Decode the instruction at @code, of which @n bytes may be read.  False: it is none. */
bool altpick_insn_decode(bool is_64, const uint8_t *code, size_t n, struct altpick_insn *ret_insn);

#endif
