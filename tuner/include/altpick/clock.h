/* SPDX-License-Identifier: MIT */
/* The time-stamp counter as a clock: fenced reads, and its step. */
#ifndef ALTPICK_CLOCK_H
#define ALTPICK_CLOCK_H

#include <stdint.h>

/*
 * Read the counter before and after a timed region.  Both are LFENCE; RDTSC; LFENCE, so that
 * earlier instructions are complete and later ones have not begun (SDM vol. 2, RDTSC); stop is not
 * RDTSCP, which not every CPU with long mode has.  Both cost tens of cycles, which a difference of
 * two run lengths cancels.
 */
uint64_t altpick_clock_start(void);
uint64_t altpick_clock_stop(void);

/*
 * The smallest step of the counter in ticks: 2 on some Intel parts, 26 on an AMD guest whose 2.6
 * GHz counter is driven at 100 MHz.  A timed region must be long against it.  Returns 0 when the
 * counter does not advance, which means that there is no usable clock.
 */
uint32_t altpick_clock_quantum_ticks(void);

#endif
