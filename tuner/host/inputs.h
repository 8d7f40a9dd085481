/* SPDX-License-Identifier: MIT */
/* The profiles that a command was given, and the machine that it speaks of. */
#ifndef ALTPICK_HOST_INPUTS_H
#define ALTPICK_HOST_INPUTS_H

#include "altpick/err.h"
#include "altpick/policy.h"
#include "altpick/profile.h"

#include <stddef.h>

struct altpick_inputs {
    struct altpick_profile *profiles; /* n_profiles of them */
    size_t n_profiles;
    const char *path; /* of the only one, else NULL */
};

/* Read all of @paths, or none.  Freed with altpick_inputs_fini(), which accepts zeroed memory. */
int altpick_inputs_read(char **paths, size_t n, struct altpick_inputs *ret_inputs,
                        struct altpick_diag *diag);

/* The CPU with published figures called @name in place of profiles; see known_find.h. */
int altpick_inputs_known(const char *name, struct altpick_inputs *ret_inputs,
                         struct altpick_diag *diag);
void altpick_inputs_fini(struct altpick_inputs *inputs);

/*
 * Machine @index of all profiles together that is called @name (NULL: any), or NULL when there are
 * no more.
 */
const struct altpick_machine *altpick_inputs_nth(const struct altpick_inputs *inputs,
                                                 const char *name, size_t index);

/*
 * The one machine called @name, or the only one where @name is NULL.  ALTPICK_ENOFIT and a message
 * that lists the machines when there is none or more than one.
 */
int altpick_inputs_machine(const struct altpick_inputs *inputs, const char *name,
                           const struct altpick_machine **ret_machine, struct altpick_diag *diag);

/* Tell @policy whether its target is more than one of the machines of @inputs. */
void altpick_inputs_target(const struct altpick_inputs *inputs, struct altpick_policy *policy);

#endif
