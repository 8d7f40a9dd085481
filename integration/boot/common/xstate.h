/* SPDX-License-Identifier: MIT */
/* x87, SSE and what XCR0 enables: made usable when a program says so. */
#ifndef ALTPICK_BOOT_XSTATE_H
#define ALTPICK_BOOT_XSTATE_H

#include <stdbool.h>
#include <stdint.h>

/* Whether this CPU has XSAVE.  Executes CPUID only. */
bool boot_xstate_has_xsave(void);

/* The state components that XCR0 of this CPU can take, by CPUID; 0 without XSAVE. */
uint64_t boot_xstate_components(void);

/*
 * Set CR4.OSXSAVE and XCR0 to what of @wanted the CPU has (UINT64_MAX: all; x87 and SSE always),
 * then initialise x87 and MXCSR.  Without XSAVE only the last.  Returns XCR0, 0 without XSAVE.
 *
 * Not to be called before trust was judged where ring 0 may be interpreted (boot_entry64): such a
 * monitor can stop the machine at XSETBV, FNINIT and LDMXCSR.  altpick_boot_probe() needs no call
 * of this: it enables what its options say once it trusts the machine, and restores what it found.
 */
uint64_t boot_xstate_enable(uint64_t wanted);

#endif
