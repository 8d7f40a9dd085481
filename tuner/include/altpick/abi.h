/* SPDX-License-Identifier: MIT */
/* The calling convention of hand-written assembly and of candidates. */
#ifndef ALTPICK_ABI_H
#define ALTPICK_ABI_H

/*
 * Marks what is called from C and written in assembly, and what is called from assembly and written
 * in C.  Assembly follows the System V convention whatever is built; firmware's images are compiled
 * for a target whose own convention is Microsoft's.
 */
#if defined(_WIN32)
#define ALTPICK_SYSV __attribute__((sysv_abi))
#else
#define ALTPICK_SYSV
#endif

#endif
