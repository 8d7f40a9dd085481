/* SPDX-License-Identifier: MIT */
/* Whether what a command writes would take the place of what it reads. */
#ifndef ALTPICK_HOST_OUTPUTS_H
#define ALTPICK_HOST_OUTPUTS_H

#include "options.h"

/*
 * Compare every file that @options have written with every one that they have read, by what it is
 * and not by its name, and with each other.  @operands_are_files: else they are names.  Only
 * --previous may be replaced by --keep: a profile by the one that follows it.  ALTPICK_EUSAGE with
 * both options named.
 */
int altpick_outputs_check(const struct altpick_options *options, bool operands_are_files,
                          struct altpick_diag *diag);

#endif
