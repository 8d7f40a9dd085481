/* SPDX-License-Identifier: MIT */
/* The decisions of a machine's known questions, and what is to be said about them. */
#ifndef ALTPICK_HOST_CHOICES_H
#define ALTPICK_HOST_CHOICES_H

#include "altpick/decide.h"
#include "altpick/err.h"
#include "altpick/policy.h"
#include "altpick/profile.h"

#include <stddef.h>

struct altpick_command_io; /* command.h */

struct altpick_choices {
    const struct altpick_machine *machine;
    const struct altpick_policy *policy;
    struct altpick_decisions *questions; /* n_questions: those of the registry that were asked */
    size_t n_questions;
};

/*
 * Decide everything that @machine was asked and this version knows.  A pin of an item or candidate
 * that a decided question does not have is ALTPICK_EFORMAT with the list of names.  @machine and
 * @policy must outlive *ret_choices, which altpick_choices_fini() frees.
 */
int altpick_choices_make(const struct altpick_machine *machine, const struct altpick_policy *policy,
                         struct altpick_choices *ret_choices, struct altpick_diag *diag);
void altpick_choices_fini(struct altpick_choices *choices);

/* The decisions of @question, or NULL. */
const struct altpick_decisions *altpick_choices_find(const struct altpick_choices *choices,
                                                     const char *question);

/*
 * Requirements and pins that name no known question would be lost: ALTPICK_EFORMAT.  Of weights
 * that do, which bind nothing, it warns.
 */
int altpick_command_check_policy(struct altpick_command_io *io,
                                 const struct altpick_policy *policy);

/* Warn of what the profile itself warns of. */
void altpick_command_warn_machine(struct altpick_command_io *io,
                                  const struct altpick_machine *machine);

/* Warn of undecided items; ALTPICK_EUNDECIDED and a message where the policy is strict about them.
 */
int altpick_choices_warn(struct altpick_command_io *io, const struct altpick_choices *choices);

#endif
