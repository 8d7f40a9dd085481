/* SPDX-License-Identifier: MIT */
/* From a session, and what its candidates were seen to do, to a result: facts for a profile. */
#ifndef ALTPICK_RESULT_H
#define ALTPICK_RESULT_H

#include "altpick/cpu.h"
#include "altpick/measure.h"
#include "altpick/profile.h"
#include "altpick/question.h"

#include <stddef.h>
#include <stdint.h>

/* What a result is made of.  Nothing of it is needed afterwards. */
struct altpick_result_source {
    const struct altpick_question *question;
    const struct altpick_cpu *cpu;
    struct altpick_session *session; /* is not changed */
    uint32_t conditions;             /* bit n: enum altpick_condition n was asked for */
    uint32_t unreached;              /* altpick_stop_unreached() of the session */
    const uint32_t *reached_percent; /* what that found: ALTPICK_N_CONDITIONS of them */
    const char *unsupported;         /* why nothing can be measured here; NULL or "": it can */
    uint32_t stuck_ms;               /* how long a candidate may take */

    /* Why @condition was left out of the plan, static text; NULL: "not measured" of each. */
    const char *(*left_out)(unsigned condition);
};

/*
 * Make the result of @source in @candidates, the caller's memory for session->n_candidates of them,
 * which ret_result->candidates points to from then on.  Returns 0, or ALTPICK_ENOSPACE where
 * @capacity is less.  What takes a decoder (one-instruction) stays as it was declared.
 */
int altpick_result_make(const struct altpick_result_source *source,
                        struct altpick_measurement *candidates, size_t capacity,
                        struct altpick_result *ret_result);

/*
 * A result that says that nothing of @question was measured and why, with its @n built-in
 * candidates listed; those that @cpu lacks a feature for are unsupported.  Makes them in
 * @candidates, memory for as many, as above.
 */
void altpick_result_unmeasured(const struct altpick_question *question,
                               const struct altpick_cpu *cpu, const char *reason,
                               const struct altpick_candidate *built_in, size_t n,
                               struct altpick_measurement *candidates,
                               struct altpick_result *ret_result);

/*
 * What is known of a candidate but its costs: the state of each guarantee, what was counted and
 * observed, and the reason where something is wrong with it.  *ret is zeroed but for its candidate.
 */
void altpick_findings_fill(const struct altpick_session *session, size_t candidate,
                           const struct altpick_question *question, uint32_t stuck_ms,
                           struct altpick_measurement *ret);

/* Every guarantee as @candidate declares it, nothing having been run. */
void altpick_findings_declared(const struct altpick_candidate *candidate,
                               struct altpick_measurement *ret);

/* Whether @guarantee was found to hold; one that is not declared stays so, whatever was found. */
void altpick_findings_find(struct altpick_measurement *ret, enum altpick_guarantee guarantee,
                           bool holds);

/* Words for the first of @needs (bits of enum altpick_cpu_feature) that @cpu lacks; none: ring 0.
 */
void altpick_findings_lacking(const struct altpick_cpu *cpu, uint64_t needs,
                              char ret_reason[ALTPICK_REASON_MAX]);

/* Append words for session->fault: "SIGILL", "#UD", "vector 22". */
void altpick_fault_text(uint8_t fault, char *text, size_t capacity);

/* Name @machine after its CPU ("AuthenticAMD-25-17-1"), and note this version and @ring. */
void altpick_machine_describe(struct altpick_machine *machine, uint32_t ring);

#endif
