/* SPDX-License-Identifier: MIT */
/* Which block runs where and when, on a clock that knows what each block costs. */
#include "fake_timer.h"

static void costs_are_what_the_clock_says(void **state)
{
    struct altpick_cost cost;
    (void) state;

    start(18, 8, 1);
    assert_int_equal(run_all(), plan.batches);
    assert_int_equal(session->layouts_done[ALTPICK_HOT], 18);
    for (size_t i = 0; i < N_KNOWN; i++) {
        altpick_cost_estimate(session, i, ALTPICK_HOT, &cost);
        assert_int_equal(cost.status, ALTPICK_STATUS_MEASURED);
        assert_int_equal(cost.count, 18);
        assert_int_equal(cost.cycles_micro, 500000 * (i + 1));
    }
    assert_int_equal(session->samples_quiet, 18 * plan.effort[ALTPICK_HOT].rounds * N_KNOWN);
    assert_int_equal(session->samples_busy, 0);
    assert_int_equal(session->canary_best_micro, CANARY_MILLI * 1000);
}

static void code_that_is_not_known_yet_is_never_placed(void **state)
{
    struct altpick_cost cost;
    (void) state;

    start(6, 8, 1);
    run_all();
    for (uint32_t i = 0; i < fake.n_placed; i++)
        assert_int_not_equal(fake.placed[i].candidate->code_bytes, 0);
    altpick_cost_estimate(session, N_KNOWN, ALTPICK_HOT, &cost);
    assert_int_equal(cost.status, ALTPICK_STATUS_UNMEASURED);
}

static void sixty_four_layouts_meet_every_offset_once(void **state)
{
    uint32_t met[64] = {0};
    (void) state;

    start(66, 8, 7);
    run_all();
    assert_int_equal(fake.n_placed, 66 * N_KNOWN);
    for (uint32_t i = 0; i < 64 * N_KNOWN; i++)
        met[fake.placed[i].offset_bytes]++;
    for (size_t i = 0; i < 64; i++)
        assert_int_equal(met[i], N_KNOWN);
}

static void candidates_never_share_a_slot(void **state)
{
    (void) state;
    start(30, N_KNOWN, 3);
    run_all();
    for (uint32_t i = 0; i < fake.n_placed; i += N_KNOWN) {
        uint32_t used = 0;

        for (uint32_t k = 0; k < N_KNOWN; k++)
            used |= 1u << fake.placed[i + k].slot;
        assert_int_equal(used, (1u << N_KNOWN) - 1);
    }
}

static void a_small_arena_is_used_in_turns(void **state)
{
    struct altpick_cost cost;
    (void) state;

    start(6, 1, 3);
    run_all();
    for (uint32_t i = 0; i < fake.n_placed; i++)
        assert_int_equal(fake.placed[i].slot, 0);
    altpick_cost_estimate(session, 2, ALTPICK_HOT, &cost);
    assert_int_equal(cost.cycles_micro, 1500000);
}

static void equal_seeds_give_equal_layouts(void **state)
{
    static struct fake first;
    (void) state;

    start(6, 8, 5);
    run_all();
    first = fake;
    start(6, 8, 5);
    run_all();
    assert_int_equal(fake.n_placed, first.n_placed);
    for (uint32_t i = 0; i < fake.n_placed; i++) {
        assert_int_equal(fake.placed[i].slot, first.placed[i].slot);
        assert_int_equal(fake.placed[i].offset_bytes, first.placed[i].offset_bytes);
    }
}

static void nothing_runs_between_warming_and_timing(void **state)
{
    (void) state;
    start(18, 8, 1);
    run_all();
    assert_int_equal(fake.cold_runs, 0);
}

/* The difference of two runs is negative where the shorter one met an interrupt. */
static void a_negative_difference_is_no_sample(void **state)
{
    uint32_t before, per_layout;
    (void) state;

    /* Runs: of the first layout, then in the second until a short run of its first sample. */
    start(6, 8, 1);
    assert_int_equal(step(), 0);
    before = fake.n_runs;
    per_layout = N_KNOWN * 2; /* warm, as many trips as last time */
    fake.late_run = before + per_layout + 2;
    assert_int_equal(step(), 0);

    size_t missing = 0;
    for (size_t i = 0; i < N_KNOWN; i++) {
        const uint64_t *rounds = altpick_session_layout(session, i, ALTPICK_HOT, 1);

        for (uint32_t k = 0; k < plan.effort[ALTPICK_HOT].rounds; k++) {
            missing += rounds[k] == 0;
            if (rounds[k])
                assert_int_equal(altpick_sample_micro(rounds[k]), 500000 * (i + 1));
        }
    }
    assert_int_equal(missing, 1);
}

