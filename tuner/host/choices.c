/* SPDX-License-Identifier: MIT */
/* The decisions of a machine's known questions, and what is to be said about them. */
#include "choices.h"
#include "command.h"

#include "diag.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A list of names for a message; what does not fit ends in "...". */
struct names {
    char text[640];
    size_t n;
};

static void names_add(struct names *names, const char *name)
{
    size_t used = strlen(names->text);

    if (used + strlen(name) + 8 < sizeof names->text)
        snprintf(names->text + used, sizeof names->text - used, "%s%s", names->n ? ", " : "", name);
    else if (used < 4 || strcmp(names->text + used - 3, "...") != 0)
        strcat(names->text, ", ...");
    names->n++;
}

/* Whether @item belongs to @question: "nop.fill.64.5" to "nop.fill.64". */
static bool is_item_of(const char *item, const char *question)
{
    size_t n = strlen(question);

    return strncmp(item, question, n) == 0 && item[n] == '.';
}

/* Say why @entry was left out, and what running it contradicted, all of it. */
static int refuse_pin(const char *item, const struct altpick_entry *entry,
                      struct altpick_diag *diag)
{
    struct names broken = {0};

    for (unsigned g = 0; entry->measurement && g < ALTPICK_N_GUARANTEES; g++) {
        if (entry->measurement->guarantee[g] == ALTPICK_GUARANTEE_IS_CONTRADICTED)
            names_add(&broken, altpick_guarantee_name(g));
    }
    return altpick_fail(diag, ALTPICK_EFORMAT, "pin %s=%s cannot hold: %s%s%s", item, entry->name,
                        entry->out ? entry->out : "is not what was decided",
                        broken.n ? "; running it contradicts " : "", broken.text);
}

static int check_pin(const struct altpick_decisions *decisions, const char *item,
                     const char *candidate, struct altpick_diag *diag)
{
    const struct altpick_decision *decision = altpick_decision_find(decisions, item);
    struct names names = {0};

    if (!decision) {
        for (size_t i = 0; i < decisions->n_decisions; i++)
            names_add(&names, decisions->decision[i].contest.item);
        return altpick_fail(diag, ALTPICK_EFORMAT, "pin %s=%s: no such item; there are %s", item,
                            candidate, names.text);
    }
    for (size_t i = 0; i < decision->contest.n_entries; i++) {
        const struct altpick_entry *entry = &decision->contest.entries[i];

        if (strcmp(entry->name, candidate) == 0)
            return decision->winner == (int) i ? ALTPICK_OK : refuse_pin(item, entry, diag);
        names_add(&names, decision->contest.entries[i].name);
    }
    return altpick_fail(diag, ALTPICK_EFORMAT, "pin %s=%s: no such candidate; there are %s", item,
                        candidate, names.text);
}

static int check_pins(const struct altpick_decisions *decisions,
                      const struct altpick_policy *policy, struct altpick_diag *diag)
{
    for (size_t i = 0; i < policy->n_pins; i++) {
        int r;

        if (!is_item_of(policy->pins[i].item, decisions->question->name))
            continue;
        r = check_pin(decisions, policy->pins[i].item, policy->pins[i].candidate, diag);
        if (r < 0)
            return r;
    }
    return ALTPICK_OK;
}

int altpick_choices_make(const struct altpick_machine *machine, const struct altpick_policy *policy,
                         struct altpick_choices *ret_choices, struct altpick_diag *diag)
{
    struct altpick_choices choices = {.machine = machine, .policy = policy};
    int r = ALTPICK_OK;

    /* One more: an allocation of nothing may be NULL. */
    choices.questions = calloc(altpick_question_count + 1, sizeof *choices.questions);
    if (!choices.questions)
        return altpick_fail(diag, ALTPICK_ENOMEM, "out of memory");

