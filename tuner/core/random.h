/* SPDX-License-Identifier: MIT */
/* A small seeded generator: the same seed, the same layouts. */
#ifndef ALTPICK_CORE_RANDOM_H
#define ALTPICK_CORE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* A state for @seed, never 0. */
uint32_t altpick_random_seed(uint32_t seed);

/* The next value (Marsaglia 2003, xorshift32). */
uint32_t altpick_random(uint32_t *state);

/* Put 0..n-1 into @order in a random order. */
void altpick_random_order(uint32_t *state, uint32_t *order, size_t n);

#endif
