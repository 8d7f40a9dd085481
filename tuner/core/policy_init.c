/* SPDX-License-Identifier: MIT */
/* The default policy, which asks the published figures of other CPUs. */
#include "altpick/policy.h"
#include "nop_fill.h"
#include "published.h"

void altpick_policy_init(struct altpick_policy *ret_policy)
{
    altpick_policy_local(ret_policy);
    ret_policy->target = ALTPICK_TARGET_ANY_X86_64;
    ret_policy->elsewhere = altpick_nop_elsewhere;
    ret_policy->toxic_by = altpick_nop_toxic_here;
}
