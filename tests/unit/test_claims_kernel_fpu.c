/* SPDX-License-Identifier: MIT */
/* Claims of the 2021 thread about kernel_fpu_begin: true, false and untestable. */
#include "made_up.h"

static const char question[] = "kernel-fpu.begin";
static struct made_up here;

static void verdict_is(const char *id, enum altpick_claim_verdict verdict)
{
    assert_int_equal(made_up_test(&here, "kernel-fpu-2021", id).verdict, verdict);
}

/* A routine of which so many percent are kept. */
static void add(enum altpick_condition condition, double ldmxcsr, double both)
{
    made_up_cost(&here, question, "none", condition, 140);
    made_up_cost(&here, question, "ldmxcsr", condition, 140 / ldmxcsr * 100);
    made_up_cost(&here, question, "both", condition, 140 / both * 100);
}

static void shares_are_kept_per_routine(void **state)
{
    struct altpick_finding finding;
    (void) state;

    made_up_init(&here);
    add(ALTPICK_PREFETCH_4096, 97, 72);
    add(ALTPICK_SSE_4096, 99, 73);
    add(ALTPICK_AVX2_4096, 97, 62);
    finding = made_up_test(&here, "kernel-fpu-2021", "selective-keeps-more");
    assert_int_equal(finding.verdict, ALTPICK_CLAIM_TRUE);
    assert_string_equal(finding.text, "% of speed kept (both reset): prefetch64-sse 97.0 (72.0), "
                                      "generic_sse 99.0 (73.0), AVX 97.0 (62.0)");
    verdict_is("sse-keeps-90", ALTPICK_CLAIM_TRUE);
    verdict_is("both-keep-88", ALTPICK_CLAIM_TRUE);
    verdict_is("avx-keeps-67", ALTPICK_CLAIM_FALSE);
}

static void shares_can_contradict_the_thread(void **state)
{
    (void) state;
    made_up_init(&here);
    add(ALTPICK_SSE_4096, 80, 95);
    add(ALTPICK_AVX2_4096, 70, 60);
    verdict_is("selective-keeps-more", ALTPICK_CLAIM_FALSE);
    verdict_is("sse-keeps-90", ALTPICK_CLAIM_FALSE);
    verdict_is("both-keep-88", ALTPICK_CLAIM_FALSE);
    verdict_is("avx-keeps-67", ALTPICK_CLAIM_TRUE);
}

static void resets_that_cost_the_same_keep_no_more(void **state)
{
    (void) state;
    made_up_init(&here);
    add(ALTPICK_SSE_4096, 97, 96);
    verdict_is("selective-keeps-more", ALTPICK_CLAIM_FALSE);
    made_up_doubt(&here, question, "both", ALTPICK_SSE_4096);
    verdict_is("selective-keeps-more", ALTPICK_CLAIM_UNTESTABLE);
}

static void without_figures_nothing_can_be_tested(void **state)
{
    static const char *const ids[] = {
        "selective-keeps-more", "sse-keeps-90",     "both-keep-88",  "avx-keeps-67",
        "no-fninit-for-sse",    "mmx-needs-fninit", "efi-needs-both"};
    (void) state;

    made_up_init(&here);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        verdict_is(ids[i], ALTPICK_CLAIM_UNTESTABLE);
    made_up_cost(&here, question, "ldmxcsr", ALTPICK_SSE_4096, 100); /* of what? */
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        verdict_is(ids[i], ALTPICK_CLAIM_UNTESTABLE);
}

static void promise(const char *candidate, enum altpick_guarantee guarantee,
                    enum altpick_guarantee_state state)
{
    made_up_candidate(&here, question, candidate)->guarantee[guarantee] = (uint8_t) state;
}

/* What a look finds of candidates that do what they are for. */
static void look(void)
{
    made_up_init(&here);
    promise("ldmxcsr", ALTPICK_GUARANTEE_INIT_MXCSR, ALTPICK_GUARANTEE_IS_CHECKED);
    promise("fninit", ALTPICK_GUARANTEE_INIT_X87_CONTROL, ALTPICK_GUARANTEE_IS_CHECKED);
    promise("both", ALTPICK_GUARANTEE_INIT_MXCSR, ALTPICK_GUARANTEE_IS_CHECKED);
    promise("both", ALTPICK_GUARANTEE_INIT_X87_CONTROL, ALTPICK_GUARANTEE_IS_CHECKED);
}

static void who_needs_fninit_follows_from_what_was_seen(void **state)
{
    (void) state;
    look();
    verdict_is("no-fninit-for-sse", ALTPICK_CLAIM_TRUE);
    verdict_is("mmx-needs-fninit", ALTPICK_CLAIM_TRUE);
    verdict_is("efi-needs-both", ALTPICK_CLAIM_TRUE);

    promise("ldmxcsr", ALTPICK_GUARANTEE_INIT_MXCSR, ALTPICK_GUARANTEE_IS_CONTRADICTED);
    promise("ldmxcsr", ALTPICK_GUARANTEE_INIT_X87_CONTROL, ALTPICK_GUARANTEE_IS_CHECKED);
    verdict_is("no-fninit-for-sse", ALTPICK_CLAIM_FALSE);
    verdict_is("mmx-needs-fninit", ALTPICK_CLAIM_FALSE);
    verdict_is("efi-needs-both", ALTPICK_CLAIM_FALSE);

    look();
    promise("fninit", ALTPICK_GUARANTEE_INIT_MXCSR, ALTPICK_GUARANTEE_IS_CHECKED);
    verdict_is("efi-needs-both", ALTPICK_CLAIM_FALSE);
}

static void what_is_only_declared_was_not_seen(void **state)
{
    (void) state;
    look();
    promise("ldmxcsr", ALTPICK_GUARANTEE_INIT_MXCSR, ALTPICK_GUARANTEE_IS_DECLARED);
    promise("fninit", ALTPICK_GUARANTEE_INIT_X87_CONTROL, ALTPICK_GUARANTEE_IS_DECLARED);
    promise("both", ALTPICK_GUARANTEE_INIT_X87_CONTROL, ALTPICK_GUARANTEE_IS_DECLARED);
    verdict_is("no-fninit-for-sse", ALTPICK_CLAIM_UNTESTABLE);
    verdict_is("mmx-needs-fninit", ALTPICK_CLAIM_UNTESTABLE);
    verdict_is("efi-needs-both", ALTPICK_CLAIM_UNTESTABLE);
}

ALTPICK_TEST_MAIN(cmocka_unit_test(shares_are_kept_per_routine),
                  cmocka_unit_test(shares_can_contradict_the_thread),
                  cmocka_unit_test(resets_that_cost_the_same_keep_no_more),
                  cmocka_unit_test(without_figures_nothing_can_be_tested),
                  cmocka_unit_test(who_needs_fninit_follows_from_what_was_seen),
                  cmocka_unit_test(what_is_only_declared_was_not_seen))
