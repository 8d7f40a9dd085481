/* SPDX-License-Identifier: MIT */
/* The time-stamp counter as a clock: fenced reads, and its step. */
#ifndef ALTPICK_CLOCK_H
#define ALTPICK_CLOCK_H

#include "altpick/cpu.h"

#include <stdbool.h>
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

/*
 * Whether LFENCE waits for earlier instructions on @cpu only where bit 1 of MSR C001_1029 says so.
 * It does on AMD's and Hygon's CPUs of families 10H to 17H but 11H, which is without the MSR
 * ("Software Techniques for Managing Speculation on AMD Processors", G-2); on later ones, which
 * CPUID leaf 80000021H EAX bit 2 of @source tells, it always waits.  Operating systems and
 * hypervisors set the bit; firmware may not.
 */
bool altpick_clock_needs_fence_bit(const struct altpick_cpu *cpu,
                                   const struct altpick_cpuid_source *source);

#define ALTPICK_CLOCK_FENCE_MSR 0xc0011029u
#define ALTPICK_CLOCK_FENCE_BIT UINT64_C(2)

#endif
