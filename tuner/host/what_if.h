/* SPDX-License-Identifier: MIT */
/* What would change a decision: the same figures decided again under other policies. */
#ifndef ALTPICK_HOST_WHAT_IF_H
#define ALTPICK_HOST_WHAT_IF_H

#include "altpick/decide.h"
#include "altpick/out.h"
#include "altpick/policy.h"

/*
 * A line for each nearby policy under which @decision, one of @decisions, has another winner: the
 * nearest tie margins on both sides, other targets, no pins, no requirements, a single condition.
 */
void altpick_what_if(const struct altpick_decisions *decisions,
                     const struct altpick_decision *decision, const struct altpick_policy *policy,
                     struct altpick_out *out);

#endif
