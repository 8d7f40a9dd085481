/* SPDX-License-Identifier: MIT */
/* Another CPU that works on the same data while a sample is timed: condition contended. */
#ifndef ALTPICK_HOST_NEIGHBOUR_H
#define ALTPICK_HOST_NEIGHBOUR_H

#include "altpick/live.h"

/*
 * The CPU for it: of those that this process may use (so before it is pinned), another one than
 * @cpu, and only for want of others one that shares a core with it.  @cpu -1: the one that
 * altpick_machine_pin() takes.  -1: there is none.
 */
int altpick_neighbour_cpu(int cpu);

/*
 * A thread of the measuring process, which begins where it is first wanted, sleeps whenever nothing
 * is timed, and ends with the process.  It exists in children only, so that one serves all of them.
 */
struct altpick_neighbour;

/* On @cpu.  NULL for CPU -1, and when out of memory. */
struct altpick_neighbour *altpick_neighbour_new(int cpu);
void altpick_neighbour_free(struct altpick_neighbour *neighbour);

/* Let @live measure contended with @neighbour, which must outlive it; NULL: it does not. */
void altpick_neighbour_join(struct altpick_neighbour *neighbour, struct altpick_live *live);

#endif
