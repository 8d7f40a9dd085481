/* SPDX-License-Identifier: MIT */
/* Checked changes to a policy, whatever they came from. */
#ifndef ALTPICK_HOST_POLICY_SET_H
#define ALTPICK_HOST_POLICY_SET_H

#include "altpick/policy.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    ALTPICK_POLICY_MARGIN_PERMILLE_MAX = 500,
    ALTPICK_POLICY_NOP_BYTES_MIN = 4, /* below that there are only runs of single bytes */
    ALTPICK_POLICY_NOP_BYTES_MAX = 15,
    ALTPICK_POLICY_WEIGHT_MAX = 1000,
};

/*
 * Add an entry, or replace the one about the same condition, guarantee or item.  Returns what is
 * wrong as static text (then nothing has changed), or NULL.
 */
const char *altpick_policy_set_weight(struct altpick_policy *policy, const char *question,
                                      unsigned condition, uint32_t weight);
const char *altpick_policy_set_require(struct altpick_policy *policy, const char *question,
                                       unsigned guarantee);
const char *altpick_policy_set_pin(struct altpick_policy *policy, const char *item,
                                   const char *candidate);

/* Whether @policy leaves @question nothing to decide by. */
bool altpick_policy_all_weights_zero(const struct altpick_policy *policy, const char *question);

#endif
