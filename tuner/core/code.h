/* SPDX-License-Identifier: MIT */
/* Machine code of a block: copies of a body in a counted loop. */
#ifndef ALTPICK_CORE_CODE_H
#define ALTPICK_CORE_CODE_H

#include "altpick/measure.h"

enum {
    ALTPICK_LOOP_TAIL_BYTES = 9,
    ALTPICK_RETURN_BYTES = 1,
    ALTPICK_CHAIN_ADDS = 100,
    ALTPICK_CANARY_NOPS = 384,
};

/* Bytes that altpick_code_emit() writes for @block. */
size_t altpick_code_bytes(const struct altpick_block *block);

/*
 * Write @block at @at: its copies, then DEC EBP; JNZ to the first copy; RET, or RETF where
 * @far_return.  Around its body it is the same in 64-bit and 32-bit code.  A single execution has
 * no loop; where the condition asks for it, the candidate comes once before the loop.
 */
void altpick_code_emit(uint8_t *at, const struct altpick_block *block, bool far_return);

#endif
