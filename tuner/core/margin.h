/* SPDX-License-Identifier: MIT */
/* The last rule of a contest, apart from those that filter. */
#ifndef ALTPICK_CORE_MARGIN_H
#define ALTPICK_CORE_MARGIN_H

#include "altpick/decide.h"

/*
 * Decide @decision, whose contest is summed and whose preferred entry is set: winner, rival,
 * verdict, gain and distance, with a step of the trace.
 */
void altpick_margin_decide(struct altpick_decision *decision);

/* Whether @condition is part of the sum: it has a weight and was not dropped. */
bool altpick_contest_counts(const struct altpick_contest *contest, unsigned condition);

#endif
