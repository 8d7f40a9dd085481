/* SPDX-License-Identifier: MIT */
/* The generator that draws layouts. */
#include "random.h"
#include "test.h"

static void a_seed_gives_one_sequence_and_neighbours_another(void **state)
{
    uint32_t a = altpick_random_seed(1), b = altpick_random_seed(1), c = altpick_random_seed(2);
    (void) state;

    for (int i = 0; i < 100; i++) {
        uint32_t value = altpick_random(&a);

        assert_int_equal(value, altpick_random(&b));
        assert_int_not_equal(value, altpick_random(&c));
    }
}

static void no_seed_stops_the_generator(void **state)
{
    (void) state;
    assert_int_not_equal(altpick_random_seed(0x74597a89), 0); /* whose product would be 0 */
    assert_int_not_equal(altpick_random_seed(0), 0);
}

static void an_order_is_a_permutation(void **state)
{
    uint32_t random = altpick_random_seed(3), order[192];
    (void) state;

    for (uint32_t n = 0; n <= 192; n += 16) {
        uint8_t seen[192] = {0};

        altpick_random_order(&random, order, n);
        for (uint32_t i = 0; i < n; i++) {
            assert_in_range(order[i], 0, n - 1);
            assert_int_equal(seen[order[i]]++, 0);
        }
    }
}

static void every_place_is_met_about_equally_often(void **state)
{
    uint32_t random = altpick_random_seed(4), order[8], first[8] = {0};
    (void) state;

    for (int i = 0; i < 8000; i++) {
        altpick_random_order(&random, order, 8);
        first[order[0]]++;
    }
    for (int i = 0; i < 8; i++)
        assert_in_range(first[i], 900, 1100); /* three standard deviations: 89 */
}

ALTPICK_TEST_MAIN(cmocka_unit_test(a_seed_gives_one_sequence_and_neighbours_another),
                  cmocka_unit_test(no_seed_stops_the_generator),
                  cmocka_unit_test(an_order_is_a_permutation),
                  cmocka_unit_test(every_place_is_met_about_equally_often))
