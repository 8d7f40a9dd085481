/* SPDX-License-Identifier: MIT */
/* When measuring ends: conditions that are not reached, candidates that are settled or open. */
#include "altpick/cost.h"
#include "altpick/stop.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 4, LAYOUTS = 4, CONTESTS = 2 };

static struct altpick_session *session;
static struct altpick_measurement measurements[N];
static struct altpick_result result;
static struct altpick_decisions decisions;

/* Two contests: the first two candidates, then all of them. */
static void item(const struct altpick_question *question, size_t index,
                 const struct altpick_result *so_far, const struct altpick_policy *policy,
                 const struct altpick_decision *earlier, struct altpick_contest *ret_contest)
{
    (void) earlier;
    altpick_contest_init(ret_contest, question, index ? "all" : "two", so_far, policy);
    for (size_t i = 0; i < (index ? (size_t) N : 2); i++)
        altpick_contest_add(ret_contest, so_far->candidates[i].candidate.name,
                            &so_far->candidates[i]);
}

static const struct altpick_question question = {.name = "test", .n_items = CONTESTS, .item = item};

static int set_up(void **state)
{
    struct altpick_candidate candidates[N];
    const struct altpick_cpu cpu = {0};
    struct altpick_plan plan;
    (void) state;

    memset(candidates, 0, sizeof candidates);
    altpick_plan_init(&cpu, false, &plan);
    plan.effort[ALTPICK_LEGACY_DECODE].retry_bytes = 0;
    plan.effort[ALTPICK_L1I_MISS].retry_bytes = 0;
    for (size_t i = 0; i < N; i++) {
        snprintf(candidates[i].name, ALTPICK_NAME_MAX, "%c", (char) ('a' + i));
        candidates[i].code_bytes = 1;
    }
    session = calloc(1, altpick_session_bytes(&plan, N));
    assert_non_null(session);
    altpick_session_init(session, &plan, candidates, N, 1);

    memset(measurements, 0, sizeof measurements);
    result = (struct altpick_result){.batches = 3, .candidates = measurements, .n_candidates = N};
    result.condition[ALTPICK_HOT].asked = true;
    for (size_t i = 0; i < N; i++) {
        measurements[i].candidate = candidates[i];
        measurements[i].status = ALTPICK_STATUS_MEASURED;
    }
    return 0;
}

static int tear_down(void **state)
{
    (void) state;
    free(session);
    return 0;
}

/* Every sample of every candidate in @condition says @micro. */
static void measured(unsigned condition, uint32_t layouts, uint64_t micro)
{
    for (size_t i = 0; i < N; i++) {
        for (uint32_t l = 0; l < layouts; l++) {
            uint64_t *rounds = altpick_session_layout(session, i, condition, l);

            for (uint32_t k = 0; k < session->plan.effort[condition].rounds; k++)
                rounds[k] = micro;
        }
    }
    session->layouts_done[condition] = layouts;
}

static void costs(size_t i, uint64_t micro, uint64_t half_width)
{
    measurements[i].cost[ALTPICK_HOT] = (struct altpick_cost){.status = ALTPICK_STATUS_MEASURED,
                                                              .count = 24,
                                                              .cycles_micro = micro,
                                                              .low_micro = micro - half_width,
                                                              .high_micro = micro + half_width};
}

static void a_condition_that_costs_what_hot_costs_is_stopped(void **state)
{
    uint32_t percent[ALTPICK_N_CONDITIONS] = {0};
    (void) state;

    measured(ALTPICK_HOT, LAYOUTS, 100000);
    measured(ALTPICK_LEGACY_DECODE, LAYOUTS, 101000);
    measured(ALTPICK_L1I_MISS, LAYOUTS, 300000);
    assert_int_equal(altpick_stop_unreached(session, percent), 1u << ALTPICK_LEGACY_DECODE);
    assert_int_equal(session->stopped, 1u << ALTPICK_LEGACY_DECODE);
    assert_int_equal(percent[ALTPICK_LEGACY_DECODE], 101);
    assert_int_equal(percent[ALTPICK_L1I_MISS], 300); /* of hot: the one between is not reached */
}

