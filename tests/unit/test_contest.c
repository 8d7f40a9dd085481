/* SPDX-License-Identifier: MIT */
/* The rules of a contest, one by one, on figures made for them. */
#include "test.h"
#include "altpick/decide.h"

#include <stdio.h>
#include <string.h>

/* A contest of up to four candidates: the first is preferred. */
struct table {
    struct altpick_result result;
    struct altpick_measurement candidates[4];
    struct altpick_policy policy;
    struct altpick_contest contest;
};

static struct altpick_cost cost_of(uint64_t micro, uint64_t half_width)
{
    return (struct altpick_cost){.status = ALTPICK_STATUS_MEASURED,
                                 .count = 72,
                                 .cycles_micro = micro,
                                 .low_micro = micro - half_width,
                                 .high_micro = micro + half_width};
}

static void set_table(struct table *table, size_t n)
{
    static const char names[4][2] = {"a", "b", "c", "d"};

    memset(table, 0, sizeof *table);
    altpick_policy_init(&table->policy);
    table->policy.target = ALTPICK_TARGET_THIS_CPU;
    table->result.batches = 3;
    table->result.condition[ALTPICK_HOT].asked = true;
    table->result.condition[ALTPICK_L1I_MISS].asked = true;
    table->result.candidates = table->candidates;
    table->result.n_candidates = n;
    for (size_t i = 0; i < n; i++) {
        snprintf(table->candidates[i].candidate.name, ALTPICK_NAME_MAX, "%s", names[i]);
        table->candidates[i].status = ALTPICK_STATUS_MEASURED;
        table->candidates[i].cost[ALTPICK_HOT] = cost_of(1000000, 2000);
        table->candidates[i].cost[ALTPICK_L1I_MISS] = cost_of(1000000, 2000);
    }
}

static const struct altpick_question question = {.name = "test"};

static void prepare(struct table *table)
{
    altpick_contest_init(&table->contest, &question, "1", &table->result, &table->policy);
    for (size_t i = 0; i < table->result.n_candidates; i++)
        altpick_contest_add(&table->contest, table->candidates[i].candidate.name,
                            &table->candidates[i]);
}

static void run(struct table *table, struct altpick_decision *decision)
{
    prepare(table);
    altpick_contest_run(&table->contest, &table->policy, decision);
}

static void set_cost(struct table *table, size_t i, uint64_t hot, uint64_t miss)
{
    table->candidates[i].cost[ALTPICK_HOT] = cost_of(hot, hot / 500);
    table->candidates[i].cost[ALTPICK_L1I_MISS] = cost_of(miss, miss / 500);
}

static struct altpick_decision d;
static struct table t;

static void equals_tie_and_keep_the_preferred_form(void **state)
{
    (void) state;
    set_table(&t, 2);
    run(&t, &d);
    assert_int_equal(d.verdict, ALTPICK_VERDICT_TIE);
    assert_int_equal(d.winner, 0);
    assert_false(d.displaced);
    assert_true(d.distance_ppm > 0);
}

static void a_clear_win_replaces_the_preferred_form(void **state)
{
    (void) state;
    set_table(&t, 2);
    set_cost(&t, 1, 900000, 900000);
    run(&t, &d);
    assert_int_equal(d.verdict, ALTPICK_VERDICT_CLEAR);
    assert_int_equal(d.winner, 1);
    assert_true(d.displaced);
    assert_in_range(d.gain_ppm, 99000, 101000);
    assert_in_range(d.distance_ppm, 40000, 50000);
}

static void a_gain_within_the_margin_is_a_tie(void **state)
{
    (void) state;
    set_table(&t, 2);
    set_cost(&t, 1, 970000, 970000);
    run(&t, &d);
    assert_int_equal(d.verdict, ALTPICK_VERDICT_TIE);
    assert_int_equal(d.winner, 0);
}

static void an_interval_across_the_margin_is_undecided_and_keeps(void **state)
{
    (void) state;
    set_table(&t, 2);
    t.candidates[1].cost[ALTPICK_HOT] = cost_of(945000, 20000);
    t.candidates[1].cost[ALTPICK_L1I_MISS] = cost_of(945000, 20000);
    run(&t, &d);
    assert_int_equal(d.verdict, ALTPICK_VERDICT_UNDECIDED);
    assert_int_equal(d.winner, 0);
    assert_true(d.distance_ppm < 0);
}

static void a_preferred_form_that_leads_clearly_says_so(void **state)
{
    (void) state;
    set_table(&t, 2);
    set_cost(&t, 1, 1200000, 1200000);
    run(&t, &d);
    assert_int_equal(d.verdict, ALTPICK_VERDICT_CLEAR);
    assert_false(d.displaced);
}

