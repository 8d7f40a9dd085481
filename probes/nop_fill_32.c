/* SPDX-License-Identifier: MIT */
/*
 * nop.fill.32: how to fill a gap of 1 to 64 bytes in 32-bit code.  Every target of a policy is an
 * x86-64 CPU, and they all have 0F1F: as in 64-bit code, it is what a tie keeps.  32-bit code for
 * CPUs that lack it must pin the MOV and LEA forms.
 */
#include "altpick/output.h"
#include "nop_fill.h"

extern const struct altpick_question altpick_question_nop_fill_32;
const struct altpick_question altpick_question_nop_fill_32 = {
    .name = "nop.fill.32",
    .title = "how to fill a gap of 1 to 64 bytes in 32-bit code",
    .bits = 32,
    .layouts_percent = 67,
    .conditions = 1u << ALTPICK_HOT | 1u << ALTPICK_LEGACY_DECODE | 1u << ALTPICK_L1I_MISS,
    .n_candidates = 146,
    .candidates = altpick_nop_candidates,
    .refine = altpick_nop_refine,
    .accepts = altpick_nop_accepts,
    .emits = &altpick_emits_nop_fill_32,
    .n_items = NOP_N_ITEMS,
    .item = altpick_nop_item,
};