static void a_tenth_more_is_reached(void **state)
{
    uint32_t percent[ALTPICK_N_CONDITIONS] = {0};
    (void) state;

    measured(ALTPICK_HOT, LAYOUTS, 100000);
    measured(ALTPICK_LEGACY_DECODE, LAYOUTS, 110000);
    measured(ALTPICK_L1I_MISS, LAYOUTS, 119900);
    assert_int_equal(altpick_stop_unreached(session, percent), 1u << ALTPICK_L1I_MISS);
    assert_int_equal(percent[ALTPICK_LEGACY_DECODE], 110);
    assert_int_equal(percent[ALTPICK_L1I_MISS], 109); /* of legacy-decode */
}

static void a_larger_block_is_tried_once(void **state)
{
    struct altpick_effort *effort = &session->plan.effort[ALTPICK_L1I_MISS];
    (void) state;

    effort->retry_bytes = 2 * effort->block_bytes;
    measured(ALTPICK_HOT, LAYOUTS, 100000);
    measured(ALTPICK_L1I_MISS, LAYOUTS, 101000);
    assert_int_equal(altpick_stop_unreached(session, NULL), 0);
    assert_int_equal(effort->block_bytes, effort->retry_bytes);
    assert_int_equal(session->layouts_done[ALTPICK_L1I_MISS], 0);

    measured(ALTPICK_L1I_MISS, LAYOUTS, 101000);
    assert_int_equal(altpick_stop_unreached(session, NULL), 1u << ALTPICK_L1I_MISS);
}

static void one_layout_says_nothing_yet(void **state)
{
    (void) state;
    measured(ALTPICK_HOT, LAYOUTS, 100000);
    measured(ALTPICK_LEGACY_DECODE, 1, 100000);
    assert_int_equal(altpick_stop_unreached(session, NULL), 0);
    assert_int_equal(session->stopped, 0);
}

/* Else a condition with two layouts would count as measured because others got more. */
static void what_was_stopped_stays_unreached(void **state)
{
    (void) state;
    measured(ALTPICK_HOT, LAYOUTS, 100000);
    measured(ALTPICK_LEGACY_DECODE, 2, 109000);
    assert_int_equal(altpick_stop_unreached(session, NULL), 1u << ALTPICK_LEGACY_DECODE);
    measured(ALTPICK_HOT, LAYOUTS, 98000);
    assert_int_equal(altpick_stop_unreached(session, NULL), 1u << ALTPICK_LEGACY_DECODE);
}

static void who_loses_by_a_third_in_each_contest_is_settled(void **state)
{
    (void) state;
    costs(0, 1000000, 2000);
    costs(1, 1020000, 2000);
    costs(2, 1480000, 2000); /* the winner gains 32.4 % on it */
    costs(3, 1520000, 2000); /* 34.2 % */
    altpick_stop_settle(session, &question, &result, &decisions);
    assert_int_equal(session->state[0], ALTPICK_CELL_ACTIVE);
    assert_int_equal(session->state[1], ALTPICK_CELL_ACTIVE);
    assert_int_equal(session->state[2], ALTPICK_CELL_ACTIVE);
    assert_int_equal(session->state[3], ALTPICK_CELL_SETTLED);
}

static void a_wide_interval_settles_nothing(void **state)
{
    (void) state;
    for (size_t i = 0; i < N; i++)
        costs(i, 1000000, 2000);
    costs(3, 1600000, 200000);
    altpick_stop_settle(session, &question, &result, &decisions);
    assert_int_equal(session->state[3], ALTPICK_CELL_ACTIVE);
}

static void who_is_needed_in_one_contest_goes_on(void **state)
{
    (void) state;
    /* b is far behind c among all, and equal to a where only the two meet. */
    costs(0, 2000000, 2000);
    costs(1, 2000000, 2000);
    costs(2, 1000000, 2000);
    costs(3, 2000000, 2000);
    altpick_stop_settle(session, &question, &result, &decisions);
    assert_int_equal(session->state[1], ALTPICK_CELL_ACTIVE);
    assert_int_equal(session->state[3], ALTPICK_CELL_SETTLED);
}

static void what_has_no_figure_is_not_settled(void **state)
{
    (void) state;
    costs(0, 1000000, 2000);
    costs(1, 1000000, 2000);
    costs(2, 1000000, 2000);
    session->state[3] = ALTPICK_CELL_FAULTED;
    altpick_stop_settle(session, &question, &result, &decisions);
    assert_int_equal(session->state[3], ALTPICK_CELL_FAULTED);
    session->state[3] = ALTPICK_CELL_ACTIVE;
    altpick_stop_settle(session, &question, &result, &decisions);
    assert_int_equal(session->state[3], ALTPICK_CELL_ACTIVE);
}