static void the_weighted_sum_decides_not_one_condition(void **state)
{
    (void) state;
    set_table(&t, 2);
    set_cost(&t, 1, 800000, 1190000); /* 20 % better hot, 19 % worse missing: 0.5 % together */
    run(&t, &d);
    assert_int_equal(d.winner, 0);

    t.policy.n_weights = 1;
    snprintf(t.policy.weights[0].question, ALTPICK_NAME_MAX, "test");
    t.policy.weights[0].condition = ALTPICK_L1I_MISS;
    t.policy.weights[0].weight = 0;
    run(&t, &d);
    assert_int_equal(d.winner, 1);
}

static void who_must_win_each_condition_needs_both(void **state)
{
    (void) state;
    set_table(&t, 2);
    set_cost(&t, 1, 1000000, 100000);
    prepare(&t);
    t.contest.entries[1].must_win_each = true;
    altpick_contest_run(&t.contest, &t.policy, &d);
    assert_int_equal(d.winner, 0);

    set_cost(&t, 1, 900000, 100000);
    prepare(&t);
    t.contest.entries[1].must_win_each = true;
    altpick_contest_run(&t.contest, &t.policy, &d);
    assert_int_equal(d.winner, 1);
}

static void an_exception_must_win_by_its_handicap_too(void **state)
{
    (void) state;
    set_table(&t, 2);
    set_cost(&t, 1, 920000, 920000);
    prepare(&t);
    t.contest.entries[1].handicap_permille = 50;
    altpick_contest_run(&t.contest, &t.policy, &d);
    assert_int_equal(d.winner, 0);
    assert_int_equal(d.verdict, ALTPICK_VERDICT_TIE);
}

static void a_missing_guarantee_is_never_bought_back(void **state)
{
    (void) state;
    set_table(&t, 2);
    set_cost(&t, 1, 100000, 100000);
    t.candidates[0].guarantee[ALTPICK_GUARANTEE_ONE_INSTRUCTION] = ALTPICK_GUARANTEE_IS_DECLARED;
    t.policy.n_requires = 1;
    snprintf(t.policy.requires[0].question, ALTPICK_NAME_MAX, "test");
    t.policy.requires[0].guarantee = ALTPICK_GUARANTEE_ONE_INSTRUCTION;
    run(&t, &d);
    assert_int_equal(d.verdict, ALTPICK_VERDICT_ONLY_ELIGIBLE);
    assert_int_equal(d.winner, 0);
}

static void a_contradicted_guarantee_disqualifies(void **state)
{
    (void) state;
    set_table(&t, 3);
    set_cost(&t, 1, 100000, 100000);
    t.candidates[1].guarantee[ALTPICK_GUARANTEE_ONE_INSTRUCTION] =
        ALTPICK_GUARANTEE_IS_CONTRADICTED;
    run(&t, &d);
    assert_int_equal(d.winner, 0);
    assert_non_null(d.contest.entries[1].out);
}

static void what_faulted_or_hung_is_out(void **state)
{
    (void) state;
    set_table(&t, 4);
    for (size_t i = 1; i < 4; i++)
        set_cost(&t, i, 100000, 100000);
    t.candidates[1].status = ALTPICK_STATUS_FAULTED;
    t.candidates[2].status = ALTPICK_STATUS_TIMED_OUT;
    t.candidates[3].status = ALTPICK_STATUS_UNSUPPORTED;
    run(&t, &d);
    assert_int_equal(d.winner, 0);
    assert_int_equal(d.verdict, ALTPICK_VERDICT_ONLY_ELIGIBLE);
}

static void faster_here_but_toxic_elsewhere_is_vetoed(void **state)
{
    (void) state;
    set_table(&t, 3);
    set_cost(&t, 1, 500000, 500000);
    prepare(&t);
    t.contest.entries[1].elsewhere = ALTPICK_ELSEWHERE_TOXIC;
    t.policy.target = ALTPICK_TARGET_ANY_X86_64;
    altpick_contest_run(&t.contest, &t.policy, &d);
    assert_int_equal(d.verdict, ALTPICK_VERDICT_VETOED);
    assert_int_equal(d.winner, 0);

    t.policy.target = ALTPICK_TARGET_THIS_CPU;
    prepare(&t);
    t.contest.entries[1].elsewhere = ALTPICK_ELSEWHERE_TOXIC;
    altpick_contest_run(&t.contest, &t.policy, &d);
    assert_int_equal(d.winner, 1);
}

static void a_pin_beats_figures_but_not_guarantees(void **state)
{
    (void) state;
    set_table(&t, 2);
    set_cost(&t, 1, 2000000, 2000000);
    t.policy.n_pins = 1;
    snprintf(t.policy.pins[0].item, sizeof t.policy.pins[0].item, "test.1");
    snprintf(t.policy.pins[0].candidate, ALTPICK_NAME_MAX, "b");
    run(&t, &d);
    assert_int_equal(d.verdict, ALTPICK_VERDICT_PINNED);
    assert_int_equal(d.winner, 1);

    t.candidates[0].guarantee[ALTPICK_GUARANTEE_ONE_INSTRUCTION] = ALTPICK_GUARANTEE_IS_DECLARED;
    t.policy.n_requires = 1;
    snprintf(t.policy.requires[0].question, ALTPICK_NAME_MAX, "test");
    run(&t, &d);
    assert_int_equal(d.winner, 0);
}

