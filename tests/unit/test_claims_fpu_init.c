/* SPDX-License-Identifier: MIT */
/* Claims of the 2002 thread about initialising the FPU: true, false and untestable. */
#include "made_up.h"

#include "altpick/xstate.h"

static const char question[] = "fpu.init";
static struct made_up here;

static void verdict_is(const char *id, enum altpick_claim_verdict verdict)
{
    assert_int_equal(made_up_test(&here, "fpu-init-2002", id).verdict, verdict);
}

static void warm(double fxrstor, double fninit)
{
    made_up_init(&here);
    made_up_cost(&here, question, "fxrstor", ALTPICK_WARM, fxrstor);
    made_up_cost(&here, "kernel-fpu.begin", "fninit", ALTPICK_WARM, fninit);
}

static void cycles_of_the_manual_hold_within_a_tenth(void **state)
{
    (void) state;
    made_up_init(&here);
    verdict_is("manual-fxrstor", ALTPICK_CLAIM_UNTESTABLE);
    verdict_is("manual-fninit", ALTPICK_CLAIM_UNTESTABLE);
    warm(62, 83);
    verdict_is("manual-fxrstor", ALTPICK_CLAIM_TRUE);
    verdict_is("manual-fninit", ALTPICK_CLAIM_TRUE);
    warm(118, 100);
    verdict_is("manual-fxrstor", ALTPICK_CLAIM_TRUE);
    verdict_is("manual-fninit", ALTPICK_CLAIM_TRUE);
    warm(60, 81);
    verdict_is("manual-fxrstor", ALTPICK_CLAIM_FALSE);
    verdict_is("manual-fninit", ALTPICK_CLAIM_FALSE);
    warm(120, 102);
    verdict_is("manual-fxrstor", ALTPICK_CLAIM_FALSE);
    verdict_is("manual-fninit", ALTPICK_CLAIM_FALSE);
}

static void measured_cycles_hold_within_a_tenth_and_excess_is_relative_to_them(void **state)
{
    struct altpick_finding finding;
    (void) state;

    made_up_init(&here);
    verdict_is("warm-fxrstor", ALTPICK_CLAIM_UNTESTABLE);
    verdict_is("warm-fninit", ALTPICK_CLAIM_UNTESTABLE);
    warm(230, 190);
    verdict_is("warm-fxrstor", ALTPICK_CLAIM_TRUE);
    verdict_is("warm-fninit", ALTPICK_CLAIM_TRUE);
    warm(54, 300);
    verdict_is("warm-fxrstor", ALTPICK_CLAIM_FALSE);
    finding = made_up_test(&here, "fpu-init-2002", "warm-fninit");
    assert_int_equal(finding.verdict, ALTPICK_CLAIM_FALSE);
    assert_int_equal(finding.excess_ppm, 500000);
}

static void cold(double fxrstor, double clear)
{
    made_up_init(&here);
    made_up_cost(&here, question, "fxrstor", ALTPICK_COLD_BOTH, fxrstor);
    made_up_cost(&here, question, "clear-2002-mem", ALTPICK_COLD_BOTH, clear);
}

static void fxrstor_is_slower_cold_or_not(void **state)
{
    (void) state;
    made_up_init(&here);
    verdict_is("cold-slower", ALTPICK_CLAIM_UNTESTABLE);
    cold(1158, 784);
    verdict_is("cold-slower", ALTPICK_CLAIM_TRUE);
    cold(784, 1158);
    verdict_is("cold-slower", ALTPICK_CLAIM_FALSE);
    cold(1000, 990);
    verdict_is("cold-slower", ALTPICK_CLAIM_FALSE); /* no difference is not slower */
    cold(1158, 784);
    made_up_doubt(&here, question, "fxrstor", ALTPICK_COLD_BOTH);
    verdict_is("cold-slower", ALTPICK_CLAIM_UNTESTABLE);
}

