/* SPDX-License-Identifier: MIT */
/* The arithmetic of estimating, in integers: ratios, modes, means. */
#ifndef ALTPICK_ESTIMATE_H
#define ALTPICK_ESTIMATE_H

#include <stddef.h>
#include <stdint.h>

/*
 * (ticks / copies) / (chain_ticks / chain_steps) in millionths: core cycles per copy, since a step
 * of the chain is one cycle.  Returns 0 for anything that is no sample: zero or negative
 * differences (as huge unsigned values), 2^32 ticks and more, counts beyond 2^24 and 2^16.
 */
uint64_t altpick_ratio_micro(uint64_t ticks, uint64_t copies, uint64_t chain_ticks,
                             uint64_t chain_steps);

/* Sort ascending, in place. */
void altpick_sort_u64(uint64_t *values, size_t n);

/*
 * Half-sample mode of @n >= 1 sorted values (Robertson and Cryer 1974; Bickel 2002): the densest
 * half, again and again.  Where several halves are equally dense, as on a coarse clock, the middle.
 */
uint64_t altpick_half_sample_mode(const uint64_t *sorted, size_t n);

/* Mean of the middle half of @n >= 1 sorted values. */
uint64_t altpick_mid_mean(const uint64_t *sorted, size_t n);

#endif
