/* SPDX-License-Identifier: MIT */
/* What a boot program found, for people: lines of at most 80 columns. */
#ifndef ALTPICK_BOOT_REPORT_H
#define ALTPICK_BOOT_REPORT_H

#include "altpick/boot.h"
#include "altpick/out.h"

/*
 * Print on @out who the CPU is, whether its timings can be trusted and why not, every decision with
 * its cost and why a default was kept, and the time spent of @options->budget_us.  Costs are shown
 * only where they are ones: on a trusted machine, in no rehearsal.
 */
void altpick_report_print(const struct altpick_boot *boot,
                          const struct altpick_boot_options *options, struct altpick_out *out);

#endif
