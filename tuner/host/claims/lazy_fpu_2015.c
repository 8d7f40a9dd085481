/* SPDX-License-Identifier: MIT */
/* The claims of the thread about lazy and eager switching of the FPU (docs/claims.md). */
#include "claim_figures.h"

#include "altpick/decide.h"

#include <string.h>

#define MICRO UINT64_C(1000000)

static const char switching[] = "fpu.switch", saving[] = "xstate.save";

static double cycles(const struct altpick_cost *cost)
{
    return altpick_claim_number(cost->cycles_micro);
}

/* Whether a privileged instruction costs what it cost in the thread. */
static void test_term(const struct altpick_machine *machine, const char *candidate,
                      uint32_t thread_cycles, struct altpick_finding *ret)
{
    const struct altpick_cost *cost =
        altpick_claim_cost(machine, switching, candidate, ALTPICK_WARM);

    if (!cost && machine->ring != 0) {
        altpick_claim_untestable(ret,
                                 "ring %u cannot execute it; other exceptions seen from there "
                                 "are no bounds of it",
                                 machine->ring);
        return;
    }
    if (!cost) {
        altpick_claim_untestable(ret, "no figure of %s (fpu.switch)", candidate);
        return;
    }
    ret->verdict = ALTPICK_CLAIM_TRUE;
    altpick_claim_say(ret, "%.0f cycles", cycles(cost));
    altpick_claim_near(ret, cost->cycles_micro, thread_cycles * MICRO, thread_cycles * MICRO);
}

static void test_cr0_read(const struct altpick_machine *machine, struct altpick_finding *ret)
{
    test_term(machine, "cr0-read", 4, ret);
}

static void test_cr0_write(const struct altpick_machine *machine, struct altpick_finding *ret)
{
    test_term(machine, "cr0-write", 208, ret);
}

static void test_nm(const struct altpick_machine *machine, struct altpick_finding *ret)
{
    test_term(machine, "nm", 1156, ret);
}

/* The sum that the question itself makes of its terms for @policy, by its item called @name. */
static struct altpick_cost switch_cost(const struct altpick_machine *machine, const char *name,
                                       const char *policy_name)
{
    const struct altpick_question *question = altpick_question_find(switching);
    const struct altpick_result *result = altpick_machine_result(machine, switching);
    struct altpick_contest contest;
    struct altpick_policy policy;

    altpick_policy_init(&policy);
    for (size_t i = 0; question && result && i < question->n_items; i++) {
        question->item(question, i, result, &policy, NULL, &contest);
        if (strcmp(contest.item, name) != 0)
            continue;
        for (size_t k = 0; k < contest.n_entries; k++) {
            if (strcmp(contest.entries[k].name, policy_name) == 0)
                return contest.entries[k].cost[ALTPICK_WARM];
        }
    }
    return (struct altpick_cost){.status = ALTPICK_STATUS_UNMEASURED};
}

static void test_eager_wins(const struct altpick_machine *machine, struct altpick_finding *ret)
{
    struct altpick_cost eager = switch_cost(machine, "fpu.switch.policy", "eager-only");
    struct altpick_cost lazy = switch_cost(machine, "fpu.switch.policy", "lazy");
    struct altpick_claim_tally tally = {0};

    if (eager.status == ALTPICK_STATUS_UNMEASURED || lazy.status == ALTPICK_STATUS_UNMEASURED) {
        altpick_claim_untestable(ret, "no figures of saves and restores (fpu.switch)");
        return;
    }
    altpick_claim_say(ret, "cycles where half of the tasks use the FPU: eager %.0f, lazy %.0f",
                      cycles(&eager), cycles(&lazy));
    altpick_claim_pair(ret, &tally, &eager, &lazy);
    altpick_claim_decide(ret, &tally);
    if (altpick_cost_is_known(&eager) && altpick_cost_is_known(&lazy))
        return;
    ret->verdict = ALTPICK_CLAIM_UNTESTABLE;
    ret->excess_ppm = 0;
    altpick_claim_say(ret, ", estimated with CR0 and #NM of the thread: only ring 0 can tell");
}

