/* SPDX-License-Identifier: MIT */
/* From samples to a cost: estimate and interval, in integers. */
#ifndef ALTPICK_COST_H
#define ALTPICK_COST_H

#include "altpick/measure.h"

#include <stddef.h>
#include <stdint.h>

/* Where a figure comes from, or why there is none.  Names are file format. */
#define ALTPICK_STATUSES(X)                                                                        \
    X(UNMEASURED, "unmeasured")                                                                    \
    X(MEASURED, "measured")                                                                        \
    X(PUBLISHED, "published")                                                                      \
    X(ESTIMATED, "estimated") /* computed from other figures; never changes a decision */         \
    X(UNSUPPORTED, "unsupported")                                                                  \
    X(FAULTED, "faulted")                                                                          \
    X(TIMED_OUT, "timed-out")

enum altpick_status {
#define X(id, name) ALTPICK_STATUS_##id,
    ALTPICK_STATUSES(X)
#undef X
    ALTPICK_N_STATUSES
};

const char *altpick_status_name(unsigned status); /* NULL when out of range */

/* Core cycles of one execution, in millionths.  low <= cycles <= high.  count: layouts behind it. */
struct altpick_cost {
    enum altpick_status status;
    uint32_t            count;
    uint64_t            cycles_micro, low_micro, high_micro;
};

/* Whether @cost is a figure that may take part in a decision (measured or published). */
int altpick_cost_is_known(const struct altpick_cost *cost);

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

/*
 * Cost from the estimates of single layouts, in the order in which they were measured.  The estimate
 * is the mean of the middle half.  The interval is by order statistics over nine consecutive groups
 * of layouts, each of which samples all alignments alike: the second smallest and second largest of
 * nine group estimates hold the median with 96 % (1 - 2 * (1 + 9) / 2^9), whatever the distribution.
 * With fewer than nine layouts it is their smallest and largest; with fewer than two there is no
 * cost.  @values and @n values of @scratch are the caller's.
 */
void altpick_cost_from_layouts(const uint64_t *values, size_t n, uint64_t *scratch,
                               struct altpick_cost *ret_cost);

/* Cost of @candidate in @condition from everything @session has measured so far. */
void altpick_cost_estimate(struct altpick_session *session, size_t candidate, unsigned condition,
                           struct altpick_cost *ret_cost);

#endif
