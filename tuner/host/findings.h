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
void altpick_findings_fill(const struct altpick_session *session, size_t candidate, unsigned bits,
                           uint32_t stuck_ms, struct altpick_measurement *ret);

/* Every guarantee as @candidate declares it, nothing having been run. */
void altpick_findings_declared(const struct altpick_candidate *candidate,
                               struct altpick_measurement *ret);

#endif
