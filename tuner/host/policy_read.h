/* SPDX-License-Identifier: MIT */
/* Policy files and policy options into a policy. */
#ifndef ALTPICK_HOST_POLICY_READ_H
#define ALTPICK_HOST_POLICY_READ_H

#include "altpick/err.h"
#include "altpick/policy.h"

/*
 * Read the policy file at @path ("-": standard input) over *policy: what the file does not name
 * stays.  Messages as altpick_profile_read().  On failure @policy is untouched.
 */
int altpick_policy_read(const char *path, struct altpick_policy *policy, struct altpick_diag *diag);

/* The same from memory; @name stands for the path in messages. */
int altpick_policy_parse(const char *name, const char *text, size_t bytes,
                         struct altpick_policy *policy, struct altpick_diag *diag);

/*
 * Apply one command-line option ("target", "require", "weight", "pin", "tie-margin", "max-nop",
 * "strict") with its @argument (NULL for strict).  ALTPICK_EUSAGE and a message when it is wrong.
 */
int altpick_policy_option(struct altpick_policy *policy, const char *option, const char *argument,
                          struct altpick_diag *diag);

/* What only all options together can get wrong: every weight of a question 0.  ALTPICK_EUSAGE. */
int altpick_policy_check(const struct altpick_policy *policy, struct altpick_diag *diag);

#endif
