/* SPDX-License-Identifier: MIT */
/* The claims of the thread about initialising the FPU on two CPUs of 2002 (docs/claims.md). */
#include "claim_figures.h"

#include "altpick/xstate.h"

#include <string.h>

#define MICRO UINT64_C(1000000)

/* 32-bit code of the thread addresses memory by 4 bytes; FXRSTOR has REX.W in 64-bit code. */
enum { ADDRESS_BYTES = 4, REX = 0x48, CLEAR_BYTES = 59, RESTORE_BYTES = 7, IMAGE_BYTES = 512 };

static const char question[] = "fpu.init";
static const char restoring[] = "fxrstor", clearing[] = "clear-2002-mem";

static double cycles(const struct altpick_cost *cost)
{
    return altpick_claim_number(cost->cycles_micro);
}

/* Whether FXRSTOR takes @low to @high cycles warm. */
static void test_fxrstor(const struct altpick_machine *machine, uint32_t low, uint32_t high,
                         struct altpick_finding *ret)
{
    const struct altpick_cost *cost =
        altpick_claim_cost(machine, question, restoring, ALTPICK_WARM);

    if (!cost) {
        altpick_claim_untestable(ret, "no warm figure of FXRSTOR (fpu.init)");
        return;
    }
    ret->verdict = ALTPICK_CLAIM_TRUE;
    altpick_claim_say(ret, "%.1f cycles", cycles(cost));
    altpick_claim_near(ret, cost->cycles_micro, low * MICRO, high * MICRO);
}

/* The same of FNINIT alone, which is a candidate of another question. */
static void test_fninit(const struct altpick_machine *machine, uint32_t thread_cycles,
                        struct altpick_finding *ret)
{
    const struct altpick_cost *cost =
        altpick_claim_cost(machine, "kernel-fpu.begin", "fninit", ALTPICK_WARM);

    if (!cost) {
        altpick_claim_untestable(ret, "no warm figure of FNINIT (kernel-fpu.begin)");
        return;
    }
    ret->verdict = ALTPICK_CLAIM_TRUE;
    altpick_claim_say(ret, "%.1f cycles", cycles(cost));
    altpick_claim_near(ret, cost->cycles_micro, thread_cycles * MICRO, thread_cycles * MICRO);
}

static void test_manual_fxrstor(const struct altpick_machine *machine, struct altpick_finding *ret)
{
    test_fxrstor(machine, 68, 108, ret);
}

static void test_manual_fninit(const struct altpick_machine *machine, struct altpick_finding *ret)
{
    test_fninit(machine, 91, ret);
}

static void test_warm_fxrstor(const struct altpick_machine *machine, struct altpick_finding *ret)
{
    test_fxrstor(machine, 215, 215, ret);
}

static void test_warm_fninit(const struct altpick_machine *machine, struct altpick_finding *ret)
{
    test_fninit(machine, 200, ret);
}

static void test_cold_slower(const struct altpick_machine *machine, struct altpick_finding *ret)
{
    struct altpick_claim_tally tally = {0};
    const struct altpick_cost *fxrstor =
        altpick_claim_cost(machine, question, restoring, ALTPICK_COLD_BOTH);
    const struct altpick_cost *clear =
        altpick_claim_cost(machine, question, clearing, ALTPICK_COLD_BOTH);
    const struct altpick_cost *wide =
        altpick_claim_cost(machine, question, "clear-16-mem", ALTPICK_COLD_BOTH);

    if (!fxrstor || !clear) {
        altpick_claim_untestable(ret, "no cold figures of FXRSTOR and of clearing (fpu.init)");
        return;
    }
    altpick_claim_say(ret, "cold cycles: FXRSTOR %.0f, clearing eight registers %.0f",
                      cycles(fxrstor), cycles(clear));
    if (wide)
        altpick_claim_say(ret, ", sixteen %.0f", cycles(wide));
    altpick_claim_pair(ret, &tally, clear, fxrstor);
    altpick_claim_decide(ret, &tally);
}