    for (size_t i = 0; i < altpick_question_count && r == ALTPICK_OK; i++) {
        const struct altpick_question *question = altpick_questions[i];
        const struct altpick_result *result = altpick_machine_result(machine, question->name);

        if (!result)
            continue;
        altpick_decide(question, result, policy, &choices.questions[choices.n_questions]);
        r = check_pins(&choices.questions[choices.n_questions++], policy, diag);
    }
    if (r < 0) {
        altpick_choices_fini(&choices);
        return r;
    }
    *ret_choices = choices;
    return ALTPICK_OK;
}

void altpick_choices_fini(struct altpick_choices *choices)
{
    free(choices->questions);
    *choices = (struct altpick_choices){0};
}

const struct altpick_decisions *altpick_choices_find(const struct altpick_choices *choices,
                                                     const char *question)
{
    for (size_t i = 0; i < choices->n_questions; i++) {
        if (strcmp(choices->questions[i].question->name, question) == 0)
            return &choices->questions[i];
    }
    return NULL;
}

static bool is_item_of_any(const char *item)
{
    for (size_t i = 0; i < altpick_question_count; i++) {
        if (is_item_of(item, altpick_questions[i]->name))
            return true;
    }
    return false;
}

int altpick_command_check_policy(struct altpick_command_io *io, const struct altpick_policy *policy)
{
    for (size_t i = 0; i < policy->n_requires; i++) {
        if (!altpick_question_find(policy->requires[i].question) &&
            !is_item_of_any(policy->requires[i].question))
            return altpick_fail(&io->diag, ALTPICK_EFORMAT,
                                "require: there is no question or item %s",
                                policy->requires[i].question);
    }
    for (size_t i = 0; i < policy->n_pins; i++) {
        if (!is_item_of_any(policy->pins[i].item))
            return altpick_fail(&io->diag, ALTPICK_EFORMAT,
                                "pin: there is no question with an item %s", policy->pins[i].item);
    }
    for (size_t i = 0; i < policy->n_weights; i++) {
        if (!altpick_question_find(policy->weights[i].question))
            altpick_command_warn(io, "weight: there is no question %s",
                                 policy->weights[i].question);
    }
    return ALTPICK_OK;
}

void altpick_command_warn_machine(struct altpick_command_io *io,
                                  const struct altpick_machine *machine)
{
    for (size_t i = 0; i < machine->n_warnings; i++)
        altpick_command_warn(io, "%s: %s", machine->name, machine->warnings[i]);
}

/* Items without figures to decide on: with --strict they are as bad as undecided ones. */
static bool is_open(const struct altpick_decision *decision)
{
    return decision->verdict == ALTPICK_VERDICT_UNDECIDED ||
           decision->verdict == ALTPICK_VERDICT_UNMEASURED;
}

static int warn_undecided(struct altpick_command_io *io, const struct altpick_choices *choices,
                          const struct altpick_decisions *decisions)
{
    const char *question = decisions->question->name;
    struct names names = {0};

    for (size_t i = 0; i < decisions->n_decisions; i++) {
        const struct altpick_decision *decision = &decisions->decision[i];

        if (is_open(decision) && !decisions->question->unmeasured)
            names_add(&names, decision->contest.item + (is_item_of(decision->contest.item, question)
                                                            ? strlen(question) + 1
                                                            : 0));
    }
    if (names.n == 0)
        return ALTPICK_OK;
    if (choices->policy->strict)
        return altpick_fail(&io->diag, ALTPICK_EUNDECIDED,
                            "%s: %s: %zu of %zu items are undecided or unmeasured: %s",
                            choices->machine->name, question, names.n, decisions->n_decisions,
                            names.text);
    altpick_command_warn(
        io, "%s: %s: %zu of %zu items are undecided or unmeasured and keep the preferred form: %s",
        choices->machine->name, question, names.n, decisions->n_decisions, names.text);
    return ALTPICK_OK;
}

int altpick_choices_warn(struct altpick_command_io *io, const struct altpick_choices *choices)
{
    for (size_t i = 0; i < choices->n_questions; i++) {
        int r = warn_undecided(io, choices, &choices->questions[i]);

        if (r < 0)
            return r;
    }
    return ALTPICK_OK;
}