static void a_condition_missing_for_all_drops_and_is_named(void **state)
{
    (void) state;
    set_table(&t, 2);
    set_cost(&t, 1, 500000, 500000);
    for (size_t i = 0; i < 2; i++)
        t.candidates[i].cost[ALTPICK_L1I_MISS].status = ALTPICK_STATUS_UNMEASURED;
    run(&t, &d);
    assert_true(d.contest.dropped[ALTPICK_L1I_MISS]);
    assert_int_equal(d.winner, 1);
}

static void who_misses_what_others_have_cannot_win(void **state)
{
    (void) state;
    set_table(&t, 3);
    set_cost(&t, 1, 100000, 100000);
    t.candidates[1].cost[ALTPICK_L1I_MISS].status = ALTPICK_STATUS_UNMEASURED;
    run(&t, &d);
    assert_int_equal(d.winner, 0);
    assert_int_equal(d.contest.entries[1].sum.status, ALTPICK_STATUS_UNMEASURED);
}

static void a_preferred_form_without_figures_is_kept_as_unmeasured(void **state)
{
    (void) state;
    set_table(&t, 2);
    t.candidates[0].cost[ALTPICK_HOT].status = ALTPICK_STATUS_UNMEASURED;
    run(&t, &d);
    assert_int_equal(d.verdict, ALTPICK_VERDICT_UNMEASURED);
    assert_int_equal(d.winner, 0);
}

static void estimates_never_change_a_decision(void **state)
{
    (void) state;
    set_table(&t, 2);
    set_cost(&t, 1, 100000, 100000);
    t.candidates[1].cost[ALTPICK_HOT].status = ALTPICK_STATUS_ESTIMATED;
    t.candidates[1].cost[ALTPICK_L1I_MISS].status = ALTPICK_STATUS_ESTIMATED;
    run(&t, &d);
    assert_int_equal(d.winner, 0);
}

static void one_batch_decides_only_beyond_a_quarter(void **state)
{
    (void) state;
    set_table(&t, 2);
    t.result.batches = 1;
    set_cost(&t, 1, 800000, 800000);
    run(&t, &d);
    assert_int_equal(d.winner, 0);
    assert_int_equal(d.verdict, ALTPICK_VERDICT_UNDECIDED); /* neither equal nor clear */
    set_cost(&t, 1, 990000, 990000);
    run(&t, &d);
    assert_int_equal(d.verdict, ALTPICK_VERDICT_TIE);
    set_cost(&t, 1, 700000, 700000);
    run(&t, &d);
    assert_int_equal(d.winner, 1);
}

static void among_clear_winners_within_the_margin_the_most_preferred_wins(void **state)
{
    (void) state;
    set_table(&t, 3);
    set_cost(&t, 1, 710000, 710000);
    set_cost(&t, 2, 700000, 700000);
    run(&t, &d);
    assert_int_equal(d.winner, 1);
    set_cost(&t, 1, 800000, 800000);
    run(&t, &d);
    assert_int_equal(d.winner, 2);
}

ALTPICK_TEST_MAIN(cmocka_unit_test(equals_tie_and_keep_the_preferred_form),
                  cmocka_unit_test(a_clear_win_replaces_the_preferred_form),
                  cmocka_unit_test(a_gain_within_the_margin_is_a_tie),
                  cmocka_unit_test(an_interval_across_the_margin_is_undecided_and_keeps),
                  cmocka_unit_test(a_preferred_form_that_leads_clearly_says_so),
                  cmocka_unit_test(the_weighted_sum_decides_not_one_condition),
                  cmocka_unit_test(who_must_win_each_condition_needs_both),
                  cmocka_unit_test(an_exception_must_win_by_its_handicap_too),
                  cmocka_unit_test(a_missing_guarantee_is_never_bought_back),
                  cmocka_unit_test(a_contradicted_guarantee_disqualifies),
                  cmocka_unit_test(what_faulted_or_hung_is_out),
                  cmocka_unit_test(faster_here_but_toxic_elsewhere_is_vetoed),
                  cmocka_unit_test(a_pin_beats_figures_but_not_guarantees),
                  cmocka_unit_test(a_condition_missing_for_all_drops_and_is_named),
                  cmocka_unit_test(who_misses_what_others_have_cannot_win),
                  cmocka_unit_test(a_preferred_form_without_figures_is_kept_as_unmeasured),
                  cmocka_unit_test(estimates_never_change_a_decision),
                  cmocka_unit_test(one_batch_decides_only_beyond_a_quarter),
                  cmocka_unit_test(among_clear_winners_within_the_margin_the_most_preferred_wins))
