/* SPDX-License-Identifier: MIT */
/* Turns a replay clock into a result and decisions, as a probe does with a real one. */
#include "session.h"

#include "altpick/cost.h"
#include "altpick/err.h"
#include "altpick/stop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double other_conditions_seconds = 0.12; /* between the hot parts of a probe */

static void *new_zeroed(size_t bytes)
{
    void *p = calloc(1, bytes);

    if (!p) {
        perror("replay");
        exit(EXIT_FAILURE);
    }
    return p;
}

struct replay_run *replay_run_new(const struct altpick_question *question)
{
    struct replay_run *run = new_zeroed(sizeof *run);

    run->question = question;
    run->n_candidates = question->candidates(question, run->candidates);
    return run;
}

void replay_run_shuffle(struct replay_run *run, uint64_t seed)
{
    for (size_t i = run->n_candidates; i-- > 1;) {
        size_t same[ALTPICK_CANDIDATES_MAX], n_same = 0;
        struct altpick_candidate *a = &run->candidates[i], *b, keep = *a;

        for (size_t k = 0; k <= i; k++) {
            if (run->candidates[k].code_bytes == a->code_bytes)
                same[n_same++] = k;
        }
        b = &run->candidates[same[(size_t) (replay_uniform(&seed) * (double) n_same)]];
        *a = *b;
        *b = keep;
        memcpy(b->name, a->name, sizeof keep.name);
        memcpy(a->name, keep.name, sizeof keep.name);
    }
}

static void hot_plan(struct altpick_plan *ret_plan)
{
    struct altpick_cpu cpu = {0};

    altpick_plan_init(&cpu, false, ret_plan);
    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
        if (c != ALTPICK_HOT)
            ret_plan->effort[c].block_bytes = 0;
    }
}

/* What cannot be priced, as jumps and unpublished forms cannot, waits for ever. */
static void activate(struct replay_run *run, struct altpick_session *session,
                     const struct replay *replay)
{
    for (size_t i = 0; i < run->n_candidates; i++) {
        const struct altpick_candidate *candidate = &session->candidates[i];

        if (candidate->code_bytes == 0 || replay->cycles(replay->ctx, candidate) <= 0)
            session->state[i] = ALTPICK_CELL_WAITING;
        else if (session->state[i] == ALTPICK_CELL_WAITING)
            session->state[i] = ALTPICK_CELL_ACTIVE;
    }
}

static void fill_result(struct replay_run *run, struct altpick_session *session)
{
    const struct altpick_effort *hot = &session->plan.effort[ALTPICK_HOT];

    run->result = (struct altpick_result){
        .batches = session->batch,
        .candidates = run->measurements,
        .n_candidates = run->n_candidates,
    };
    snprintf(run->result.question, sizeof run->result.question, "%s", run->question->name);
    run->result.condition[ALTPICK_HOT] = (struct altpick_condition_facts){
        .asked = true, .status = ALTPICK_STATUS_MEASURED, .block_bytes = hot->block_bytes};
    for (size_t i = 0; i < run->n_candidates; i++) {
        struct altpick_measurement *m = &run->measurements[i];

        *m = (struct altpick_measurement){.candidate = session->candidates[i]};
        altpick_cost_estimate(session, i, ALTPICK_HOT, &m->cost[ALTPICK_HOT]);
        m->status = m->cost[ALTPICK_HOT].status;
    }
}

/* As on a host: candidates that depend on costs get their code, hopeless ones are settled. */
static void between_batches(struct replay_run *run, struct altpick_session *session,
                            struct replay *replay)
{
    fill_result(run, session);
    if (run->question->refine && session->batch == 1)
        run->question->refine(run->question, &run->result, session->candidates, run->n_candidates);
    altpick_stop_settle(session, run->question, &run->result, &run->decisions);
    activate(run, session, replay);
    replay_pass(replay, other_conditions_seconds);
}

void replay_run_measure(struct replay_run *run, struct replay *replay, uint32_t seed)
{
    struct altpick_timer timer = replay_timer(replay);
    double start_ticks = replay->now_ticks;
    bool batch_done, done = false;
    struct altpick_plan plan;
    struct altpick_session *session;

    hot_plan(&plan);
    session = new_zeroed(altpick_session_bytes(&plan, run->n_candidates));
    altpick_session_init(session, &plan, run->candidates, run->n_candidates, seed);
    activate(run, session, replay);
    while (!done) {
        int r = altpick_session_step(session, &timer, UINT64_MAX, &batch_done, &done);

        if (r < 0) {
            fprintf(stderr, "replay: step: %s\n", altpick_err_text(r));
            exit(EXIT_FAILURE);
        }
        if (batch_done && !done)
            between_batches(run, session, replay);
    }
    fill_result(run, session);
    free(session);
    run->probe_seconds = (replay->now_ticks - start_ticks) / (REPLAY_MHZ * 1e6) -
                         (plan.batches - 1) * other_conditions_seconds;
}

void replay_run_decide(struct replay_run *run, replay_decide *decide)
{
    struct altpick_policy policy;

    altpick_policy_init(&policy);
    policy.target = ALTPICK_TARGET_THIS_CPU;
    decide(run->question, &run->result, &policy, &run->decisions);
}

const struct altpick_candidate *replay_winner(const struct altpick_decision *decision)
{
    const struct altpick_measurement *m;

    if (decision->winner == ALTPICK_NO_ENTRY)
        return NULL;
    m = decision->contest.entries[decision->winner].measurement;
    return m ? &m->candidate : NULL;
}