/* From which share of cold calls on clearing pays, where it costs more warm and less cold. */
static void say_break_even(const struct altpick_machine *machine, struct altpick_finding *ret)
{
    static const enum altpick_condition conditions[] = {ALTPICK_WARM, ALTPICK_COLD_BOTH};
    int64_t saved[2];

    for (size_t i = 0; i < 2; i++) {
        const struct altpick_cost *fxrstor =
            altpick_claim_cost(machine, question, restoring, conditions[i]);
        const struct altpick_cost *clear =
            altpick_claim_cost(machine, question, clearing, conditions[i]);

        if (!fxrstor || !clear)
            return;
        saved[i] = (int64_t) fxrstor->cycles_micro - (int64_t) clear->cycles_micro;
    }
    altpick_claim_say(ret, "; clearing saves %.1f cycles warm, %.0f cold", (double) saved[0] / 1e6,
                      (double) saved[1] / 1e6);
    if (saved[0] < 0 && saved[1] > 0)
        altpick_claim_say(ret, ": it pays from %.1f %% of cold calls on",
                          100.0 * (double) -saved[0] / (double) (saved[1] - saved[0]));
}

static void test_first_use_cold(const struct altpick_machine *machine, struct altpick_finding *ret)
{
    altpick_claim_untestable(ret, "how often a first use is cold is up to programs");
    say_break_even(machine, ret);
}

/* Bytes of @candidate as 32-bit code that addresses its data by name. */
static uint32_t bytes_2002(const struct altpick_candidate *candidate)
{
    return candidate->code_bytes + ADDRESS_BYTES - (candidate->code[0] == REX);
}

static void test_bytes(const struct altpick_machine *machine, struct altpick_finding *ret)
{
    const struct altpick_measurement *fxrstor =
        altpick_claim_candidate(machine, question, restoring);
    const struct altpick_measurement *clear = altpick_claim_candidate(machine, question, clearing);
    uint32_t image, constant;

    if (!fxrstor || !clear) {
        altpick_claim_untestable(ret, "it has no candidates of fpu.init");
        return;
    }
    image = altpick_data_bytes(fxrstor->candidate.data);
    constant = altpick_data_bytes(clear->candidate.data);
    ret->verdict = ALTPICK_CLAIM_TRUE;
    altpick_claim_say(
        ret,
        "code and data: clearing %u and %u, FXRSTOR %u and %u, through a pointer in "
        "64-bit code; %u and %u of code by address in 32-bit code; the %u are MXCSR's "
        "constant, not counted in the thread",
        clear->candidate.code_bytes, constant, fxrstor->candidate.code_bytes, image,
        bytes_2002(&clear->candidate), bytes_2002(&fxrstor->candidate), constant);
    altpick_claim_near(ret, bytes_2002(&clear->candidate), CLEAR_BYTES, CLEAR_BYTES);
    altpick_claim_near(ret, bytes_2002(&fxrstor->candidate), RESTORE_BYTES, RESTORE_BYTES);
    altpick_claim_near(ret, image, IMAGE_BYTES, IMAGE_BYTES);
}

static void test_worse_smp(const struct altpick_machine *machine, struct altpick_finding *ret)
{
    (void) machine;
    altpick_claim_untestable(
        ret, "it takes more than one bus master: no figure is of cold shots while other CPUs "
             "fetch from the same memory, and a profile holds what one CPU did");
}

/* Components that came after XMM, and the guarantee that nothing of them is left. */
static const struct {
    enum altpick_component component;
    enum altpick_guarantee guarantee;
} later[] = {
    {ALTPICK_COMPONENT_YMM,      ALTPICK_GUARANTEE_NO_LEAK_YMM     },
    {ALTPICK_COMPONENT_BND,      ALTPICK_GUARANTEE_NO_LEAK_BND     },
    {ALTPICK_COMPONENT_OPMASK,   ALTPICK_GUARANTEE_NO_LEAK_OPMASK  },
    {ALTPICK_COMPONENT_ZMM,      ALTPICK_GUARANTEE_NO_LEAK_ZMM     },
    {ALTPICK_COMPONENT_HI16_ZMM, ALTPICK_GUARANTEE_NO_LEAK_HI16_ZMM},
    {ALTPICK_COMPONENT_TILE,     ALTPICK_GUARANTEE_NO_LEAK_TILE    },
    {ALTPICK_COMPONENT_APX,      ALTPICK_GUARANTEE_NO_LEAK_APX     },
};

