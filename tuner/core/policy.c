/* SPDX-License-Identifier: MIT */
/* The policy of one machine, and what a policy gives: weights, and knowledge of other CPUs. */
#include "altpick/policy.h"

#include "bytes.h"

void altpick_policy_local(struct altpick_policy *ret_policy)
{
    altpick_zero(ret_policy, sizeof *ret_policy);
    ret_policy->target = ALTPICK_TARGET_THIS_CPU;
    ret_policy->tie_margin_permille = ALTPICK_TIE_MARGIN_PERMILLE;
}

enum altpick_elsewhere altpick_policy_elsewhere(const struct altpick_policy *policy,
                                                const uint8_t *code, size_t bytes)
{
    return policy->elsewhere ? policy->elsewhere(code, bytes) : ALTPICK_ELSEWHERE_FINE;
}

uint32_t altpick_policy_weight(const struct altpick_policy *policy,
                               const struct altpick_question *question, unsigned condition)
{
    if (question->unranked >> condition & 1)
        return 0;
    for (size_t i = 0; i < policy->n_weights; i++) {
        if (policy->weights[i].condition == condition &&
            altpick_equal(policy->weights[i].question, question->name))
            return policy->weights[i].weight;
    }
    return question->weights ? question->weights[condition] : 1;
}