static void a_busy_sibling_marks_what_it_disturbed(void **state)
{
    struct altpick_cost cost;
    (void) state;

    start(18, 8, 1);
    plan.patience_ticks = 0;
    session->patience_ticks = 0;
    assert_int_equal(step(), 0);
    fake.busy_after = fake.n_runs * 9;
    run_all();
    assert_true(session->samples_quiet > 0);
    assert_true(session->samples_busy > 0);
    /* It costs half as much again beside it; what counts is the quiet half. */
    altpick_cost_estimate(session, 1, ALTPICK_HOT, &cost);
    assert_int_equal(cost.cycles_micro, 1000000);
    assert_true(cost.count < 18);
}

static void patience_ends(void **state)
{
    (void) state;
    start(6, 8, 1);
    assert_int_equal(step(), 0);
    session->patience_ticks = 20000;
    fake.slow_percent = 150;
    assert_int_equal(step(), 0);
    assert_true(session->patience_ticks < 20000);
    assert_int_equal(session->layouts_done[ALTPICK_HOT], 2);
}

static void past_the_deadline_nothing_is_sampled(void **state)
{
    bool batch_done = false, done = false;
    (void) state;

    start(6, 8, 1);
    fake.now = 1000;
    assert_int_equal(altpick_session_step(session, &timer, 999, &batch_done, &done), 0);
    assert_true(done);
    assert_int_equal(session->out_of_time, 1);
    for (size_t i = 0; i < N_KNOWN; i++)
        assert_int_equal(*altpick_session_layout(session, i, ALTPICK_HOT, 0), 0);
}

static void the_running_candidate_can_be_blamed(void **state)
{
    (void) state;
    start(6, 8, 1);
    fake.fail_run = 1;
    assert_int_equal(step(), ALTPICK_EFAULT);
    assert_int_equal(session->layouts_done[ALTPICK_HOT], 0);

    /* Left out, the others go on with the same layout. */
    session->state[0] = ALTPICK_CELL_FAULTED;
    assert_int_equal(step(), 0);
    assert_int_equal(session->layouts_done[ALTPICK_HOT], 1);
    assert_int_equal(session->running, UINT32_MAX);
    assert_int_equal(*altpick_session_layout(session, 0, ALTPICK_HOT, 0), 0);
}

static void a_stopped_condition_has_no_more_layouts(void **state)
{
    (void) state;
    start(6, 8, 1);
    session->stopped = 1u << ALTPICK_HOT;
    run_all();
    assert_int_equal(session->layouts_done[ALTPICK_HOT], 0);
    assert_int_equal(fake.n_runs, 0);
}

static void blocks_follow_the_size_of_the_cache(void **state)
{
    struct altpick_cpu cpu = {.l1i_bytes = 64 << 10};
    struct altpick_plan p;
    (void) state;

    altpick_plan_init(&cpu, false, &p);
    assert_int_equal(p.effort[ALTPICK_LEGACY_DECODE].block_bytes, 24 << 10);
    assert_int_equal(p.effort[ALTPICK_L1I_MISS].block_bytes, 96 << 10);
    cpu.l1i_bytes = 16 << 10;
    altpick_plan_init(&cpu, false, &p);
    assert_int_equal(p.effort[ALTPICK_LEGACY_DECODE].block_bytes, 12 << 10);
    cpu.l1i_bytes = 0; /* CPUID does not say */
    altpick_plan_init(&cpu, true, &p);
    assert_int_equal(p.effort[ALTPICK_L1I_MISS].block_bytes, 64 << 10);
    assert_true(p.effort[ALTPICK_HOT].layouts * (p.batches + p.extra_batches) / p.batches <=
                ALTPICK_LAYOUTS_MAX);
}

ALTPICK_TEST_MAIN(cmocka_unit_test_teardown(costs_are_what_the_clock_says, finish),
                  cmocka_unit_test_teardown(code_that_is_not_known_yet_is_never_placed, finish),
                  cmocka_unit_test_teardown(sixty_four_layouts_meet_every_offset_once, finish),
                  cmocka_unit_test_teardown(candidates_never_share_a_slot, finish),
                  cmocka_unit_test_teardown(a_small_arena_is_used_in_turns, finish),
                  cmocka_unit_test_teardown(equal_seeds_give_equal_layouts, finish),
                  cmocka_unit_test_teardown(nothing_runs_between_warming_and_timing, finish),
                  cmocka_unit_test_teardown(a_negative_difference_is_no_sample, finish),
                  cmocka_unit_test_teardown(a_busy_sibling_marks_what_it_disturbed, finish),
                  cmocka_unit_test_teardown(patience_ends, finish),
                  cmocka_unit_test_teardown(past_the_deadline_nothing_is_sampled, finish),
                  cmocka_unit_test_teardown(the_running_candidate_can_be_blamed, finish),
                  cmocka_unit_test_teardown(a_stopped_condition_has_no_more_layouts, finish),
                  cmocka_unit_test(blocks_follow_the_size_of_the_cache))
