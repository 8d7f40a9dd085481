/* SPDX-License-Identifier: MIT */
/* The arithmetic behind altpick_clock_quantum_ticks(), apart from the clock. */
#ifndef ALTPICK_CORE_CLOCK_STEP_H
#define ALTPICK_CORE_CLOCK_STEP_H

#include <stddef.h>
#include <stdint.h>

/*
 * The step of a counter from @n differences between its readings; 0 when all are zero.  The
 * smallest difference is not it: two readings cannot be closer than they take to execute.  The
 * greatest common divisor is not it either where a hypervisor scales a coarse counter, for then
 * steps of 26 and 27 take turns.  So: the largest step that explains all the short differences.
 */
uint32_t altpick_clock_step_of(const uint32_t *steps, size_t n);

#endif
