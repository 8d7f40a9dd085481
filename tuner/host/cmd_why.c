/* SPDX-License-Identifier: MIT */
/* altpick why: one decision explained, or all of a question in a line each. */
#include "choices.h"
#include "command.h"
#include "inputs.h"
#include "why.h"

#include "diag.h"
#include "suggest.h"

#include <string.h>

/* Neither a question nor an item: known names make it a mistake, the rest is what the profile
 * lacks. */
static int no_such_name(const struct altpick_choices *choices, const char *name,
                        struct altpick_diag *diag)
{
    struct altpick_suggestion suggestion = {.typed = name};

    if (altpick_question_find(name))
        return altpick_fail(diag, ALTPICK_ENOFIT, "%s: no result for %s", choices->machine->name,
                            name);
    for (size_t i = 0; i < choices->n_questions; i++) {
        altpick_suggest(&suggestion, choices->questions[i].question->name);
        for (size_t k = 0; k < choices->questions[i].n_decisions; k++)
            altpick_suggest(&suggestion, choices->questions[i].decision[k].contest.item);
    }
    return altpick_fail(diag, ALTPICK_ENOFIT, "%s: no question or item %s%s%s%s",
                        choices->machine->name, name, suggestion.best ? "; did you mean '" : "",
                        suggestion.best ? suggestion.best : "", suggestion.best ? "'?" : "");
}

static int explain_item(struct altpick_command_io *io, const struct altpick_choices *choices,
                        const struct altpick_decisions *decisions,
                        const struct altpick_decision *decision)
{
    altpick_why_item(decisions, decision, choices->policy, &io->out);
    if (choices->policy->strict && decision->verdict == ALTPICK_VERDICT_UNDECIDED)
        return altpick_fail(&io->diag, ALTPICK_EUNDECIDED, "%s: %s is undecided",
                            choices->machine->name, decision->contest.item);
    return ALTPICK_OK;
}

static int explain(struct altpick_command_io *io, const struct altpick_choices *choices,
                   const char *name)
{
    const struct altpick_decisions *decisions = altpick_choices_find(choices, name);

    if (decisions) {
        altpick_why_question(decisions, &io->out);
        return altpick_choices_warn(io, choices);
    }
    for (size_t i = 0; i < choices->n_questions; i++) {
        const struct altpick_decision *decision =
            altpick_decision_find(&choices->questions[i], name);

        if (decision)
            return explain_item(io, choices, &choices->questions[i], decision);
    }
    return no_such_name(choices, name, &io->diag);
}

static int why(struct altpick_command_io *io, const struct altpick_options *options)
{
    struct altpick_inputs inputs = {0};
    struct altpick_wishes wishes = {0};
    struct altpick_choices choices = {0};
    const struct altpick_machine *machine;
    int r;

    r = altpick_wishes_read(options, &wishes, &io->diag);
    if (r < 0)
        goto out;
    r = altpick_inputs_read(options->operands + 1, 1, &inputs, &io->diag);
    if (r < 0)
        goto out;
    r = altpick_inputs_machine(&inputs, options->machine, &machine, &io->diag);
    if (r < 0)
        goto out;
    r = altpick_command_check_policy(io, &wishes.policy);
    if (r < 0)
        goto out;
    altpick_inputs_target(&inputs, &wishes.policy);
    r = altpick_choices_make(machine, &wishes.policy, &choices, &io->diag);
    if (r < 0)
        goto out;
    r = explain(io, &choices, options->operands[0]);
out:
    altpick_choices_fini(&choices);
    altpick_inputs_fini(&inputs);
    altpick_wishes_fini(&wishes);
    return r;
}

const struct altpick_command altpick_command_why = {
    .name = "why",
    .operands = "QUESTION[.ITEM] PROFILE",
    .title = "explain a decision: filters, intervals, margin, rules, what would change it",
    .groups = ALTPICK_OPTIONS_POLICY | ALTPICK_OPTIONS_MACHINE,
    .min_operands = 2,
    .max_operands = 2,
    .run = why,
};
