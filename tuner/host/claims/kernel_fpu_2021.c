/* SPDX-License-Identifier: MIT */
/* The claims of the thread about what kernel code resets before it uses the FPU (docs/claims.md).
 */
#include "claim_figures.h"

#define MICRO UINT64_C(1000000)

static const char question[] = "kernel-fpu.begin";
static const char selective[] = "ldmxcsr", whole[] = "both";
static const char no_figures[] = "no figures of a xor of 4 KiB after the resets (kernel-fpu.begin)";
static const char not_looked[] = "guarantees are declared only: no candidate was run and looked at";

/* The routines of the thread, each on two blocks of 4 KiB. */
static const struct routine {
    const char *name;
    enum altpick_condition condition;
} routines[] = {
    {"prefetch64-sse", ALTPICK_PREFETCH_4096},
    {"generic_sse",    ALTPICK_SSE_4096     },
    {"AVX",            ALTPICK_AVX2_4096    },
};

enum { N_ROUTINES = sizeof routines / sizeof *routines, N_SSE_ROUTINES = 2 };

/* Millionths of the speed without a reset that are left after @candidate; 0 without figures. */
static uint64_t share_micro(const struct altpick_machine *machine, const char *candidate,
                            const struct routine *routine)
{
    const struct altpick_cost *none =
        altpick_claim_cost(machine, question, "none", routine->condition);
    const struct altpick_cost *cost =
        altpick_claim_cost(machine, question, candidate, routine->condition);

    return none && cost ? none->cycles_micro * MICRO / cost->cycles_micro : 0;
}

static double percent(uint64_t share)
{
    return (double) share / 1e4;
}

static void test_selective_keeps_more(const struct altpick_machine *machine,
                                      struct altpick_finding *ret)
{
    struct altpick_claim_tally tally = {0};

    altpick_claim_say(ret, "%% of speed kept (both reset):");
    for (size_t i = 0; i < N_ROUTINES; i++) {
        const struct routine *routine = &routines[i];
        uint64_t after = share_micro(machine, selective, routine);
        uint64_t before = share_micro(machine, whole, routine);

        if (!after || !before)
            continue;
        altpick_claim_say(ret, "%s %s %.1f (%.1f)", tally.n ? "," : "", routine->name,
                          percent(after), percent(before));
        altpick_claim_pair(ret, &tally,
                           altpick_claim_cost(machine, question, selective, routine->condition),
                           altpick_claim_cost(machine, question, whole, routine->condition));
    }
    if (tally.n == 0)
        altpick_claim_untestable(ret, "%s", no_figures);
    else
        altpick_claim_decide(ret, &tally);
}

/* What @candidate leaves to the first @n routines; false, and untestable, without any figure. */
static bool say_shares(const struct altpick_machine *machine, const char *candidate, size_t first,
                       size_t n, uint64_t *ret_least, uint64_t *ret_most,
                       struct altpick_finding *ret)
{
    uint64_t least = UINT64_MAX, most = 0;

    ret->verdict = ALTPICK_CLAIM_TRUE;
    altpick_claim_say(ret, "%% of speed kept:");
    for (size_t i = first; i < first + n; i++) {
        uint64_t share = share_micro(machine, candidate, &routines[i]);

        if (!share)
            continue;
        altpick_claim_say(ret, "%s %s %.1f", most ? "," : "", routines[i].name, percent(share));
        least = share < least ? share : least;
        most = share > most ? share : most;
    }
    if (!most) {
        altpick_claim_untestable(ret, "%s", no_figures);
        return false;
    }
    *ret_least = least;
    *ret_most = most;
    return true;
}

/* Shares are rounded to whole percents in the thread: half of one is no exception. */
enum { HALF_PERCENT_MICRO = 5000 };

static void test_sse_keeps_90(const struct altpick_machine *machine, struct altpick_finding *ret)
{
    const uint64_t limit = 900000;
    uint64_t least, most;

    if (say_shares(machine, selective, 0, N_SSE_ROUTINES, &least, &most, ret) &&
        least + HALF_PERCENT_MICRO < limit)
        altpick_claim_except(ret, (int64_t) ((limit - least) * MICRO / limit));
}

static void test_both_keep_88(const struct altpick_machine *machine, struct altpick_finding *ret)
{
    const uint64_t limit = 880000;
    uint64_t least, most;

    if (say_shares(machine, whole, 0, N_SSE_ROUTINES, &least, &most, ret) &&
        most > limit + HALF_PERCENT_MICRO)
        altpick_claim_except(ret, (int64_t) ((most - limit) * MICRO / limit));
}

static void test_avx_keeps_67(const struct altpick_machine *machine, struct altpick_finding *ret)
{
    uint64_t least, most;

    if (say_shares(machine, selective, N_SSE_ROUTINES, N_ROUTINES - N_SSE_ROUTINES, &least, &most,
                   ret))
        altpick_claim_near(ret, least, 670000, 670000);
}

