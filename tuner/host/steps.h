/* SPDX-License-Identifier: MIT */
/* Counts the instructions that candidates execute, by single-stepping them. */
#ifndef ALTPICK_HOST_STEPS_H
#define ALTPICK_HOST_STEPS_H

#include "altpick/look.h"

/*
 * Count what each candidate of looking->session executes that may be timed and was not counted,
 * with the registers and data that it is timed with: session->instructions.  A process of its own
 * does it, and whatever goes wrong there leaves counts at 0 and nothing else behind.
 */
void altpick_steps_count(struct altpick_looking *looking);

#endif
