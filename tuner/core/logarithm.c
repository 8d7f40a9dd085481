/* SPDX-License-Identifier: MIT */
/* Turns values into their geometric mean through binary logarithms, in integers. */
#include "logarithm.h"

enum { DIGITS = 24, MANTISSA_BITS = 31, MEAN_BITS = 41 };

/* Squaring a number between 1 and 2 gives one binary digit of its logarithm at a time. */
uint64_t altpick_log2_q24(uint64_t value)
{
    unsigned whole = 63u - (unsigned) __builtin_clzll(value);
    uint64_t x =
        whole > MANTISSA_BITS ? value >> (whole - MANTISSA_BITS) : value << (MANTISSA_BITS - whole);
    uint64_t result = whole;

    for (unsigned i = 0; i < DIGITS; i++) {
        x = x * x >> MANTISSA_BITS;
        result <<= 1;
        if (x >> (MANTISSA_BITS + 1)) {
            x >>= 1;
            result |= 1;
        }
    }
    return result;
}

/* The value whose logarithm is the mean of theirs, found bit by bit. */
uint64_t altpick_geometric_mean(const uint64_t *values, size_t n)
{
    uint64_t sum = 0, mean = 0;

    for (size_t i = 0; i < n; i++)
        sum += altpick_log2_q24(values[i]);
    for (unsigned bit = MEAN_BITS; bit-- > 0;) {
        uint64_t more = mean | UINT64_C(1) << bit;

        if (altpick_log2_q24(more) <= sum / n)
            mean = more;
    }
    return mean;
}
