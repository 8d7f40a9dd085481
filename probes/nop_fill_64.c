/* SPDX-License-Identifier: MIT */
/* nop.fill.64: how to fill a gap of 1 to 64 bytes in 64-bit code. */
#include "nop_fill.h"
#include "published.h"

#define QUESTION "nop.fill.64"

static bool accepts(const uint8_t *code, size_t bytes)
{
    struct altpick_padding scan;

    return altpick_padding_scan(code, bytes, &scan);
}

static void item(size_t index, const struct altpick_result *result,
                 const struct altpick_policy *policy, const struct altpick_decision *earlier,
                 struct altpick_contest *ret_contest)
{
    altpick_nop_item(QUESTION, index, result, policy, earlier, ret_contest);
}

extern const struct altpick_question altpick_question_nop_fill_64;
const struct altpick_question altpick_question_nop_fill_64 = {
    .name = QUESTION,
    .title = "how to fill a gap of 1 to 64 bytes in 64-bit code",
    .conditions = 1u << ALTPICK_HOT | 1u << ALTPICK_LEGACY_DECODE | 1u << ALTPICK_L1I_MISS,
    .candidates = altpick_nop_candidates,
    .refine = altpick_nop_refine,
    .accepts = accepts,
    .n_items = NOP_N_ITEMS,
    .item = item,
    .elsewhere = altpick_nop_elsewhere,
};
