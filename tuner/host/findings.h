/* SPDX-License-Identifier: MIT */
/* What decoding a candidate says of it: what the freestanding findings cannot tell. */
#ifndef ALTPICK_HOST_FINDINGS_H
#define ALTPICK_HOST_FINDINGS_H

#include "altpick/result.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Keep candidates from being run that are no whole instructions of code for @bits: what follows
 * would be eaten.
 */
void altpick_findings_decode(struct altpick_session *session, unsigned bits);

/* Find out whether @measurement's code, for @bits, is one instruction. */
void altpick_findings_count(unsigned bits, struct altpick_measurement *measurement);

/* Why @condition, which the question asks for, was left out of the plan. */
const char *altpick_findings_left_out(unsigned condition);

#endif
