/* SPDX-License-Identifier: MIT */
/*
 * The figures of threads, decided: their authors' conclusions, for the CPU that
 * they had, and other ones where their figures change places.
 */
#include "altpick/decide.h"
#include "altpick/profile.h"

#include "known_find.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static struct altpick_machine machine_called(const char *name)
{
    struct altpick_machine machine;
    struct altpick_diag diag;
    size_t index = 0;

    if (altpick_known_find(name, &index, &diag) != ALTPICK_OK)
        fail_msg("%s", diag.text);
    assert_int_equal(altpick_known_machine(index, &machine, &diag), ALTPICK_OK);
    return machine;
}

/* Exchange the costs of two candidates in every condition. */
static void swap(struct altpick_machine *machine, const char *question, const char *a,
                 const char *b)
{
    const struct altpick_result *result = altpick_machine_result(machine, question);
    struct altpick_measurement *one =
        (struct altpick_measurement *) altpick_result_candidate(result, a);
    struct altpick_measurement *two =
        (struct altpick_measurement *) altpick_result_candidate(result, b);

    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
        struct altpick_cost cost = one->cost[c];

        one->cost[c] = two->cost[c];
        two->cost[c] = cost;
    }
}

static void decision_by(const struct altpick_policy *policy, const struct altpick_machine *machine,
                        const char *question, const char *item, const char *winner,
                        enum altpick_verdict verdict)
{
    struct altpick_decisions *decisions = calloc(1, sizeof *decisions);
    const struct altpick_decision *d;

    assert_non_null(decisions);
    altpick_decide(altpick_question_find(question), altpick_machine_result(machine, question),
                   policy, decisions);
    d = altpick_decision_find(decisions, item);
    assert_non_null(d);
    assert_string_equal(d->contest.entries[d->winner].name, winner);
    assert_int_equal(d->verdict, verdict);
    free(decisions);
}

/* What @item is decided to be for the machine itself. */
static void decision_is(const struct altpick_machine *machine, const char *question,
                        const char *item, const char *winner, enum altpick_verdict verdict)
{
    struct altpick_policy policy;

    altpick_policy_init(&policy);
    policy.target = ALTPICK_TARGET_THIS_CPU;
    decision_by(&policy, machine, question, item, winner, verdict);
}

/* What nobody knew before 2006: that AMD's FXRSTOR leaves the x87 pointers (CVE-2006-1056). */
static void forget_the_leak(struct altpick_machine *machine)
{
    const struct altpick_result *result = altpick_machine_result(machine, "fpu.init");
    struct altpick_measurement *fxrstor =
        (struct altpick_measurement *) altpick_result_candidate(result, "fxrstor");

    fxrstor->guarantee[ALTPICK_GUARANTEE_NO_LEAK_X87_POINTERS] = ALTPICK_GUARANTEE_IS_DECLARED;
}

static void cpus_of_2002_clear_registers(void **state)
{
    static const char *const names[] = {"Athlon-MP-1600-2002", "PIII-800-2002"};
    (void) state;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct altpick_machine machine = machine_called(names[i]);

        forget_the_leak(&machine);
        decision_is(&machine, "fpu.init", "fpu.init.body", "clear-2002-mem", ALTPICK_VERDICT_CLEAR);
        swap(&machine, "fpu.init", "clear-2002-mem", "fxrstor");
        decision_is(&machine, "fpu.init", "fpu.init.body", "fxrstor", ALTPICK_VERDICT_CLEAR);
        altpick_known_machine_fini(&machine);
    }
}

/* Guarantees filter first: whatever it costs, FXRSTOR alone is none for an Athlon. */
static void the_leak_of_the_athlon_is_known(void **state)
{
    struct altpick_machine athlon = machine_called("Athlon-MP-1600-2002");
    struct altpick_machine p3 = machine_called("PIII-800-2002");
    (void) state;

    decision_is(&athlon, "fpu.init", "fpu.init.body", "clear-2002-mem",
                ALTPICK_VERDICT_UNMEASURED); /* nothing else that is left has a figure */
    swap(&athlon, "fpu.init", "clear-2002-mem", "fxrstor");
    decision_is(&athlon, "fpu.init", "fpu.init.body", "clear-2002-mem", ALTPICK_VERDICT_UNMEASURED);
    decision_is(&p3, "fpu.init", "fpu.init.body", "clear-2002-mem", ALTPICK_VERDICT_CLEAR);
    altpick_known_machine_fini(&athlon);
    altpick_known_machine_fini(&p3);
}