static void decided_contests_need_no_extra_batch(void **state)
{
    (void) state;
    costs(0, 1000000, 1000);
    for (size_t i = 1; i < N; i++)
        costs(i, 1000000, 1000);
    assert_int_equal(altpick_stop_focus(session, &question, &result, &decisions), 0);
    for (size_t i = 0; i < N; i++)
        assert_int_equal(session->state[i], ALTPICK_CELL_SETTLED);
}

static void an_open_contest_keeps_its_candidates_active(void **state)
{
    (void) state;
    costs(0, 1000000, 1000);
    costs(1, 1000000, 1000);
    costs(2, 950000, 5000); /* across the margin, in the second contest only */
    costs(3, 2000000, 1000);
    session->state[0] = ALTPICK_CELL_SETTLED; /* may be woken */
    assert_int_equal(altpick_stop_focus(session, &question, &result, &decisions), 3);
    assert_int_equal(session->state[0], ALTPICK_CELL_ACTIVE);
    assert_int_equal(session->state[2], ALTPICK_CELL_ACTIVE);
    assert_int_equal(session->state[3], ALTPICK_CELL_SETTLED); /* its loss is beyond doubt */
}

static void close_to_the_margin_is_open_too(void **state)
{
    (void) state;
    for (size_t i = 0; i < N; i++)
        costs(i, 1000000, 0);
    costs(2, 952000, 0); /* gain 4.8 %: a tie, 0.2 points from the margin */
    assert_int_equal(altpick_stop_focus(session, &question, &result, &decisions), N);
    costs(2, 954000, 0); /* 0.4 points */
    assert_int_equal(altpick_stop_focus(session, &question, &result, &decisions), 0);
}

static void what_faulted_or_waits_is_never_woken(void **state)
{
    (void) state;
    for (size_t i = 0; i < N; i++)
        costs(i, 1000000, 1000);
    costs(2, 950000, 5000);
    session->state[0] = ALTPICK_CELL_FAULTED;
    session->state[1] = ALTPICK_CELL_WAITING;
    assert_int_equal(altpick_stop_focus(session, &question, &result, &decisions), 2);
    assert_int_equal(session->state[0], ALTPICK_CELL_FAULTED);
    assert_int_equal(session->state[1], ALTPICK_CELL_WAITING);
}

/* A contest that names none of the candidates: what it compares is computed from them. */
static void item_computed(const struct altpick_question *asked, size_t index,
                          const struct altpick_result *so_far, const struct altpick_policy *policy,
                          const struct altpick_decision *earlier,
                          struct altpick_contest *ret_contest)
{
    (void) index;
    (void) earlier;
    altpick_contest_init(ret_contest, asked, "sums", so_far, policy);
    for (size_t i = 0; i < N; i++) {
        altpick_contest_add(ret_contest, so_far->candidates[i].candidate.name,
                            &so_far->candidates[i]);
        ret_contest->entries[i].measurement = NULL;
    }
}

static void what_serves_computed_entries_is_open_while_they_are(void **state)
{
    const struct altpick_question computed = {.name = "test", .n_items = 1, .item = item_computed};
    (void) state;

    for (size_t i = 0; i < N; i++)
        costs(i, 1000000, 0);
    costs(2, 952000, 0); /* 0.2 points from the margin */
    assert_int_equal(altpick_stop_focus(session, &computed, &result, &decisions), N);
    costs(2, 900000, 0);
    assert_int_equal(altpick_stop_focus(session, &computed, &result, &decisions), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

ALTPICK_TEST_MAIN(TEST(a_condition_that_costs_what_hot_costs_is_stopped),
                  TEST(a_tenth_more_is_reached), TEST(one_layout_says_nothing_yet),
                  TEST(what_was_stopped_stays_unreached), TEST(a_larger_block_is_tried_once),
                  TEST(who_loses_by_a_third_in_each_contest_is_settled),
                  TEST(a_wide_interval_settles_nothing), TEST(who_is_needed_in_one_contest_goes_on),
                  TEST(what_has_no_figure_is_not_settled),
                  TEST(decided_contests_need_no_extra_batch),
                  TEST(an_open_contest_keeps_its_candidates_active),
                  TEST(close_to_the_margin_is_open_too),
                  TEST(what_serves_computed_entries_is_open_while_they_are),
                  TEST(what_faulted_or_waits_is_never_woken))