struct leaks {
    size_t left, cleared; /* components of which a look saw that they are */
};

/* What @candidate, which clears with XORPS, leaves behind. */
static void look_at(const struct altpick_measurement *candidate, uint32_t components,
                    struct leaks *leaks, struct altpick_finding *ret)
{
    size_t n = 0;

    for (size_t i = 0; i < sizeof later / sizeof *later; i++) {
        unsigned state = candidate->guarantee[later[i].guarantee];

        if (!(components >> later[i].component & 1))
            continue;
        leaks->cleared += state == ALTPICK_GUARANTEE_IS_CHECKED;
        if (state != ALTPICK_GUARANTEE_IS_CONTRADICTED)
            continue;
        if (n++ == 0)
            altpick_claim_say(ret, "%s%s leaves", leaks->left ? "; " : "",
                              candidate->candidate.name);
        altpick_claim_say(ret, " %s", altpick_component_name(later[i].component));
        leaks->left++;
    }
}

static void test_xorps_not_enough(const struct altpick_machine *machine,
                                  struct altpick_finding *ret)
{
    static const char *const names[] = {"clear-2002-mem", "clear-2002-stack", "clear-16-mem",
                                        "clear-16-stack"};
    const struct altpick_result *result = altpick_machine_result(machine, question);
    struct leaks leaks = {0};

    for (size_t i = 0; result && i < sizeof names / sizeof *names; i++) {
        const struct altpick_measurement *m = altpick_result_candidate(result, names[i]);

        if (m)
            look_at(m, result->components, &leaks, ret);
    }
    if (leaks.cleared > 0) {
        altpick_claim_except(ret, 0);
        altpick_claim_say(ret, "%s%zu later components were seen cleared", leaks.left ? "; " : "",
                          leaks.cleared);
    } else if (leaks.left > 0) {
        ret->verdict = ALTPICK_CLAIM_TRUE;
    } else {
        altpick_claim_untestable(ret, "no candidate was run on state that came after XMM");
    }
}

/* clang-format off */
static const struct altpick_claim claims[] = {
    {
        .id = "manual-fxrstor",
        .text = "Warm, FXRSTOR takes 68 or 108 cycles, as the Athlon's manual has it; from 68 to "
                "108 within 10 % here.",
        .test = test_manual_fxrstor,
    },
    {
        .id = "manual-fninit",
        .text = "Warm, FNINIT takes 91 cycles, as the Athlon's manual has it; within 10 % here.",
        .test = test_manual_fninit,
    },
    {
        .id = "warm-fxrstor",
        .text = "Warm, FXRSTOR takes about 215 cycles, as one measured; within 10 % here.",
        .test = test_warm_fxrstor,
    },
    {
        .id = "warm-fninit",
        .text = "Warm, FNINIT takes about 200 cycles, as one measured; within 10 % here.",
        .test = test_warm_fninit,
    },
    {
        .id = "cold-slower",
        .text = "Cold, FXRSTOR of an image is slower than clearing eight registers of each kind.",
        .test = test_cold_slower,
    },
    {
        .id = "first-use-cold",
        .text = "Registers should be cleared, because the first use in a task is always cold.",
        .test = test_first_use_cold,
    },
    {
        .id = "bytes",
        .text = "Clearing takes 59 bytes of code and none of data, FXRSTOR 7 and 512; code within "
                "10 % here.",
        .test = test_bytes,
    },
    {
        .id = "worse-smp",
        .text = "FXRSTOR's cold misses are worse on SMP, where CPUs share a bus.",
        .test = test_worse_smp,
    },
    {
        .id = "xorps-not-enough",
        .text = "XORPS does not clear state that came later, AVX and up.",
        .test = test_xorps_not_enough,
    },
};
/* clang-format on */

extern const struct altpick_claim_thread altpick_claim_thread_fpu_init_2002;
const struct altpick_claim_thread altpick_claim_thread_fpu_init_2002 = {
    .name = "fpu-init-2002",
    .title = "initialising the FPU on Athlon MP and Pentium III",
    .source = "Linux kernel mailing list, 2002-04; ten shots each, cold",
    .claims = claims,
    .n_claims = sizeof claims / sizeof *claims,
};
