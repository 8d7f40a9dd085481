/* SPDX-License-Identifier: MIT */
/* What services of UEFI firmware may leave in registers. */
#ifndef ALTPICK_LEAK_SERVICES_H
#define ALTPICK_LEAK_SERVICES_H

#include "leak.h"

/*
 * Take out of @findings what UEFI's calling convention lets a service change (UEFI Specification
 * 2.10, 2.3.4: xmm6 to xmm15, MXCSR and the x87 control word are kept, all else is the callee's),
 * and say it as a note on @out: those bits are firmware's, and whoever comes next can read them.
 */
void altpick_bare_keep_broken(struct altpick_leak_findings *findings, struct altpick_out *out,
                              const char *const names[ALTPICK_LEAK_OWNERS + 1]);

#endif
