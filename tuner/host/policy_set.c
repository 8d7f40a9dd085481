/* SPDX-License-Identifier: MIT */
/* Turns single settings, checked, into entries of a policy. */
#include "policy_set.h"

#include "json_read.h"

#include <string.h>

#define QUESTION_MAX sizeof((struct altpick_policy *) 0)->weights[0].question
#define ITEM_MAX     sizeof((struct altpick_policy *) 0)->pins[0].item

static const char too_many[] = "too many entries";

bool altpick_policy_all_weights_zero(const struct altpick_policy *policy, const char *name)
{
    const struct altpick_question *question = altpick_question_find(name);
    const struct altpick_question unknown = {.name = name, .conditions = UINT32_MAX};
    uint64_t sum = 0;

    if (!question)
        question = &unknown;
    for (unsigned i = 0; i < ALTPICK_N_CONDITIONS; i++) {
        if (question->conditions >> i & 1)
            sum += altpick_policy_weight(policy, question, i);
    }
    return sum == 0;
}

const char *altpick_policy_set_weight(struct altpick_policy *policy, const char *question,
                                      unsigned condition, uint32_t weight)
{
    const struct altpick_question *known = altpick_question_find(question);
    const char *fault = altpick_name_fault(question, QUESTION_MAX);
    size_t i = 0;

    if (fault)
        return fault;
    if (known && known->unranked >> condition & 1)
        return "that condition is shown for this question, but never decides";
    while (i < policy->n_weights && (policy->weights[i].condition != condition ||
                                     strcmp(policy->weights[i].question, question) != 0))
        i++;
    if (i == ALTPICK_POLICY_LIST_MAX)
        return too_many;
    if (i == policy->n_weights)
        policy->n_weights++;
    strcpy(policy->weights[i].question, question);
    policy->weights[i].condition = condition;
    policy->weights[i].weight = weight;
    return NULL;
}

const char *altpick_policy_set_require(struct altpick_policy *policy, const char *question,
                                       unsigned guarantee)
{
    const char *fault = altpick_name_fault(question, QUESTION_MAX);
    size_t i = 0;

    if (fault)
        return fault;
    while (i < policy->n_requires && (policy->requires[i].guarantee != guarantee ||
                                      strcmp(policy->requires[i].question, question) != 0))
        i++;
    if (i == ALTPICK_POLICY_LIST_MAX)
        return too_many;
    if (i == policy->n_requires)
        policy->n_requires++;
    strcpy(policy->requires[i].question, question);
    policy->requires[i].guarantee = guarantee;
    return NULL;
}

const char *altpick_policy_set_pin(struct altpick_policy *policy, const char *item,
                                   const char *candidate)
{
    const char *fault = altpick_name_fault(item, ITEM_MAX);
    size_t i = 0;

    if (!fault)
        fault = altpick_name_fault(candidate, sizeof policy->pins[0].candidate);
    if (fault)
        return fault;
    while (i < policy->n_pins && strcmp(policy->pins[i].item, item) != 0)
        i++;
    if (i == ALTPICK_POLICY_LIST_MAX)
        return too_many;
    if (i == policy->n_pins)
        policy->n_pins++;
    strcpy(policy->pins[i].item, item);
    strcpy(policy->pins[i].candidate, candidate);
    return NULL;
}
