/* SPDX-License-Identifier: MIT */
/* Claims of the 2017 thread about reference counters: true, false and untestable. */
#include "made_up.h"

#include <stdio.h>

static const char question[] = "refcount";
static struct made_up here;

static void verdict_is(const char *id, enum altpick_claim_verdict verdict)
{
    assert_int_equal(made_up_test(&here, "refcount-2017", id).verdict, verdict);
}

static void add(const char *variant, double cycles, uint32_t inc, uint32_t dec_and_test)
{
    char name[ALTPICK_NAME_MAX];

    snprintf(name, sizeof name, "%s.inc", variant);
    made_up_cost(&here, question, name, ALTPICK_WARM, cycles);
    made_up_candidate(&here, question, name)->instructions = inc;
    snprintf(name, sizeof name, "%s.dec_and_test", variant);
    made_up_cost(&here, question, name, ALTPICK_WARM, cycles);
    made_up_candidate(&here, question, name)->instructions = dec_and_test;
}

static void as_in_the_thread(void)
{
    made_up_init(&here);
    add("atomic", 19.15, 1, 2);
    add("fast", 19.14, 2, 3);
    add("full", 33.72, 8, 10);
}

static void counters_as_in_the_thread_confirm_it(void **state)
{
    struct altpick_finding finding;
    (void) state;

    as_in_the_thread();
    verdict_is("fast-is-free", ALTPICK_CLAIM_TRUE);
    verdict_is("full-costs-1.76", ALTPICK_CLAIM_TRUE);
    verdict_is("cycles-not-instructions", ALTPICK_CLAIM_TRUE);
    finding = made_up_test(&here, "refcount-2017", "fast-executes-more");
    assert_int_equal(finding.verdict, ALTPICK_CLAIM_TRUE);
    assert_non_null(strstr(finding.text,
                           "1.67 times; of the 5.2 that the thread counted, loop included, 1.38"));
}

static void other_counters_contradict_it(void **state)
{
    struct altpick_finding finding;
    (void) state;

    made_up_init(&here);
    add("atomic", 20, 10, 10);
    add("fast", 22, 10, 11);
    add("full", 20, 10, 10);
    finding = made_up_test(&here, "refcount-2017", "fast-is-free");
    assert_int_equal(finding.verdict, ALTPICK_CLAIM_FALSE);
    assert_int_equal(finding.excess_ppm, 100000);
    verdict_is("full-costs-1.76", ALTPICK_CLAIM_FALSE);
    verdict_is("fast-executes-more", ALTPICK_CLAIM_FALSE);
    verdict_is("cycles-not-instructions", ALTPICK_CLAIM_FALSE); /* both say the same */
}

static void without_figures_or_certainty_nothing_can_be_said(void **state)
{
    (void) state;
    made_up_init(&here);
    add("atomic", 20, 0, 0);
    verdict_is("fast-is-free", ALTPICK_CLAIM_UNTESTABLE);
    verdict_is("full-costs-1.76", ALTPICK_CLAIM_UNTESTABLE);
    add("fast", 22, 0, 0);
    verdict_is("fast-executes-more", ALTPICK_CLAIM_UNTESTABLE);
    verdict_is("cycles-not-instructions", ALTPICK_CLAIM_UNTESTABLE);
    made_up_doubt(&here, question, "fast.inc", ALTPICK_WARM);
    verdict_is("fast-is-free", ALTPICK_CLAIM_UNTESTABLE);
}

ALTPICK_TEST_MAIN(cmocka_unit_test(counters_as_in_the_thread_confirm_it),
                  cmocka_unit_test(other_counters_contradict_it),
                  cmocka_unit_test(without_figures_or_certainty_nothing_can_be_said))
