/* SPDX-License-Identifier: MIT */
/* The part of an output that is code, from decisions about code. */
#ifndef ALTPICK_CORE_BODIES_H
#define ALTPICK_CORE_BODIES_H

#include "altpick/output.h"

#define ALTPICK_XSTATE_SAVE    "xstate.save"
#define ALTPICK_XSTATE_RESTORE "xstate.restore"

/* The rule behind @d, as an output calls it. */
const char *altpick_decision_remark(const struct altpick_decision *d);

/* A save and a restore of everything, for any CPU: eax tells whether XSAVE is enabled. */
void altpick_bodies_default_xstate(struct altpick_bodies *bodies);

/*
 * Take @save, of all components, and the restore that reads what it writes.  Both need the same of
 * a CPU.  Returns ALTPICK_ENOFIT, and changes nothing, for code that is no such save.
 */
int altpick_bodies_pair_xstate(const struct altpick_machine *machine,
                               const struct altpick_body *save, struct altpick_bodies *bodies);

#endif
