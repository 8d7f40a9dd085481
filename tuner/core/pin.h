/* SPDX-License-Identifier: MIT */
/* Decisions that were made before any figure. */
#ifndef ALTPICK_CORE_PIN_H
#define ALTPICK_CORE_PIN_H

#include "altpick/decide.h"

#include <stdbool.h>

/*
 * Where the policy pins an entry of the contest, or the question fixes one and the policy does not
 * lift that: make it the winner, and note what it costs.  Returns whether there was one.
 */
bool altpick_pin_apply(struct altpick_decision *decision, const struct altpick_policy *policy);

#endif