/* By the extremes of single shots, rather than by the interval of their medians. */
static void a_cpu_whose_shots_overlap_is_decided_by_its_medians(void **state)
{
    struct altpick_machine machine = machine_called("Athlon-MP-1600-2002");
    const struct altpick_result *result = altpick_machine_result(&machine, "fpu.init");
    struct altpick_measurement *clear =
        (struct altpick_measurement *) altpick_result_candidate(result, "clear-2002-mem");
    struct altpick_measurement *fxrstor =
        (struct altpick_measurement *) altpick_result_candidate(result, "fxrstor");
    (void) state;

    forget_the_leak(&machine);
    clear->cost[ALTPICK_COLD_BOTH].high_micro = 2644000000;
    fxrstor->cost[ALTPICK_COLD_BOTH].low_micro = 2575000000;
    decision_is(&machine, "fpu.init", "fpu.init.body", "fxrstor", ALTPICK_VERDICT_UNDECIDED);
    altpick_known_machine_fini(&machine);
}

static void users_of_sse_need_no_fninit_in_2021_and_firmware_does(void **state)
{
    static const char *const names[] = {"Phenom-II-B77-2021", "Xeon-3070-2021", "E3-1280-v2-2021"};
    static const char question[] = "kernel-fpu.begin";
    (void) state;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct altpick_machine machine = machine_called(names[i]);

        decision_is(&machine, question, "kernel-fpu.begin.sse", "ldmxcsr", ALTPICK_VERDICT_CLEAR);
        decision_is(&machine, question, "kernel-fpu.begin.x87", "fninit",
                    ALTPICK_VERDICT_UNMEASURED);
        decision_is(&machine, question, "kernel-fpu.begin.efi", "both",
                    ALTPICK_VERDICT_ONLY_ELIGIBLE);
        swap(&machine, question, "ldmxcsr", "both");
        decision_is(&machine, question, "kernel-fpu.begin.sse", "both", ALTPICK_VERDICT_CLEAR);
        altpick_known_machine_fini(&machine);
    }
}

static void switching_is_eager_in_2015(void **state)
{
    struct altpick_machine machine = machine_called("Lazy-FPU-2015");
    (void) state;

    decision_is(&machine, "fpu.switch", "fpu.switch.policy", "eager-only", ALTPICK_VERDICT_PINNED);
    altpick_known_machine_fini(&machine);
}

static void measure(struct altpick_machine *machine, const char *candidate,
                    enum altpick_condition condition, uint64_t micro)
{
    const struct altpick_result *result = altpick_machine_result(machine, "fpu.switch");
    struct altpick_measurement *m =
        (struct altpick_measurement *) altpick_result_candidate(result, candidate);

    m->cost[condition] = (struct altpick_cost){
        .status = ALTPICK_STATUS_MEASURED,
        .count = 24,
        .cycles_micro = micro,
        .low_micro = micro,
        .high_micro = micro,
    };
}

/* The thread has no saves and restores: they are made up, as on CPUs of that
 * time. */
