/* SPDX-License-Identifier: MIT */
/* Turns what decoding and running a candidate showed into states of its guarantees. */
#include "findings.h"

#include "altpick/check.h"
#include "decode_check.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

void altpick_findings_decode(struct altpick_session *session, unsigned bits)
{
    for (uint32_t i = 0; i < session->n_candidates; i++) {
        const struct altpick_candidate *candidate = &session->candidates[i];

        if (session->state[i] == ALTPICK_CELL_ACTIVE && !session->checked[i] &&
            altpick_decode_count(bits, candidate->code, candidate->code_bytes) == 0)
            session->state[i] = ALTPICK_CELL_BREACHED;
    }
}

void altpick_findings_declared(const struct altpick_candidate *candidate,
                               struct altpick_measurement *ret)
{
    for (unsigned g = 0; g < ALTPICK_N_GUARANTEES; g++)
        ret->guarantee[g] = candidate->guarantees >> g & 1 ? ALTPICK_GUARANTEE_IS_DECLARED
                                                           : ALTPICK_GUARANTEE_IS_NONE;
}

/* Nothing that was not declared is claimed, whatever was found. */
static void find(struct altpick_measurement *ret, enum altpick_guarantee guarantee, bool holds)
{
    if (ret->guarantee[guarantee] == ALTPICK_GUARANTEE_IS_DECLARED)
        ret->guarantee[guarantee] =
            holds ? ALTPICK_GUARANTEE_IS_CHECKED : ALTPICK_GUARANTEE_IS_CONTRADICTED;
}

static const char *signal_name(unsigned number, char *ret_text, size_t capacity)
{
    switch (number) {
    case SIGILL:
        return "SIGILL";
    case SIGSEGV:
        return "SIGSEGV";
    case SIGFPE:
        return "SIGFPE";
    case SIGBUS:
        return "SIGBUS";
    case SIGTRAP:
        return "SIGTRAP";
    default:
        snprintf(ret_text, capacity, "signal %u", number);
        return ret_text;
    }
}

static void give_reason(const struct altpick_session *session, size_t i, uint32_t stuck_ms,
                        struct altpick_measurement *ret)
{
    char name[16];

    switch (session->state[i]) {
    case ALTPICK_CELL_FAULTED:
        snprintf(ret->reason, sizeof ret->reason, "faulted: %s",
                 signal_name(session->fault[i], name, sizeof name));
        break;
    case ALTPICK_CELL_TIMED_OUT:
        snprintf(ret->reason, sizeof ret->reason, "did not end within %u ms", stuck_ms);
        break;
    case ALTPICK_CELL_BREACHED:
        if (session->checked[i])
            altpick_check_text(session->changed[i], ret->reason, sizeof ret->reason);
        else
            snprintf(ret->reason, sizeof ret->reason, "does not decode as whole instructions");
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
        find(ret, (enum altpick_guarantee) g, holds);
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
    memcpy(ret->observed, session->observed[i], sizeof ret->observed);
}

void altpick_findings_lacking(const struct altpick_cpu *cpu, uint64_t needs,
                              char ret_reason[ALTPICK_REASON_MAX])
{
    for (unsigned f = 0; f < ALTPICK_N_CPU_FEATURES; f++) {
        if (needs >> f & 1 && !altpick_cpu_has(cpu, (enum altpick_cpu_feature) f)) {
            snprintf(ret_reason, ALTPICK_REASON_MAX, "needs %s, which this CPU lacks",
                     altpick_cpu_feature_name(f));
            return;
        }
    }
    snprintf(ret_reason, ALTPICK_REASON_MAX, "needs ring 0");
}

const char *altpick_findings_left_out(unsigned condition)
{
    return condition == ALTPICK_STREAMED    ? "only measured with --thorough"
           : condition == ALTPICK_CONTENDED ? "needs a second CPU that this process may use"
                                            : "not measured";
}

/* One run without a fault proves nothing about faults; one with a fault does. */
void altpick_findings_fill(const struct altpick_session *session, size_t candidate,
                           const struct altpick_question *question, uint32_t stuck_ms,
                           struct altpick_measurement *ret)
{
    const struct altpick_candidate *code = &session->candidates[candidate];

    altpick_findings_declared(code, ret);
    give_reason(session, candidate, stuck_ms, ret);
    if (code->code_bytes)
        find(ret, ALTPICK_GUARANTEE_ONE_INSTRUCTION,
             altpick_decode_count(question->bits, code->code, code->code_bytes) == 1);
    if (session->checked[candidate])
        find(ret, ALTPICK_GUARANTEE_NO_REGISTER_WRITE, session->changed[candidate] == 0);
    find_looked(session, candidate, question, ret);
    find_counted(session, candidate, question, ret);
    if (session->state[candidate] == ALTPICK_CELL_FAULTED)
        find(ret, ALTPICK_GUARANTEE_CANNOT_FAULT, false);
}
