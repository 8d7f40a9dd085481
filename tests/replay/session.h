/* SPDX-License-Identifier: MIT */
/* A whole probe of one question on a replayed machine, and its decisions. */
#ifndef ALTPICK_REPLAY_SESSION_H
#define ALTPICK_REPLAY_SESSION_H

#include "clock.h"

#include "altpick/decide.h"
#include "altpick/policy.h"

/* The function under test, or a mutation of it. */
typedef void replay_decide(const struct altpick_question *question,
                           const struct altpick_result *result, const struct altpick_policy *policy,
                           struct altpick_decisions *ret_decisions);

/* One candidate list, what was measured of it, what was decided.  Too large for a stack. */
struct replay_run {
    const struct altpick_question *question;
    struct altpick_candidate candidates[ALTPICK_CANDIDATES_MAX];
    size_t n_candidates;
    struct altpick_measurement measurements[ALTPICK_CANDIDATES_MAX];
    struct altpick_result result;
    struct altpick_decisions decisions;
    double probe_seconds; /* virtual time of measuring */
};

/* Memory for a run of @question with its built-in candidates; ends the process without memory. */
struct replay_run *replay_run_new(const struct altpick_question *question);

/* Permute the code behind names of equal length. */
void replay_run_shuffle(struct replay_run *run, uint64_t seed);

/*
 * Measure every candidate that @replay can price, hot only, by altpick's own session with its
 * stopping rule, into run->result; the others are unmeasured.  Ends the process when a step fails.
 */
void replay_run_measure(struct replay_run *run, struct replay *replay, uint32_t seed);

/* Decide from run->result for the CPU it was measured on, with default margins. */
void replay_run_decide(struct replay_run *run, replay_decide *decide);

/* The code of the winner of @decision; NULL when there is none. */
const struct altpick_candidate *replay_winner(const struct altpick_decision *decision);

#endif