static void setting_cr0_ts_must_be_accepted_measured_and_cheap(void **state)
{
    struct altpick_machine machine = machine_called("Lazy-FPU-2015");
    static const char question[] = "fpu.switch", item[] = "fpu.switch.policy";
    struct altpick_policy accepts;
    (void) state;

    altpick_policy_init(&accepts);
    accepts.allow_lazy = true;
    measure(&machine, "xsaveopt", ALTPICK_WARM, 110000000);
    measure(&machine, "xsaveopt", ALTPICK_INIT, 80000000);
    measure(&machine, "xrstor", ALTPICK_WARM, 120000000);
    measure(&machine, "xrstor", ALTPICK_INIT, 100000000);
    decision_by(&accepts, &machine, question, item, "eager-only", ALTPICK_VERDICT_PINNED);
    measure(&machine, "cr0-read", ALTPICK_WARM, 4000000);
    measure(&machine, "cr0-write", ALTPICK_WARM, 208000000);
    measure(&machine, "clts", ALTPICK_WARM, 4000000);
    measure(&machine, "nm", ALTPICK_WARM, 1156000000);
    decision_by(&accepts, &machine, question, "fpu.switch.fpu-int", "eager-only",
                ALTPICK_VERDICT_TIE); /* with deferring, which is as much work */
    measure(&machine, "cr0-write", ALTPICK_WARM, 4000000);
    measure(&machine, "nm", ALTPICK_WARM, 8000000);
    decision_by(&accepts, &machine, question, item, "mixed", ALTPICK_VERDICT_CLEAR);
    decision_is(&machine, question, item, "eager-only", ALTPICK_VERDICT_TIE);
    altpick_known_machine_fini(&machine);
}

static const struct altpick_cost *pair_cost(const struct altpick_contest *contest, const char *name)
{
    for (size_t i = 0; i < contest->n_entries; i++) {
        if (strcmp(contest->entries[i].name, name) == 0)
            return &contest->entries[i].cost[ALTPICK_WARM];
    }
    fail_msg("no entry %s", name);
    return NULL;
}

/* What came after the thread is out: its figures cannot say anything of it. */
static void forget_xadd(struct altpick_machine *machine)
{
    struct altpick_result *result = &machine->results[0];

    for (size_t i = 0; i < result->n_candidates; i++) {
        if (strncmp(result->candidates[i].candidate.name, "xadd.", 5) == 0)
            strcpy(result->candidates[i].reason, "not thought of yet");
    }
}

static void the_fast_counter_of_2017_is_as_cheap_as_the_plain_one(void **state)
{
    const struct altpick_question *question = altpick_question_find("refcount");
    struct altpick_contest *contest;
    struct altpick_machine machine;
    struct altpick_policy policy;
    int64_t gain, low, high;
    (void) state;

    assert_non_null(question);
    machine = machine_called("Refcount-2017");
    contest = calloc(1, sizeof *contest);
    assert_non_null(contest);
    altpick_policy_init(&policy);
    question->item(question, 0, altpick_machine_result(&machine, "refcount"), &policy, NULL,
                   contest);
    altpick_gain(pair_cost(contest, "fast"), pair_cost(contest, "atomic"), &gain, &low, &high);
    assert_true(low > -10000 && high < 10000); /* within a percent */

    /* What the thread asked for, cheap and saturating, is a pin's to choose: it revives objects. */
    forget_xadd(&machine);
    strcpy(policy.pins[0].item, "refcount.implementation");
    strcpy(policy.pins[0].candidate, "fast");
    policy.n_pins = 1;
    decision_by(&policy, &machine, "refcount", "refcount.implementation", "fast",
                ALTPICK_VERDICT_PINNED);
    decision_is(&machine, "refcount", "refcount.implementation", "full",
                ALTPICK_VERDICT_ONLY_ELIGIBLE);
    free(contest);
    altpick_known_machine_fini(&machine);
}

ALTPICK_TEST_MAIN(cmocka_unit_test(cpus_of_2002_clear_registers),
                  cmocka_unit_test(the_leak_of_the_athlon_is_known),
                  cmocka_unit_test(a_cpu_whose_shots_overlap_is_decided_by_its_medians),
                  cmocka_unit_test(users_of_sse_need_no_fninit_in_2021_and_firmware_does),
                  cmocka_unit_test(the_fast_counter_of_2017_is_as_cheap_as_the_plain_one),
                  cmocka_unit_test(switching_is_eager_in_2015),
                  cmocka_unit_test(setting_cr0_ts_must_be_accepted_measured_and_cheap))
