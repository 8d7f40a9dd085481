/* SPDX-License-Identifier: MIT */
/* Facts about the machine that only an operating system can tell. */
#ifndef ALTPICK_HOST_MACHINE_H
#define ALTPICK_HOST_MACHINE_H

#include "altpick/profile.h"

#include <stdint.h>

/* Fill @machine's identity from CPUID and the system: name, CPU, microcode, version. */
void altpick_machine_identify(struct altpick_machine *machine);

/* Append a warning to @machine (printf style); beyond ALTPICK_WARNINGS_MAX they are dropped. */
__attribute__((format(printf, 2, 3))) void altpick_machine_warn(struct altpick_machine *machine,
                                                                const char *format, ...);

/*
 * Pin this process to @cpu, or with -1 to the last CPU it may use (the first ones get most
 * interrupts).  0 or a negative errno.
 */
int altpick_machine_pin(int cpu);

/*
 * Bits of XCR0 that this process may use: all, but for tiles, for which Linux is asked
 * (arch_prctl(2), ARCH_REQ_XCOMP_PERM) and may say no.
 */
uint64_t altpick_machine_xcr0_usable(void);

/* Nanoseconds of a clock that no one adjusts. */
uint64_t altpick_machine_now_ns(void);

#endif
