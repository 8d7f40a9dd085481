/* SPDX-License-Identifier: MIT */
/* The integer estimator against exact arithmetic and known distributions. */
#include "altpick/cost.h"
#include "altpick/estimate.h"
#include "random.h"
#include "test.h"

#include <math.h>

static void ratio_is_within_two_millionths_of_exact(void **state)
{
    uint32_t random = altpick_random_seed(1);
    (void) state;

    for (unsigned i = 0; i < 300000; i++) {
        uint64_t ticks = (altpick_random(&random) >> altpick_random(&random) % 31) + 1u;
        uint64_t chain = (altpick_random(&random) >> altpick_random(&random) % 24) + 1u;
        uint64_t copies = (altpick_random(&random) >> 8 >> altpick_random(&random) % 23) + 1u;
        uint64_t steps = (altpick_random(&random) >> 16 >> altpick_random(&random) % 15) + 1u;
        uint64_t got = altpick_ratio_micro(ticks, copies, chain, steps);
        long double exact = (long double) ticks * (long double) steps / (long double) chain /
                            (long double) copies * 1e6L;

        if (got != 0 || exact < 1)
            assert_true(fabsl((long double) got - exact) <= 2);
    }
}

static void what_is_no_sample_gives_no_ratio(void **state)
{
    (void) state;
    assert_int_equal(altpick_ratio_micro(0, 1, 1, 1), 0);
    assert_int_equal(altpick_ratio_micro(1, 0, 1, 1), 0);
    assert_int_equal(altpick_ratio_micro(1, 1, 0, 1), 0);
    assert_int_equal(altpick_ratio_micro((uint64_t) -5, 1, 5, 1), 0);
    assert_int_equal(altpick_ratio_micro(5, 1, (uint64_t) -5, 1), 0);
    assert_int_equal(altpick_ratio_micro(UINT64_C(1) << 32, 1, 1, 1), 0);
    assert_int_equal(altpick_ratio_micro(1, 1u << 24, 1, 1), 0);
    assert_int_equal(altpick_ratio_micro(1, 1, 1, 1u << 16), 0);
    assert_int_equal(altpick_ratio_micro(0xffffffff, 1, 1, 65535), 0); /* over 2^43 cycles */
    assert_int_equal(altpick_ratio_micro(0xffffffff, 1, 1, 2000),
                     UINT64_C(0xffffffff) * 2000 * 1000000);
}

static void sorting_sorts_any_length(void **state)
{
    uint32_t random = altpick_random_seed(2);
    uint64_t values[200];
    (void) state;

    for (size_t n = 0; n < 200; n++) {
        for (size_t i = 0; i < n; i++)
            values[i] = altpick_random(&random) % 50;
        altpick_sort_u64(values, n);
        for (size_t i = 1; i < n; i++)
            assert_true(values[i - 1] <= values[i]);
    }
}

static void mode_ignores_outliers_on_either_side(void **state)
{
    static const uint64_t values[] = {2, 100, 101, 102, 900};
    (void) state;

    assert_in_range(altpick_half_sample_mode(values, 5), 100, 102);
    assert_int_equal(altpick_half_sample_mode(values, 1), 2);
    assert_int_equal(altpick_half_sample_mode(values, 2), 51);
}

static void mode_takes_the_middle_of_equally_dense_halves(void **state)
{
    /* A coarse clock: everything on a grid of 10.  The lowest densest half would be biased. */
    static const uint64_t values[] = {10, 20, 30, 40, 50, 60, 70};
    (void) state;

    assert_in_range(altpick_half_sample_mode(values, 7), 30, 50);
}

static void mean_of_the_middle_half_leaves_the_tails_out(void **state)
{
    static const uint64_t values[] = {0, 0, 10, 11, 12, 13, 1000, 1000};
    (void) state;

    assert_int_equal(altpick_mid_mean(values, 8), 12);
    assert_int_equal(altpick_mid_mean(values + 2, 1), 10);
}

static void fewer_than_two_layouts_are_no_measurement(void **state)
{
    uint64_t values[1] = {5}, scratch[1];
    struct altpick_cost cost;
    (void) state;

    altpick_cost_from_layouts(values, 1, scratch, &cost);
    assert_int_equal(cost.status, ALTPICK_STATUS_UNMEASURED);
    assert_false(altpick_cost_is_known(&cost));
}

/* Two kinds of layouts, a quarter of them dear: the interval must hold the mean, not one kind. */
static void mixed_layouts_give_a_narrow_interval_around_the_estimate(void **state)
{
    uint64_t values[72], scratch[72];
    struct altpick_cost cost;
    (void) state;

    for (size_t i = 0; i < 72; i++)
        values[i] = i % 4 == 1 ? 250000 : 167000;
    altpick_cost_from_layouts(values, 72, scratch, &cost);
    assert_int_equal(cost.status, ALTPICK_STATUS_MEASURED);
    assert_int_equal(cost.count, 72);
    assert_true(cost.low_micro <= cost.cycles_micro && cost.cycles_micro <= cost.high_micro);
    assert_true(cost.high_micro - cost.low_micro < 20000);
}

/* The interval is for the median of the estimates: it must hold it in nearly all repetitions. */
static void interval_covers_the_truth(void **state)
{
    uint32_t random = altpick_random_seed(3);
    unsigned covered = 0;
    (void) state;

    for (unsigned t = 0; t < 1000; t++) {
        uint64_t values[72], scratch[72];
        struct altpick_cost cost;

        for (size_t i = 0; i < 72; i++)
            values[i] = 100000 + altpick_random(&random) % 2001 - 1000;
        altpick_cost_from_layouts(values, 72, scratch, &cost);
        covered += cost.low_micro <= 100000 && 100000 <= cost.high_micro;
    }
    assert_in_range(covered, 930, 1000);
}

ALTPICK_TEST_MAIN(cmocka_unit_test(ratio_is_within_two_millionths_of_exact),
                  cmocka_unit_test(what_is_no_sample_gives_no_ratio),
                  cmocka_unit_test(sorting_sorts_any_length),
                  cmocka_unit_test(mode_ignores_outliers_on_either_side),
                  cmocka_unit_test(mode_takes_the_middle_of_equally_dense_halves),
                  cmocka_unit_test(mean_of_the_middle_half_leaves_the_tails_out),
                  cmocka_unit_test(fewer_than_two_layouts_are_no_measurement),
                  cmocka_unit_test(mixed_layouts_give_a_narrow_interval_around_the_estimate),
                  cmocka_unit_test(interval_covers_the_truth))
