/* SPDX-License-Identifier: MIT */
/* nop.fill.64: how to fill a gap of 1 to 64 bytes in 64-bit code. */
#include "altpick/output.h"
#include "nop_fill.h"

extern const struct altpick_question altpick_question_nop_fill_64;
const struct altpick_question altpick_question_nop_fill_64 = {
    .name = "nop.fill.64",
    .title = "how to fill a gap of 1 to 64 bytes in 64-bit code",
    .bits = 64,
    .conditions = 1u << ALTPICK_HOT | 1u << ALTPICK_LEGACY_DECODE | 1u << ALTPICK_L1I_MISS,
    .n_candidates = 119,
    .candidates = altpick_nop_candidates,
    .refine = altpick_nop_refine,
    .accepts = altpick_nop_accepts,
    .emits = &altpick_emits_nop_fill_64,
    .n_items = NOP_N_ITEMS,
    .item = altpick_nop_item,
};
