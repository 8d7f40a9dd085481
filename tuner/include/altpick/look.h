/* SPDX-License-Identifier: MIT */
/* Candidates run to see whether they do what they promise, before any of them is timed. */
#ifndef ALTPICK_LOOK_H
#define ALTPICK_LOOK_H

#include "altpick/live.h"
#include "altpick/measure.h"
#include "altpick/question.h"
#include "altpick/xstate.h"

#include <stdint.h>

/* What a look works with.  Memory is the caller's. */
struct altpick_looking {
    struct altpick_session *session; /* looked, held and observed are written here */
    const struct altpick_live *live;
    const struct altpick_timer *timer;
    const struct altpick_question *question; /* set by altpick_look_session() */
};

/*
 * Look at every candidate of @session that has code, may run here and was not looked at, by
 * @question->look: session->looked gets the guarantees that could be seen, session->held those of
 * them that hold.  session->running names the candidate that runs.  The caller's x87 and vector
 * state is initial afterwards.
 */
int altpick_look_session(const struct altpick_question *question, struct altpick_looking *looking);

/*
 * Looks for fpu.init and kernel-fpu.begin: the state is filled with two patterns, the candidate
 * runs after each, and what is left is saved and compared by component: with each other (no-leak)
 * and with the initial state (exact-init); XINUSE is read.  What two patterns cannot tell apart
 * when nothing runs between (the x87 pointers of some CPUs) is not looked at.
 */
altpick_look altpick_look_state;

/*
 * For xstate.save: a filled state is saved by the candidate, everything is changed, and a restore
 * must bring every component of the candidate's set back.
 */
altpick_look altpick_look_save;

/*
 * For refcount: the counter is driven to each of enum altpick_count, the candidate runs, and what
 * it left, returned and reported goes to session->observed.  Guarantees are looked for with larger
 * amounts as well, where the operation takes one.  Needs question->counter.
 */
altpick_look altpick_look_count;

#endif
