/* SPDX-License-Identifier: MIT */
/* A CPU that has FXSAVE and nothing newer, played by this one: what is run and what is found. */
#include "altpick/clock.h"
#include "altpick/decide.h"
#include "altpick/look.h"
#include "session.h"
#include "test.h"

#include <stdlib.h>

static void forget(struct altpick_cpu *cpu, enum altpick_cpu_feature feature)
{
    cpu->features[feature / 32] &= ~(1u << feature % 32);
}

/* As a Pentium III or an Athlon 64 would say it. */
static void become_old(struct altpick_cpu *cpu)
{
    static const enum altpick_cpu_feature newer[] = {
        ALTPICK_CPU_XSAVE,    ALTPICK_CPU_OSXSAVE,  ALTPICK_CPU_AVX,      ALTPICK_CPU_AVX2,
        ALTPICK_CPU_AVX512F,  ALTPICK_CPU_AVX512BW, ALTPICK_CPU_AVX512VL, ALTPICK_CPU_AMX_TILE,
        ALTPICK_CPU_XSAVEOPT, ALTPICK_CPU_XSAVEC,   ALTPICK_CPU_XGETBV1,  ALTPICK_CPU_XSAVES};

    altpick_cpu_read(&altpick_cpuid_native, cpu);
    for (size_t i = 0; i < sizeof newer / sizeof *newer; i++)
        forget(cpu, newer[i]);
    cpu->xcr0 = 0;
}

static void measure(const char *question, struct altpick_result *ret_result)
{
    struct altpick_hosted_session hosted = {.question = altpick_question_find(question),
                                            .seed = 1,
                                            .stuck_ms = 1000,
                                            .keep_all = true,
                                            .deadline_ticks =
                                                altpick_clock_start() + (UINT64_C(1) << 40)};
    struct altpick_diag diag = {{0}};
    struct altpick_cpu cpu;

    become_old(&cpu);
    hosted.cpu = &cpu;
    altpick_plan_init(&cpu, false, &hosted.plan);
    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++)
        hosted.plan.effort[c].layouts = 3;
    assert_int_equal(altpick_hosted_session_run(&hosted, &diag), ALTPICK_OK);
    assert_int_equal(altpick_hosted_session_result(&hosted, ret_result, &diag), ALTPICK_OK);
    altpick_hosted_session_fini(&hosted);
}

static unsigned state_of(const struct altpick_result *result, const char *name, unsigned guarantee)
{
    const struct altpick_measurement *m = altpick_result_candidate(result, name);

    assert_non_null(m);
    assert_int_equal(m->status, ALTPICK_STATUS_MEASURED);
    return m->guarantee[guarantee];
}

static void without_xsave_the_state_is_x87_and_sse(void **state)
{
    static const unsigned legacy[] = {
        ALTPICK_GUARANTEE_NO_LEAK_X87, ALTPICK_GUARANTEE_NO_LEAK_X87_POINTERS,
        ALTPICK_GUARANTEE_NO_LEAK_X87_CONTROL, ALTPICK_GUARANTEE_NO_LEAK_MXCSR,
        ALTPICK_GUARANTEE_NO_LEAK_XMM};
    struct altpick_result result = {0};
    (void) state;

    measure("fpu.init", &result);
    assert_int_equal(result.components, 1u << ALTPICK_COMPONENT_X87 | 1u << ALTPICK_COMPONENT_XMM);
    for (size_t i = 0; i < sizeof legacy / sizeof *legacy; i++) {
        assert_int_equal(state_of(&result, "dispatch", legacy[i]), ALTPICK_GUARANTEE_IS_CHECKED);
        assert_int_equal(state_of(&result, "clear-16-mem", legacy[i]),
                         ALTPICK_GUARANTEE_IS_CHECKED);
    }
    assert_int_equal(state_of(&result, "clear-2002-mem", ALTPICK_GUARANTEE_NO_LEAK_XMM),
                     ALTPICK_GUARANTEE_IS_CONTRADICTED);
    assert_int_equal(state_of(&result, "clear-16-mem", ALTPICK_GUARANTEE_NO_LEAK_YMM),
                     ALTPICK_GUARANTEE_IS_NONE);
    assert_int_equal(altpick_result_candidate(&result, "xrstor-all")->status,
                     ALTPICK_STATUS_UNSUPPORTED);
    free(result.candidates);
}

/* The code for any CPU must run on this one, too, and by its other way. */
static void the_code_for_any_cpu_takes_its_other_way(void **state)
{
    struct altpick_result result = {0};
    struct altpick_policy policy;
    struct altpick_decisions *decisions = calloc(1, sizeof *decisions);
    const struct altpick_decision *body;
    (void) state;

    measure("fpu.init", &result);
    altpick_policy_init(&policy);
    assert_non_null(decisions);
    altpick_decide(altpick_question_find("fpu.init"), &result, &policy, decisions);
    body = altpick_decision_find(decisions, "fpu.init.body");
    assert_int_not_equal(body->winner, ALTPICK_NO_ENTRY);
    assert_string_equal(body->contest.entries[body->winner].name, "dispatch");
    free(decisions);
    assert_int_equal(state_of(&result, "dispatch", ALTPICK_GUARANTEE_INIT_X87),
                     ALTPICK_GUARANTEE_IS_CHECKED);
    free(result.candidates);
}

static void without_xsave_fxsave_is_what_saves(void **state)
{
    struct altpick_result result = {0};
    (void) state;

    measure("xstate.save", &result);
    assert_int_equal(state_of(&result, "fxsave", ALTPICK_GUARANTEE_SAVES_STATE),
                     ALTPICK_GUARANTEE_IS_CHECKED);
    assert_int_equal(altpick_result_candidate(&result, "xsave.x87-sse")->status,
                     ALTPICK_STATUS_UNSUPPORTED);
    assert_string_equal(altpick_result_candidate(&result, "xsavec.all")->reason,
                        "needs osxsave, which this CPU lacks");
    free(result.candidates);
}

static void kernel_sections_do_without_it(void **state)
{
    struct altpick_result result = {0};
    (void) state;

    measure("kernel-fpu.begin", &result);
    assert_int_equal(state_of(&result, "both", ALTPICK_GUARANTEE_INIT_MXCSR),
                     ALTPICK_GUARANTEE_IS_CHECKED);
    assert_int_equal(result.condition[ALTPICK_AVX2_512].status, ALTPICK_STATUS_UNSUPPORTED);
    assert_string_equal(result.condition[ALTPICK_AVX512_512].reason,
                        "needs avx512f, which this CPU lacks");
    free(result.candidates);
}

ALTPICK_TEST_MAIN(cmocka_unit_test(without_xsave_the_state_is_x87_and_sse),
                  cmocka_unit_test(the_code_for_any_cpu_takes_its_other_way),
                  cmocka_unit_test(without_xsave_fxsave_is_what_saves),
                  cmocka_unit_test(kernel_sections_do_without_it))
