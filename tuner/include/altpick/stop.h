/* SPDX-License-Identifier: MIT */
/* When to stop measuring what: unreachable conditions, settled candidates. */
#ifndef ALTPICK_STOP_H
#define ALTPICK_STOP_H

#include "altpick/decide.h"
#include "altpick/measure.h"

#include <stdbool.h>
#include <stdint.h>

/* A condition counts as reached when the median candidate costs this much more than in the one
 * before. */
enum { ALTPICK_REACHED_PERCENT = 110 };

/*
 * Check that a block size reaches the condition that it stands for: legacy-decode must cost more
 * than hot, l1i-miss more than the best before it.  A core whose uop cache covers L1I never decodes
 * a block that L1I holds.  Begins a condition that fails again with its larger block, if it has
 * one, else stops it for good; returns the bits of all stopped ones.  Called after every step, it
 * decides from the second layout on.  @ret_percent (NULL: not wanted): the cost in each condition
 * against the one before it, median over candidates; 0 unknown.
 */
uint32_t altpick_stop_unreached(struct altpick_session *session,
                                uint32_t ret_percent[ALTPICK_N_CONDITIONS]);

/*
 * Settle candidates that lose so clearly (by more than a third, whole interval, to the winner of
 * every contest they are in) that more samples change nothing.  @scratch is the caller's.
 */
void altpick_stop_settle(struct altpick_session *session, const struct altpick_question *question,
                         const struct altpick_result *so_far, struct altpick_decisions *scratch);

/*
 * After the planned batches: make active the candidates of contests that are undecided, or decided
 * by less than 0.3 points, and settle all others.  Returns how many are active: with none, an extra
 * batch is not worth it.  @scratch is the caller's.
 */
uint32_t altpick_stop_focus(struct altpick_session *session,
                            const struct altpick_question *question,
                            const struct altpick_result *so_far, struct altpick_decisions *scratch);

/*
 * How long @question is measured before no batch beyond the planned ones begins, in milliseconds of
 * a CPU's time.  Quiet machines need less.
 */
uint64_t altpick_stop_extra_ms(const struct altpick_question *question);

/*
 * Between batches: give candidates whose code depends on costs their code (once, after the first
 * batch), and make those that waited for it active.
 */
void altpick_stop_wake(struct altpick_session *session, const struct altpick_question *question,
                       const struct altpick_result *so_far);

/*
 * Then settle what is far behind, or, after the planned batches, focus on what is open.  Returns
 * whether there is another batch; after the planned ones only where @may_extend.
 */
bool altpick_stop_between(struct altpick_session *session, const struct altpick_question *question,
                          const struct altpick_result *so_far, bool may_extend,
                          struct altpick_decisions *scratch);

#endif
