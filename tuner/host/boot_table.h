/* SPDX-License-Identifier: MIT */
/* Costs of every candidate, hot and cold, fenced and not, in the lines of a kernel's boot log. */
#ifndef ALTPICK_HOST_BOOT_TABLE_H
#define ALTPICK_HOST_BOOT_TABLE_H

#include "altpick/out.h"
#include "altpick/profile.h"

#include <stdint.h>

/*
 * The conditions that a boot table has for code of @bits: single executions are not for 32-bit
 * code, whose far call would be all that they show.
 */
uint32_t altpick_boot_table_conditions(uint32_t bits);

/* Print "Cost of: NAME : N cycles" for each figure of @machine, and why one is missing. */
void altpick_boot_table_print(const struct altpick_machine *machine, struct altpick_out *out);

#endif
