/* SPDX-License-Identifier: MIT */
/* What fpu.switch's files share: policies, kinds of switches, and what one costs under the other.
 */
#ifndef ALTPICK_PROBES_FPU_SWITCH_H
#define ALTPICK_PROBES_FPU_SWITCH_H

#include "altpick/decide.h"
#include "altpick/derived.h"
#include "altpick/question.h"

/* Ties, and whatever cannot be decided, keep the first. */
enum fpu_switch_policy {
    FPU_SWITCH_EAGER,    /* save and restore at every switch */
    FPU_SWITCH_DEFERRED, /* save at every switch, restore on the return to user space */
    FPU_SWITCH_MIXED,    /* eager for tasks that use the FPU, CR0.TS for others */
    FPU_SWITCH_LAZY,     /* restore on #NM */
    FPU_SWITCH_POLICIES,
};
extern const char *const altpick_fpu_switch_policies[FPU_SWITCH_POLICIES];

/* From a task that uses the FPU in its time slice or does not, to one that does or does not. */
enum fpu_switch_kind {
    FPU_SWITCH_INT_INT,
    FPU_SWITCH_INT_FPU,
    FPU_SWITCH_FPU_INT,
    FPU_SWITCH_FPU_FPU,
    FPU_SWITCH_KINDS
};

/* Items: the policy, then each kind of switch. */
enum { FPU_SWITCH_POLICY, FPU_SWITCH_N_ITEMS = 1 + FPU_SWITCH_KINDS };

/* Whether registers of another task never stay behind for one that may read them speculatively. */
bool altpick_fpu_switch_is_eager(enum fpu_switch_policy policy);

/*
 * What a switch costs: the sum of its terms.  Measured where all terms are, else estimated, with
 * published figures for CR0 and #NM (the 2015 thread) where no ring-0 probe has measured them;
 * unmeasured where a save or restore has no figure.  @cold: the save areas are in no cache.
 */
void altpick_fpu_switch_cost(const struct altpick_result *result, enum fpu_switch_policy policy,
                             enum fpu_switch_kind kind, bool cold, struct altpick_cost *ret_cost);

altpick_derive_table altpick_fpu_switch_derive;

#endif