/* Whether @guarantee of @candidate was seen to hold, seen not to, or not seen. */
static enum altpick_claim_verdict seen(const struct altpick_machine *machine, const char *candidate,
                                       enum altpick_guarantee guarantee)
{
    switch (altpick_claim_guarantee(machine, question, candidate, guarantee)) {
    case ALTPICK_GUARANTEE_IS_CHECKED:
        return ALTPICK_CLAIM_TRUE;
    case ALTPICK_GUARANTEE_IS_CONTRADICTED:
        return ALTPICK_CLAIM_FALSE;
    default:
        return ALTPICK_CLAIM_UNTESTABLE;
    }
}

static void test_no_fninit_for_sse(const struct altpick_machine *machine,
                                   struct altpick_finding *ret)
{
    switch (seen(machine, selective, ALTPICK_GUARANTEE_INIT_MXCSR)) {
    case ALTPICK_CLAIM_TRUE:
        ret->verdict = ALTPICK_CLAIM_TRUE;
        altpick_claim_say(ret,
                          "ldmxcsr alone was seen to leave MXCSR at its initial value; SSE and "
                          "AVX code reads no other control");
        break;
    case ALTPICK_CLAIM_FALSE:
        altpick_claim_except(ret, 0);
        altpick_claim_say(ret, "ldmxcsr alone was seen to leave another MXCSR");
        break;
    default:
        altpick_claim_untestable(ret, "%s", not_looked);
    }
}

/* That @candidate does without FNINIT is seen where what has it holds, and it does not. */
static void test_needs(const struct altpick_machine *machine, enum altpick_guarantee guarantee,
                       const char *with, const char *without, struct altpick_finding *ret)
{
    const char *name = altpick_guarantee_name(guarantee);

    if (seen(machine, with, guarantee) == ALTPICK_CLAIM_UNTESTABLE ||
        !altpick_claim_candidate(machine, question, without)) {
        altpick_claim_untestable(ret, "%s", not_looked);
    } else if (seen(machine, with, guarantee) == ALTPICK_CLAIM_FALSE) {
        altpick_claim_except(ret, 0);
        altpick_claim_say(ret, "%s was seen not to give %s", with, name);
    } else if (seen(machine, without, guarantee) == ALTPICK_CLAIM_TRUE) {
        altpick_claim_except(ret, 0);
        altpick_claim_say(ret, "%s was seen to give %s, too", without, name);
    } else {
        ret->verdict = ALTPICK_CLAIM_TRUE;
        altpick_claim_say(ret, "%s: seen of %s, not of %s", name, with, without);
    }
}

static void test_mmx_needs_fninit(const struct altpick_machine *machine,
                                  struct altpick_finding *ret)
{
    test_needs(machine, ALTPICK_GUARANTEE_INIT_X87_CONTROL, "fninit", selective, ret);
}

static void test_efi_needs_both(const struct altpick_machine *machine, struct altpick_finding *ret)
{
    struct altpick_finding mxcsr = {0};

    test_needs(machine, ALTPICK_GUARANTEE_INIT_X87_CONTROL, whole, selective, ret);
    if (ret->verdict != ALTPICK_CLAIM_TRUE)
        return;
    test_needs(machine, ALTPICK_GUARANTEE_INIT_MXCSR, whole, "fninit", &mxcsr);
    if (mxcsr.verdict != ALTPICK_CLAIM_TRUE)
        *ret = mxcsr;
    else
        altpick_claim_say(ret, "; %s", mxcsr.text);
}

/* clang-format off */
static const struct altpick_claim claims[] = {
    {
        .id = "selective-keeps-more",
        .text = "Resetting MXCSR alone keeps more of a routine's speed than resetting both.",
        .test = test_selective_keeps_more,
    },
    {
        .id = "sse-keeps-90",
        .text = "With MXCSR alone reset, SSE routines keep 90 % or more of their speed.",
        .test = test_sse_keeps_90,
    },
    {
        .id = "both-keep-88",
        .text = "With both reset, SSE routines keep 88 % or less of their speed.",
        .test = test_both_keep_88,
    },
    {
        .id = "avx-keeps-67",
        .text = "With MXCSR alone reset, AVX routines still fall to 67 %; within 10 % here.",
        .test = test_avx_keeps_67,
    },
    {
        .id = "no-fninit-for-sse",
        .text = "Users of SSE and AVX do not need FNINIT.",
        .test = test_no_fninit_for_sse,
    },
    {
        .id = "mmx-needs-fninit",
        .text = "Users of MMX and of the x87 need FNINIT.",
        .test = test_mmx_needs_fninit,
    },
    {
        .id = "efi-needs-both",
        .text = "Calls of EFI need FNINIT and LDMXCSR.",
        .test = test_efi_needs_both,
    },
};
/* clang-format on */

extern const struct altpick_claim_thread altpick_claim_thread_kernel_fpu_2021;
const struct altpick_claim_thread altpick_claim_thread_kernel_fpu_2021 = {
    .name = "kernel-fpu-2021",
    .title = "what kernel code resets before it uses the FPU",
    .source = "Linux kernel mailing list, 2021-01; speed of a xor of 4 KiB blocks",
    .claims = claims,
    .n_claims = sizeof claims / sizeof *claims,
};
