/* SPDX-License-Identifier: MIT */
/* What decoding and running a candidate says of its guarantees. */
#ifndef ALTPICK_HOST_FINDINGS_H
#define ALTPICK_HOST_FINDINGS_H

#include "altpick/measure.h"
#include "altpick/profile.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Keep candidates from being run that are no whole instructions of code for @bits: what follows
 * would be eaten.
 */
void altpick_findings_decode(struct altpick_session *session, unsigned bits);

/*
 * The state of each guarantee of @candidate, and the reason where something is wrong with it.
 * @stuck_ms is how long a candidate may take.
 */
void altpick_findings_fill(const struct altpick_session *session, size_t candidate,
                           const struct altpick_question *question, uint32_t stuck_ms,
                           struct altpick_measurement *ret);

/* Words for the first of @needs (bits of enum altpick_cpu_feature) that @cpu lacks; none: ring 0.
 */
void altpick_findings_lacking(const struct altpick_cpu *cpu, uint64_t needs,
                              char ret_reason[ALTPICK_REASON_MAX]);

/* Why @condition, which the question asks for, was left out of the plan. */
const char *altpick_findings_left_out(unsigned condition);

/* Every guarantee as @candidate declares it, nothing having been run. */
void altpick_findings_declared(const struct altpick_candidate *candidate,
                               struct altpick_measurement *ret);

#endif
