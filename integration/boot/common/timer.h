/* SPDX-License-Identifier: MIT */
/* The time-stamp counter's rate, and interrupts at intervals. */
#ifndef ALTPICK_BOOT_TIMER_H
#define ALTPICK_BOOT_TIMER_H

#include <stdbool.h>
#include <stdint.h>

/* Vectors that the two 8259 controllers are moved to, masked: not the exceptions'. */
enum { BOOT_PIC_VECTOR = 0xe0, BOOT_PIC_LINES = 16 };

/* Move and mask both 8259 controllers.  Done before boot_main(). */
void boot_interrupts_mask(void);

/*
 * Ticks of the time-stamp counter a second, held against the PIT's for 10 ms, twice in a row within
 * 2 %; where no two of eight agree or they are no rate of a CPU (100 MHz to 20 GHz), as CPUID or
 * the hypervisor tells (leaves 0x15 and 0x40000010), else 0.  Takes 20 ms, at most 0.1 s on an idle
 * machine.
 */
uint64_t boot_timer_tsc_hz(void);

/*
 * Interrupt every @period_us (100..50000) from now on with @vector: 0x20..0xd8, a multiple of 8.
 * The handler is the caller's (boot_trap_set() before this), which acknowledges each with
 * boot_timer_acknowledge().  Interrupts of the CPU (STI) are the caller's too.  Uses the local APIC
 * in the mode that it is found in, or, where there is none or @tsc_hz (of boot_timer_tsc_hz()) is
 * 0, the PIT.  Returns false when neither is there.  RDMSR is executed: not before trust was
 * judged.
 */
bool boot_timer_start(uint8_t vector, uint32_t period_us, uint64_t tsc_hz);

void boot_timer_acknowledge(void);

/* No more interrupts from it. */
void boot_timer_stop(void);

#endif
