/* SPDX-License-Identifier: MIT */
/* Candidates run once before they are timed, to see what they change. */
#ifndef ALTPICK_CHECK_H
#define ALTPICK_CHECK_H

#include "altpick/live.h"
#include "altpick/measure.h"
#include "altpick/question.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Run every candidate of @session that has code and was not looked at yet, in @live's arena: once
 * with every register and flag filled with one pattern, once with its complement.  What it changed
 * goes to session->changed; a candidate that changed more than @may_change is breached and is never
 * timed.  session->running names the candidate that runs, for whoever is left when it does not
 * return.  The caller's own state is as before, x87 and SSE registers included.  Returns
 * ALTPICK_EFAULT where running nothing already changes something, so that a check would say
 * nothing.
 */
int altpick_check_session(struct altpick_session *session, const struct altpick_live *live,
                          const struct altpick_timer *timer, uint32_t may_change);

/* Words for @changed (bit n: enum altpick_register n): "clobbered rbp, changed MXCSR". */
void altpick_check_text(uint32_t changed, char *ret_text, size_t capacity);

#endif