static void how_often_a_first_use_is_cold_is_not_measured_but_the_break_even_is(void **state)
{
    struct altpick_finding finding;
    (void) state;

    cold(1100, 800);
    made_up_cost(&here, question, "fxrstor", ALTPICK_WARM, 50);
    made_up_cost(&here, question, "clear-2002-mem", ALTPICK_WARM, 56);
    finding = made_up_test(&here, "fpu-init-2002", "first-use-cold");
    assert_int_equal(finding.verdict, ALTPICK_CLAIM_UNTESTABLE);
    assert_non_null(strstr(finding.text, "pays from 2.0 % of cold calls on")); /* 6 of 306 */
    verdict_is("worse-smp", ALTPICK_CLAIM_UNTESTABLE);
}

static void add_code(const char *name, uint32_t bytes, uint8_t first, enum altpick_data data)
{
    struct altpick_measurement *m = made_up_candidate(&here, question, name);

    m->candidate.code_bytes = bytes;
    m->candidate.code[0] = first;
    m->candidate.data = data;
}

static void bytes_are_counted_as_the_thread_counted_them(void **state)
{
    (void) state;
    made_up_init(&here);
    verdict_is("bytes", ALTPICK_CLAIM_UNTESTABLE);
    add_code("fxrstor", 4, 0x48, ALTPICK_DATA_FX_IMAGE);
    add_code("clear-2002-mem", 55, 0xdb, ALTPICK_DATA_MXCSR);
    verdict_is("bytes", ALTPICK_CLAIM_TRUE);
    add_code("clear-2002-mem", 75, 0xdb, ALTPICK_DATA_MXCSR);
    verdict_is("bytes", ALTPICK_CLAIM_FALSE);
    add_code("clear-2002-mem", 55, 0xdb, ALTPICK_DATA_MXCSR);
    add_code("fxrstor", 4, 0x48, ALTPICK_DATA_XSAVE_IMAGE);
    verdict_is("bytes", ALTPICK_CLAIM_FALSE);
}

static void add_leak(const char *name, enum altpick_guarantee_state state)
{
    made_up_result(&here, question)->components = 1u << ALTPICK_COMPONENT_YMM;
    made_up_candidate(&here, question, name)->guarantee[ALTPICK_GUARANTEE_NO_LEAK_YMM] =
        (uint8_t) state;
}

static void xorps_is_not_enough_where_a_leak_was_seen(void **state)
{
    struct altpick_finding finding;
    (void) state;

    made_up_init(&here);
    verdict_is("xorps-not-enough", ALTPICK_CLAIM_UNTESTABLE);
    add_leak("clear-16-mem", ALTPICK_GUARANTEE_IS_DECLARED);
    verdict_is("xorps-not-enough", ALTPICK_CLAIM_UNTESTABLE);
    add_leak("clear-16-mem", ALTPICK_GUARANTEE_IS_CONTRADICTED);
    finding = made_up_test(&here, "fpu-init-2002", "xorps-not-enough");
    assert_int_equal(finding.verdict, ALTPICK_CLAIM_TRUE);
    assert_string_equal(finding.text, "clear-16-mem leaves ymm");
    add_leak("clear-16-mem", ALTPICK_GUARANTEE_IS_CHECKED);
    verdict_is("xorps-not-enough", ALTPICK_CLAIM_FALSE);
    made_up_result(&here, question)->components = 1u << ALTPICK_COMPONENT_XMM;
    verdict_is("xorps-not-enough", ALTPICK_CLAIM_UNTESTABLE); /* there is no later state */
}

ALTPICK_TEST_MAIN(
    cmocka_unit_test(cycles_of_the_manual_hold_within_a_tenth),
    cmocka_unit_test(measured_cycles_hold_within_a_tenth_and_excess_is_relative_to_them),
    cmocka_unit_test(fxrstor_is_slower_cold_or_not),
    cmocka_unit_test(how_often_a_first_use_is_cold_is_not_measured_but_the_break_even_is),
    cmocka_unit_test(bytes_are_counted_as_the_thread_counted_them),
    cmocka_unit_test(xorps_is_not_enough_where_a_leak_was_seen))
