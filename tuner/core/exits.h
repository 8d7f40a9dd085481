/* SPDX-License-Identifier: MIT */
/* Finds costs that hold a VM exit: they are a hypervisor's, whatever the CPU would take. */
#ifndef ALTPICK_CORE_EXITS_H
#define ALTPICK_CORE_EXITS_H

#include "altpick/profile.h"
#include "altpick/trust.h"

#include <stddef.h>
#include <stdint.h>

/* What the reason of such a measurement begins with: the only one that stands beside figures. */
#define ALTPICK_EXITS_REASON "looks like a VM exit"

/*
 * Millionths of a core cycle that CPUID takes, which every guest leaves for; 0 where it takes no
 * more than 600 ticks and so does not leave: bare metal, or @figures that do not know.
 */
uint64_t altpick_exits_cost_micro(const struct altpick_trust_figures *figures);

/*
 * Give a reason to every measurement of @machine that looks like it left the guest, and warn of
 * them in @machine (one warning a question, where there is room).  An operation is judged by what
 * it takes beyond the untrapped one nearest to it (exits.c has the list), in the condition where
 * that is least: from 0.6 times the cost of CPUID on it holds an exit.  Statuses and costs stay.
 * A measurement that has a reason already, or no figure, is left alone.  Returns how many got one.
 */
size_t altpick_exits_mark(const struct altpick_trust_figures *figures,
                          struct altpick_machine *machine);

#endif
