/* SPDX-License-Identifier: MIT */
/*
 * nop.fill.32: how to fill a gap of 1 to 64 bytes in 32-bit code.  Every target of a policy is an
 * x86-64 CPU, and they all have 0F1F: as in 64-bit code, it is what a tie keeps.  32-bit code for
 * CPUs that lack it must pin the MOV and LEA forms.
 */
#include "nop_fill.h"
#include "published.h"

static const struct altpick_nop_mode mode = {.question = "nop.fill.32", .bits = 32};

static size_t candidates(struct altpick_candidate ret[ALTPICK_CANDIDATES_MAX])
{
    return altpick_nop_candidates(&mode, ret);
}

static void refine(const struct altpick_result *so_far,
                   struct altpick_candidate candidates[ALTPICK_CANDIDATES_MAX], size_t n)
{
    altpick_nop_refine(&mode, so_far, candidates, n);
}

static bool accepts(const uint8_t *code, size_t bytes)
{
    struct altpick_padding scan;

    return altpick_padding_scan_in(mode.bits, code, bytes, &scan);
}

static void item(size_t index, const struct altpick_result *result,
                 const struct altpick_policy *policy, const struct altpick_decision *earlier,
                 struct altpick_contest *ret_contest)
{
    altpick_nop_item(&mode, index, result, policy, earlier, ret_contest);
}

extern const struct altpick_question altpick_question_nop_fill_32;
const struct altpick_question altpick_question_nop_fill_32 = {
    .name = "nop.fill.32",
    .title = "how to fill a gap of 1 to 64 bytes in 32-bit code",
    .bits = 32,
    .layouts_percent = 67,
    .conditions = 1u << ALTPICK_HOT | 1u << ALTPICK_LEGACY_DECODE | 1u << ALTPICK_L1I_MISS,
    .candidates = candidates,
    .refine = refine,
    .accepts = accepts,
    .n_items = NOP_N_ITEMS,
    .item = item,
    .elsewhere = altpick_nop_elsewhere,
};
