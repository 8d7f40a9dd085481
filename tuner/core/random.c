/* SPDX-License-Identifier: MIT */
/* A small seeded generator: the same seed, the same layouts. */
#include "random.h"

uint32_t altpick_random_seed(uint32_t seed)
{
    /* Neighbouring seeds must not give neighbouring sequences. */
    uint32_t state = seed * 2654435761u ^ 0x9e3779b9u;

    return state ? state : 1;
}

uint32_t altpick_random(uint32_t *state)
{
    uint32_t x = *state;

    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return *state = x;
}

void altpick_random_order(uint32_t *state, uint32_t *order, size_t n)
{
    for (size_t i = 0; i < n; i++)
        order[i] = (uint32_t) i;
    for (size_t i = n; i > 1; i--) {
        size_t j = altpick_random(state) % i;
        uint32_t keep = order[i - 1];

        order[i - 1] = order[j];
        order[j] = keep;
    }
}
