/* SPDX-License-Identifier: MIT */
/* The arithmetic of estimating, in integers: ratios, modes, means. */
#include "altpick/estimate.h"

uint64_t altpick_ratio_micro(uint64_t ticks, uint64_t copies, uint64_t chain_ticks,
                             uint64_t chain_steps)
{
    if (ticks == 0 || chain_ticks == 0 || copies == 0 || chain_steps == 0)
        return 0;
    if (ticks >> 32 || chain_ticks >> 32 || copies >> 24 || chain_steps >> 16)
        return 0; /* over a second of ticks, or a negative difference: no sample */

    /*
     * Without a 128-bit product: cycles of all copies are ticks * chain_steps / chain_ticks, kept
     * as quotient (below 2^48) and remainder; the division by copies then carries both remainders.
     */
    uint64_t product = ticks * chain_steps;
    uint64_t cycles = product / chain_ticks, rest = product % chain_ticks;
    uint64_t whole = cycles / copies, part = cycles % copies;

    if (whole >= UINT64_C(1) << 43)
        return 0;
    return whole * 1000000 + (part * 1000000 + rest * 1000000 / chain_ticks + copies / 2) / copies;
}

void altpick_sort_u64(uint64_t *values, size_t n)
{
    for (size_t gap = n / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11) {
        for (size_t i = gap; i < n; i++) {
            uint64_t x = values[i];
            size_t j = i;

            for (; j >= gap && values[j - gap] > x; j -= gap)
                values[j] = values[j - gap];
            values[j] = x;
        }
    }
}

static uint64_t middle(uint64_t low, uint64_t high)
{
    return low + (high - low) / 2;
}

/* The densest run of @half values among @n sorted ones; of several, the middle one. */
static size_t densest_half(const uint64_t *sorted, size_t n, size_t half)
{
    uint64_t best = UINT64_MAX;
    size_t first = 0, last = 0;

    for (size_t i = 0; i + half <= n; i++) {
        uint64_t width = sorted[i + half - 1] - sorted[i];

        if (width < best) {
            best = width;
            first = i;
        }
        if (width == best)
            last = i;
    }
    return first + (last - first) / 2;
}

uint64_t altpick_half_sample_mode(const uint64_t *sorted, size_t n)
{
    while (n > 3) {
        size_t half = (n + 1) / 2;

        sorted += densest_half(sorted, n, half);
        n = half;
    }
    if (n == 1)
        return sorted[0];
    if (n == 2)
        return middle(sorted[0], sorted[1]);

    uint64_t left = sorted[1] - sorted[0], right = sorted[2] - sorted[1];
    if (left == right)
        return sorted[1];
    return left < right ? middle(sorted[0], sorted[1]) : middle(sorted[1], sorted[2]);
}

uint64_t altpick_mid_mean(const uint64_t *sorted, size_t n)
{
    size_t first = n / 4, last = n - n / 4;
    uint64_t sum = 0;

    for (size_t i = first; i < last; i++)
        sum += sorted[i];
    return (sum + (last - first) / 2) / (last - first);
}
