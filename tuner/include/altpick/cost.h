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
    X(ESTIMATED, "estimated") /* computed from other figures; never changes a decision */          \
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

/* Core cycles of one execution, in millionths.  low <= cycles <= high.  count: layouts behind it.
 */
struct altpick_cost {
    enum altpick_status status;
    uint32_t count;
    uint64_t cycles_micro, low_micro, high_micro;
};

/* Whether @cost is a figure that may take part in a decision (measured or published). */
int altpick_cost_is_known(const struct altpick_cost *cost);

/*
 * Cost from the estimates of single layouts, in the order in which they were measured.  The
 * estimate is the mean of the middle half.  The interval is by order statistics over nine
 * consecutive groups of layouts, each of which samples all alignments alike: the second smallest
 * and second largest of nine group estimates hold the median with 96 % (1 - 2 * (1 + 9) / 2^9),
 * whatever the distribution. With fewer than nine layouts it is their smallest and largest; with
 * fewer than two there is no cost.  @values and @n values of @scratch are the caller's.
 */
void altpick_cost_from_layouts(const uint64_t *values, size_t n, uint64_t *scratch,
                               struct altpick_cost *ret_cost);

/* Cost of @candidate in @condition from everything @session has measured so far. */
void altpick_cost_estimate(struct altpick_session *session, size_t candidate, unsigned condition,
                           struct altpick_cost *ret_cost);

#endif
