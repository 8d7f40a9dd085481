/* SPDX-License-Identifier: MIT */
/* Turns what a session measured and found into a result. */
#include "session.h"

#include "altpick/cost.h"
#include "altpick/stop.h"
#include "diag.h"
#include "findings.h"

#include <stdio.h>
#include <stdlib.h>

/* Why @condition has no figures, in words; "" where it has. */
static void describe_condition(const struct altpick_hosted_session *hosted, unsigned condition,
                               struct altpick_condition_facts *facts)
{
    facts->asked = true;
    facts->block_bytes = altpick_session_block_bytes(hosted->session, condition);
    if (hosted->unsupported[0]) {
        snprintf(facts->reason, sizeof facts->reason, "%s", hosted->unsupported);
    } else if (hosted->session->lacking >> condition & 1) {
        facts->status = ALTPICK_STATUS_UNSUPPORTED;
        altpick_findings_lacking(hosted->cpu, altpick_condition_needs(condition), facts->reason);
    } else if (hosted->session->plan.effort[condition].block_bytes == 0) {
        snprintf(facts->reason, sizeof facts->reason, "%s", altpick_findings_left_out(condition));
    } else if (hosted->unreached >> condition & 1) {
        snprintf(
            facts->reason, sizeof facts->reason,
            "code in %u bytes costs %u %% of the condition before: not reached by most candidates",
            facts->block_bytes, hosted->reached_percent[condition]);
    } else if (hosted->session->layouts_done[condition] < 2) {
        snprintf(facts->reason, sizeof facts->reason, "the time limit came first");
    } else {
        facts->status = ALTPICK_STATUS_MEASURED;
    }
}

static void fill_measurement(struct altpick_hosted_session *hosted, size_t i,
                             const struct altpick_result *result, struct altpick_measurement *ret)
{
    ret->candidate = hosted->session->candidates[i];
    altpick_findings_fill(hosted->session, i, hosted->question, hosted->stuck_ms, ret);
    if (hosted->session->state[i] == ALTPICK_CELL_LACKING) {
        ret->status = ALTPICK_STATUS_UNSUPPORTED;
        altpick_findings_lacking(hosted->cpu, ret->candidate.ring0 ? 0 : ret->candidate.needs,
                                 ret->reason);
        return;
    }
    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
        if (!result->condition[c].asked)
            continue;
        if (result->condition[c].status == ALTPICK_STATUS_MEASURED)
            altpick_cost_estimate(hosted->session, i, c, &ret->cost[c]);
        else if (hosted->unsupported[0])
            ret->cost[c].status = ALTPICK_STATUS_UNSUPPORTED;
        if (ret->cost[c].status != ALTPICK_STATUS_UNMEASURED)
            ret->status = ret->cost[c].status;
    }
}

/* Others may keep the second CPU busy for the whole of a probe. */
static void tell_missed(struct altpick_result *result)
{
    struct altpick_condition_facts *facts = &result->condition[ALTPICK_CONTENDED];

    if (!facts->asked || facts->status != ALTPICK_STATUS_MEASURED)
        return;
    for (size_t i = 0; i < result->n_candidates; i++) {
        if (altpick_cost_is_known(&result->candidates[i].cost[ALTPICK_CONTENDED]))
            return;
    }
    facts->status = ALTPICK_STATUS_UNMEASURED;
    snprintf(facts->reason, sizeof facts->reason, "the second CPU was busy with other work");
}

int altpick_hosted_session_result(struct altpick_hosted_session *hosted,
                                  struct altpick_result *ret_result, struct altpick_diag *diag)
{
    struct altpick_result result = {0};

    hosted->unreached = altpick_stop_unreached(hosted->session, hosted->reached_percent);
    snprintf(result.question, sizeof result.question, "%s", hosted->question->name);
    result.components = altpick_cpu_components(hosted->cpu);
    result.batches = hosted->session->batch;
    result.n_candidates = hosted->session->n_candidates;
    result.candidates = calloc(result.n_candidates, sizeof *result.candidates);
    if (!result.candidates)
        return altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", hosted->question->name);
    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
        if (hosted->conditions >> c & 1)
            describe_condition(hosted, c, &result.condition[c]);
    }
    for (size_t i = 0; i < result.n_candidates; i++)
        fill_measurement(hosted, i, &result, &result.candidates[i]);
    tell_missed(&result);
    *ret_result = result;
    return ALTPICK_OK;
}