static void test_integer_faster(const struct altpick_machine *machine, struct altpick_finding *ret)
{
    struct altpick_cost eager = switch_cost(machine, "fpu.switch.int-int", "eager-only");

    altpick_claim_untestable(ret, "a profile holds no whole context switch");
    if (altpick_cost_is_known(&eager))
        altpick_claim_say(ret,
                          "; the %.0f cycles that eager switching adds are 5 to 10 %% of one of "
                          "%.0f to %.0f cycles",
                          cycles(&eager), 10 * cycles(&eager), 20 * cycles(&eager));
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/*
 * Whether saves whose names begin with one of @forms cost less in @condition than with every
 * component in use: at some set of components, and more at none.
 */
static void test_saves(const struct altpick_machine *machine, const char *const *forms,
                       enum altpick_condition condition, struct altpick_finding *ret)
{
    const struct altpick_result *result = altpick_machine_result(machine, saving);
    struct altpick_claim_tally tally = {0};

    altpick_claim_say(ret, "cycles, %s/dirty:", altpick_condition_name(condition));
    for (size_t i = 0; result && i < result->n_candidates; i++) {
        const char *name = result->candidates[i].candidate.name;
        const struct altpick_cost *less = altpick_claim_cost(machine, saving, name, condition);
        const struct altpick_cost *dirty = altpick_claim_cost(machine, saving, name, ALTPICK_DIRTY);
        bool asked = false;

        for (size_t k = 0; forms[k]; k++)
            asked = asked || begins(name, forms[k]);
        if (!asked || !less || !dirty)
            continue;
        altpick_claim_say(ret, "%s %s %.0f/%.0f", tally.n ? "," : "", name, cycles(less),
                          cycles(dirty));
        altpick_claim_pair(ret, &tally, less, dirty);
    }
    if (tally.n == 0)
        altpick_claim_untestable(ret, "no figures of %s saves and dirty ones (xstate.save)",
                                 altpick_condition_name(condition));
    else
        altpick_claim_decide(ret, &tally);
}

/* XSAVE and FXSAVE write everything, whatever is in use (SDM vol. 1, 13.7). */
static const char *const init_forms[] = {"xsavec.", "xsaveopt.", "xsaves.", NULL};
static const char *const modified_forms[] = {"xsaveopt.", "xsaves.", NULL};

static void test_vzeroall(const struct altpick_machine *machine, struct altpick_finding *ret)
{
    test_saves(machine, init_forms, ALTPICK_ZEROED, ret);
}

static void test_init_optimisation(const struct altpick_machine *machine,
                                   struct altpick_finding *ret)
{
    test_saves(machine, init_forms, ALTPICK_INIT, ret);
}

static void test_modified_optimisation(const struct altpick_machine *machine,
                                       struct altpick_finding *ret)
{
    test_saves(machine, modified_forms, ALTPICK_UNMODIFIED, ret);
}

/* clang-format off */
static const struct altpick_claim claims[] = {
    {
        .id = "cr0-read-4",
        .text = "Reading CR0 costs 4 cycles; within 10 % here.",
        .test = test_cr0_read,
    },
    {
        .id = "cr0-write-208",
        .text = "Writing CR0 costs 208 cycles; within 10 % here.",
        .test = test_cr0_write,
    },
    {
        .id = "nm-1156",
        .text = "The exception of a lazy restore (#NM by CR0.TS) costs 1156 cycles; within 10 % "
                "here.",
        .test = test_nm,
    },
    {
        .id = "eager-wins",
        .text = "Eager switching is cheaper than lazy: the lazy machinery costs more than it "
                "saves.",
        .test = test_eager_wins,
    },
    {
        .id = "integer-5-10",
        .text = "A lazy switch between tasks that use integers only is 5 to 10 % faster.",
        .test = test_integer_faster,
        .thread_says = "5 to 10 % of a whole context switch",
    },
    {
        .id = "vzeroall-helps",
        .text = "VZEROALL in user code makes the kernel's next save cheaper.",
        .test = test_vzeroall,
    },
    {
        .id = "init-optimisation",
        .text = "Saves skip components in their initial state and are cheaper then.",
        .test = test_init_optimisation,
    },
    {
        .id = "modified-optimisation",
        .text = "XSAVEOPT skips what was not modified since its restore and is cheaper then.",
        .test = test_modified_optimisation,
    },
};
/* clang-format on */

extern const struct altpick_claim_thread altpick_claim_thread_lazy_fpu_2015;
const struct altpick_claim_thread altpick_claim_thread_lazy_fpu_2015 = {
    .name = "lazy-fpu-2015",
    .title = "lazy or eager switching of the FPU",
    .source = "Linux kernel mailing list, 2015; cycles of the lazy machinery",
    .claims = claims,
    .n_claims = sizeof claims / sizeof *claims,
};
