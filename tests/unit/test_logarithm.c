/* SPDX-License-Identifier: MIT */
/* Logarithms and geometric means in integers, against those of the C library. */
#include "logarithm.h"
#include "random.h"
#include "test.h"

#include <math.h>

enum { N_RANDOM = 20000 };

#define LAST_DIGIT (1.0 / (1 << 24))

static void assert_log2(uint64_t value)
{
    double is = (double) altpick_log2_q24(value) * LAST_DIGIT, is_right = log2((double) value);

    if (fabs(is - is_right) > LAST_DIGIT + 1e-9)
        fail_msg("log2(%llu) is %.9f, not %.9f", (unsigned long long) value, is, is_right);
}

static uint64_t random_below(uint32_t *random, unsigned bits)
{
    uint64_t value = (uint64_t) altpick_random(random) << 32 | altpick_random(random);

    return (value >> (64 - bits)) + 1;
}

static void powers_of_two_are_exact(void **state)
{
    (void) state;
    for (unsigned bit = 0; bit < 64; bit++)
        assert_int_equal(altpick_log2_q24(UINT64_C(1) << bit), (uint64_t) bit << 24);
}

static void logarithms_are_right_to_the_last_digit(void **state)
{
    uint32_t random = altpick_random_seed(1);
    (void) state;

    for (uint64_t value = 1; value < 5000; value++)
        assert_log2(value);
    for (unsigned bit = 1; bit < 63; bit++) {
        assert_log2((UINT64_C(1) << bit) - 1);
        assert_log2((UINT64_C(1) << bit) + 1);
    }
    for (unsigned i = 0; i < N_RANDOM; i++)
        assert_log2(random_below(&random, 1 + i % 63));
    assert_log2(UINT64_MAX);
}

static void logarithms_grow(void **state)
{
    (void) state;
    for (uint64_t value = 1; value < 100000; value++)
        assert_true(altpick_log2_q24(value) <= altpick_log2_q24(value + 1));
}

/* Six digits of the mean; of small values, the integer below or above. */
static void assert_mean(const uint64_t *values, size_t n)
{
    double sum = 0, is = (double) altpick_geometric_mean(values, n), is_right;

    for (size_t i = 0; i < n; i++)
        sum += log((double) values[i]);
    is_right = exp(sum / (double) n);
    if (fabs(is - is_right) > 1 + is_right * 1e-6)
        fail_msg("the mean of %zu values is %.1f, not %.3f", n, is, is_right);
}

static void means_are_right_to_six_digits(void **state)
{
    uint32_t random = altpick_random_seed(2);
    uint64_t values[12];
    (void) state;

    for (unsigned i = 0; i < N_RANDOM / 10; i++) {
        size_t n = 1 + i % 12;

        for (size_t k = 0; k < n; k++)
            values[k] = random_below(&random, 1 + (i / 3 + (unsigned) k * (i % 5)) % 40);
        assert_mean(values, n);
    }
}

static void the_mean_of_equals_is_what_they_are(void **state)
{
    static const uint64_t values[] = {1, 2, 100, 100000000, UINT64_C(1) << 40};
    (void) state;

    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const uint64_t same[3] = {values[i], values[i], values[i]};

        assert_mean(same, 1);
        assert_mean(same, 3);
    }
    assert_int_equal(altpick_geometric_mean((const uint64_t[]){1, 1}, 2), 1);
    assert_in_range(altpick_geometric_mean((const uint64_t[]){50, 200}, 2), 100, 100);
}

ALTPICK_TEST_MAIN(cmocka_unit_test(powers_of_two_are_exact),
                  cmocka_unit_test(logarithms_are_right_to_the_last_digit),
                  cmocka_unit_test(logarithms_grow),
                  cmocka_unit_test(means_are_right_to_six_digits),
                  cmocka_unit_test(the_mean_of_equals_is_what_they_are))
