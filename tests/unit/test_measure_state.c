/* SPDX-License-Identifier: MIT */
/* Conditions that are states: single executions, work behind a candidate, what a CPU lacks. */
#include "fake_timer.h"

/* Go on in @condition instead of hot. */
static void move_to(enum altpick_condition condition)
{
    plan.effort[condition].block_bytes = 256;
    plan.effort[ALTPICK_HOT].block_bytes = 0;
    free(session);
    session = calloc(1, altpick_session_bytes(&plan, N));
    assert_non_null(session);
    altpick_session_init(session, &plan, candidates, N, 1);
}

/* One copy, one trip, and never a run to warm it: that would be warm, not cold. */
static void a_single_execution_costs_its_ticks_less_those_of_nothing(void **state)
{
    struct altpick_cost cost;
    (void) state;
    start(6, 8, 1);
    fake.byte_milli = 10000;
    move_to(ALTPICK_COLD_BOTH);
    run_all();
    for (size_t i = 0; i < N_KNOWN; i++) {
        altpick_cost_estimate(session, i, ALTPICK_COLD_BOTH, &cost);
        assert_int_equal(cost.status, ALTPICK_STATUS_MEASURED);
        assert_int_equal(cost.count, 6);
        assert_int_equal(cost.cycles_micro, 10000000 * (i + 1));
    }
    assert_int_equal(fake.n_runs, 6 * plan.effort[ALTPICK_COLD_BOTH].rounds * N_KNOWN);
    for (uint32_t i = 0; i < fake.n_placed; i++)
        assert_int_equal(fake.placed[i].copies, 1);
}

static void a_single_execution_costs_a_tick_at_least(void **state)
{
    struct altpick_cost cost;
    (void) state;

    start(6, 8, 1);
    fake.byte_milli = 0;
    move_to(ALTPICK_COLD_CODE);
    run_all();
    altpick_cost_estimate(session, 2, ALTPICK_COLD_CODE, &cost);
    assert_int_equal(cost.status, ALTPICK_STATUS_MEASURED);
    assert_int_equal(cost.cycles_micro, 1000000);
}

static void what_work_follows_is_in_its_trip_but_once(void **state)
{
    struct altpick_cost cost;
    (void) state;
    start(6, 8, 1);
    move_to(ALTPICK_SSE_512);
    run_all();
    for (size_t i = 0; i < N_KNOWN; i++) { /* ticks are whole */
        altpick_cost_estimate(session, i, ALTPICK_SSE_512, &cost);
        assert_in_range(cost.cycles_micro, 499000 * (i + 1), 501000 * (i + 1));
    }
    for (uint32_t i = 0; i < fake.n_placed; i++)
        assert_int_equal(fake.placed[i].copies, 1);
}

static void a_condition_that_this_cpu_lacks_is_skipped(void **state)
{
    (void) state;
    start(6, 8, 1);
    move_to(ALTPICK_AVX512_512);
    session->lacking = 1u << ALTPICK_AVX512_512;
    assert_int_equal(run_all(), plan.batches);
    assert_int_equal(session->layouts_done[ALTPICK_AVX512_512], 0);
    assert_int_equal(fake.n_runs + fake.n_placed, 0);
}

static void a_candidate_that_needs_what_is_not_here_never_runs(void **state)
{
    struct altpick_cost cost;
    (void) state;

    start(6, 8, 1);
    session->state[1] = ALTPICK_CELL_LACKING;
    run_all();
    assert_true(fake.n_placed > 0);
    for (uint32_t i = 0; i < fake.n_placed; i++)
        assert_int_not_equal(fake.placed[i].candidate->code_bytes, 2);
    altpick_cost_estimate(session, 1, ALTPICK_HOT, &cost);
    assert_int_equal(cost.status, ALTPICK_STATUS_UNMEASURED);
}

ALTPICK_TEST_MAIN(
    cmocka_unit_test_teardown(a_single_execution_costs_its_ticks_less_those_of_nothing, finish),
    cmocka_unit_test_teardown(a_single_execution_costs_a_tick_at_least, finish),
    cmocka_unit_test_teardown(what_work_follows_is_in_its_trip_but_once, finish),
    cmocka_unit_test_teardown(a_condition_that_this_cpu_lacks_is_skipped, finish),
    cmocka_unit_test_teardown(a_candidate_that_needs_what_is_not_here_never_runs, finish))
