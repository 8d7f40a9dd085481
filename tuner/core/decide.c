/* SPDX-License-Identifier: MIT */
/* All items of a question, in order: later contests see the decisions of earlier ones. */
#include "altpick/decide.h"

#include "bytes.h"

void altpick_decide(const struct altpick_question *question, const struct altpick_result *result,
                    const struct altpick_policy *policy, struct altpick_decisions *ret_decisions)
{
    ret_decisions->question = question;
    ret_decisions->result = result;
    ret_decisions->n_decisions = question->n_items;
    for (size_t i = 0; i < question->n_items; i++) {
        struct altpick_decision *decision = &ret_decisions->decision[i];

        question->item(question, i, result, policy, ret_decisions->decision, &decision->contest);
        decision->contest.requires |= question->requires;
        altpick_contest_run(&decision->contest, policy, decision);
    }
}

const struct altpick_decision *altpick_decision_find(const struct altpick_decisions *decisions,
                                                     const char *item)
{
    for (size_t i = 0; i < decisions->n_decisions; i++) {
        if (altpick_equal(decisions->decision[i].contest.item, item))
            return &decisions->decision[i];
    }
    return NULL;
}
