/* SPDX-License-Identifier: MIT */
/* The ruler and the canary: what every sample is read beside. */
#ifndef ALTPICK_CORE_REFERENCE_H
#define ALTPICK_CORE_REFERENCE_H

#include "altpick/measure.h"

enum { ALTPICK_TRIPS_MAX = 1 << 14 }; /* of one timed region of any block */

/* Where they are placed.  What is known of them is in the session, which outlives a process. */
struct altpick_reference {
    struct altpick_session *session;
    const struct altpick_timer *timer;
    struct altpick_block chain, canary, empty;
    uint64_t deadline_ticks; /* of timer->now: nothing is learnt after it, and the session is out of
                                time */
    uint64_t nothing_ticks;  /* that a single execution of nothing takes in this condition */
};

/* Ticks that a timed region lasts at least, so that the step of the clock does not show. */
uint64_t altpick_reference_region_ticks(const struct altpick_reference *reference);

/*
 * Trips of a placed @block, at most @max, that last about @region ticks.  Returns the timer's
 * error.
 */
int altpick_reference_find_trips(const struct altpick_reference *reference,
                                 const struct altpick_block *block, uint64_t region, uint32_t max,
                                 uint32_t *ret_trips);

/*
 * Place both, whose session and timer are set, and learn how fast the canary can be: at length in
 * a session's first step, which may spend patience, shortly in later ones.
 */
int altpick_reference_place(struct altpick_reference *reference);

/*
 * Read the ruler and the canary, again while a sibling thread is busy and there is patience left.
 * *ret_first_micro is the canary of the first reading, which is also the one after the sample
 * before; the other two are of the last.
 */
int altpick_reference_wait(const struct altpick_reference *reference, uint64_t *ret_first_micro,
                           uint64_t *ret_chain_ticks, uint64_t *ret_canary_micro);

/*
 * Core cycles of one copy of @block in millionths, by a ruler that took @chain_ticks; 0 where the
 * readings give no sample.  @warm untimed trips come first.
 */
int altpick_reference_time(const struct altpick_reference *reference,
                           const struct altpick_block *block, uint32_t warm, uint32_t trips,
                           uint64_t chain_ticks, uint64_t *ret_micro);

/*
 * Core cycles of one execution of @block, whose condition is one of single executions, in
 * millionths; 0 where the readings give no sample.  @is_warm: it is cheap and always the same, so
 * that a mean of several is worth it.
 */
int altpick_reference_shot(const struct altpick_reference *reference,
                           const struct altpick_block *block, bool is_warm, uint64_t chain_ticks,
                           uint64_t *ret_micro);

/*
 * Whether a sibling thread takes throughput away.  The ruler does not show it, the canary does: it
 * slows by at least a tenth against the best it did in @session.
 */
bool altpick_reference_is_slow(const struct altpick_session *session, uint64_t canary_micro);

#endif
