/* SPDX-License-Identifier: MIT */
/* Turns what running a candidate showed into states of its guarantees. */
#include "altpick/result.h"

#include "altpick/check.h"
#include "bytes.h"

void altpick_findings_declared(const struct altpick_candidate *candidate,
                               struct altpick_measurement *ret)
{
    for (unsigned g = 0; g < ALTPICK_N_GUARANTEES; g++)
        ret->guarantee[g] = candidate->guarantees >> g & 1 ? ALTPICK_GUARANTEE_IS_DECLARED
                                                           : ALTPICK_GUARANTEE_IS_NONE;
}

/* Nothing that was not declared is claimed, whatever was found. */
void altpick_findings_find(struct altpick_measurement *ret, enum altpick_guarantee guarantee,
                           bool holds)
{
    if (ret->guarantee[guarantee] == ALTPICK_GUARANTEE_IS_DECLARED)
        ret->guarantee[guarantee] =
            holds ? ALTPICK_GUARANTEE_IS_CHECKED : ALTPICK_GUARANTEE_IS_CONTRADICTED;
}

static void say(struct altpick_measurement *ret, const char *text)
{
    altpick_append(ret->reason, sizeof ret->reason, text);
}

static void give_reason(const struct altpick_session *session, size_t i, uint32_t stuck_ms,
                        struct altpick_measurement *ret)
{
    ret->reason[0] = '\0';
    switch (session->state[i]) {
    case ALTPICK_CELL_FAULTED:
        say(ret, "faulted: ");
        altpick_fault_text(session->fault[i], ret->reason, sizeof ret->reason);
        break;
    case ALTPICK_CELL_TIMED_OUT:
        say(ret, stuck_ms ? "did not end within " : "did not end within its caller's time");
        if (stuck_ms)
            altpick_append_u64(ret->reason, sizeof ret->reason, stuck_ms);
        say(ret, stuck_ms ? " ms" : "");
        break;
    case ALTPICK_CELL_SILENT:
        say(ret, "raises no #NM while CR0.TS is set");
        break;
    case ALTPICK_CELL_BREACHED:
        if (session->checked[i])
            altpick_check_text(session->changed[i], ret->reason, sizeof ret->reason);
        else
            say(ret, "does not decode as whole instructions");
        break;
    default:
        break;
    }
}

/* What the question's own look found; what it saw without a promise is told where it holds. */
static void find_looked(const struct altpick_session *session, size_t i,
                        const struct altpick_question *question, struct altpick_measurement *ret)
{
    for (unsigned g = 0; g < ALTPICK_N_GUARANTEES; g++) {
        bool holds = session->held[i] >> g & 1;

        if (!(session->looked[i] >> g & 1))
            continue;
        if (question->promises >> g & 1)
            ret->guarantee[g] = ALTPICK_GUARANTEE_IS_DECLARED;
        altpick_findings_find(ret, (enum altpick_guarantee) g, holds);
        if (question->examines >> g & 1 && holds)
            ret->guarantee[g] = ALTPICK_GUARANTEE_IS_CHECKED;
    }
}

/* What was counted, and what a reference counter did when it was driven through its states. */
static void find_counted(const struct altpick_session *session, size_t i,
                         const struct altpick_question *question, struct altpick_measurement *ret)
{
    struct altpick_counter counter;

    ret->instructions = session->instructions[i];
    if (!session->seen[i] || !question->counter ||
        !question->counter(&session->candidates[i], &counter))
        return;
    for (unsigned c = 0; c < ALTPICK_N_COUNTS; c++) {
        if (!altpick_report_name(session->observed[i][c].report))
            return; /* it says what there is no name for */
    }
    ret->has_observed = true;
    for (unsigned c = 0; c < ALTPICK_N_COUNTS; c++)
        ret->observed[c] = session->observed[i][c];
}

void altpick_findings_lacking(const struct altpick_cpu *cpu, uint64_t needs,
                              char ret_reason[ALTPICK_REASON_MAX])
{
    ret_reason[0] = '\0';
    altpick_append(ret_reason, ALTPICK_REASON_MAX, "needs ");
    for (unsigned f = 0; f < ALTPICK_N_CPU_FEATURES; f++) {
        if (needs >> f & 1 && !altpick_cpu_has(cpu, (enum altpick_cpu_feature) f)) {
            altpick_append(ret_reason, ALTPICK_REASON_MAX, altpick_cpu_feature_name(f));
            altpick_append(ret_reason, ALTPICK_REASON_MAX, ", which this CPU lacks");
            return;
        }
    }
    altpick_append(ret_reason, ALTPICK_REASON_MAX, "ring 0");
}

/* One run without a fault proves nothing about faults; one with a fault does. */
void altpick_findings_fill(const struct altpick_session *session, size_t candidate,
                           const struct altpick_question *question, uint32_t stuck_ms,
                           struct altpick_measurement *ret)
{
    altpick_findings_declared(&session->candidates[candidate], ret);
    give_reason(session, candidate, stuck_ms, ret);
    if (session->checked[candidate])
        altpick_findings_find(ret, ALTPICK_GUARANTEE_NO_REGISTER_WRITE,
                              session->changed[candidate] == 0);
    find_looked(session, candidate, question, ret);
    find_counted(session, candidate, question, ret);
    if (session->state[candidate] == ALTPICK_CELL_FAULTED)
        altpick_findings_find(ret, ALTPICK_GUARANTEE_CANNOT_FAULT, false);
}
