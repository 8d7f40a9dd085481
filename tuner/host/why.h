/* SPDX-License-Identifier: MIT */
/* A decision explained from its trace. */
#ifndef ALTPICK_HOST_WHY_H
#define ALTPICK_HOST_WHY_H

#include "altpick/decide.h"
#include "altpick/out.h"
#include "altpick/policy.h"

/* A line for each item, with its distance to the margin. */
void altpick_why_question(const struct altpick_decisions *decisions, struct altpick_out *out);

/*
 * Candidates with their intervals, every rule that spoke, the distance to the margin, and what
 * other policies would have decided.
 */
void altpick_why_item(const struct altpick_decisions *decisions,
                      const struct altpick_decision *decision, const struct altpick_policy *policy,
                      struct altpick_out *out);

#endif
