/* SPDX-License-Identifier: MIT */
/* altpick emit: decisions in the form that another project's build consumes. */
#include "choices.h"
#include "command.h"
#include "emit.h"
#include "inputs.h"

#include "diag.h"

#include <string.h>

/* Name the first item that the filters left without a candidate, and why its preferred form fell.
 */
static int no_form(const struct altpick_choices *choices, struct altpick_diag *diag)
{
    for (size_t q = 0; q < choices->n_questions; q++) {
        for (size_t i = 0; i < choices->questions[q].n_decisions; i++) {
            const struct altpick_contest *contest = &choices->questions[q].decision[i].contest;

            if (choices->questions[q].decision[i].winner == ALTPICK_NO_ENTRY &&
                contest->n_entries > 0)
                return altpick_fail(diag, ALTPICK_ENOFIT, "%s: %s: no candidate is left; '%s': %s",
                                    choices->machine->name, contest->item, contest->entries[0].name,
                                    contest->entries[0].out);
        }
    }
    return altpick_fail(diag, ALTPICK_ENOFIT, "%s: an item is missing", choices->machine->name);
}

static int build_output(const struct altpick_choices *choices, struct altpick_output *ret_output,
                        struct altpick_diag *diag)
{
    const struct altpick_output_decisions decisions = {
        .nop_fill_64 = altpick_choices_find(choices, "nop.fill.64"),
        .nop_fill_32 = altpick_choices_find(choices, "nop.fill.32"),
        .nop_text_poke = altpick_choices_find(choices, "nop.text-poke"),
        .fpu_init = altpick_choices_find(choices, "fpu.init"),
        .kernel_fpu_begin = altpick_choices_find(choices, "kernel-fpu.begin"),
        .refcount = altpick_choices_find(choices, "refcount"),
        .xstate_save = altpick_choices_find(choices, "xstate.save"),
    };
    const char *machine = choices->machine->name;
    int r;

    if (!decisions.nop_fill_64 && !decisions.nop_fill_32 && !decisions.fpu_init &&
        !decisions.kernel_fpu_begin && !decisions.refcount && !decisions.xstate_save)
        return altpick_fail(diag, ALTPICK_ENOFIT, "%s: no result that anything is emitted of",
                            machine);
    r = altpick_output_build(choices->machine, choices->policy, &decisions, ret_output);
    if (r == ALTPICK_ENOFIT)
        return no_form(choices, diag);
    return r < 0 ? altpick_fail(diag, r, "%s: %s", machine, altpick_err_text(r)) : ALTPICK_OK;
}

int altpick_emit_machine(struct altpick_command_io *io, const struct altpick_machine *machine,
                         const struct altpick_policy *policy, const struct altpick_emit_form *form,
                         struct altpick_text *ret_text)
{
    struct altpick_choices choices = {0};
    struct altpick_output output;
    int r;

    if (!altpick_trust_is_usable(machine->trust))
        return altpick_fail(&io->diag, ALTPICK_EUNTRUSTED,
                            "%s: measured in an environment that is %s, so nothing can be decided",
                            machine->name, altpick_trust_name(machine->trust));
    if (machine->selftest_shuffle)
        altpick_command_warn(io, "%s: a self-test, in which names do not belong to their bytes",
                             machine->name);
    r = altpick_choices_make(machine, policy, &choices, &io->diag);
    if (r < 0)
        return r;
    r = build_output(&choices, &output, &io->diag);
    if (r == ALTPICK_OK)
        r = altpick_choices_warn(io, &choices);
    if (r == ALTPICK_OK)
        r = altpick_emit_output(form, &output, ret_text, &io->diag);
    altpick_choices_fini(&choices);
    return r;
}

int altpick_emit_default(struct altpick_command_io *io, const struct altpick_policy *policy,
                         const struct altpick_emit_form *form, struct altpick_text *ret_text)
{
    struct altpick_output output;

    if (policy->n_pins || policy->n_requires)
        return altpick_fail(&io->diag, ALTPICK_ENOFIT,
                            "%s: without a profile it is not known what can be used",
                            policy->n_pins ? "pin" : "require");
    if (policy->n_weights || policy->strict || policy->target != ALTPICK_TARGET_ANY_X86_64 ||
        policy->tie_margin_permille != ALTPICK_TIE_MARGIN_PERMILLE)
        altpick_command_warn(io, "without a profile nothing is decided: of the policy only max-nop "
                                 "has an effect");
    altpick_output_default(policy->max_nop_bytes, &output);
    return altpick_emit_output(form, &output, ret_text, &io->diag);
}

int altpick_emit_text(struct altpick_command_io *io, const struct altpick_options *options,
                      struct altpick_policy *policy, const struct altpick_emit_form *form,
                      struct altpick_text *ret_text)
{
    bool known = options->n_operands == 0;
    struct altpick_inputs inputs;
    const struct altpick_machine *machine;
    int r;

    if (known && !options->machine)
        return altpick_emit_default(io, policy, form, ret_text);

    r = known ? altpick_inputs_known(options->machine, &inputs, &io->diag)
              : altpick_inputs_read(options->operands, options->n_operands, &inputs, &io->diag);
    if (r < 0)
        return r;
    altpick_inputs_target(&inputs, policy);
    r = altpick_inputs_machine(&inputs, known ? NULL : options->machine, &machine, &io->diag);
    if (r == ALTPICK_OK)
        r = altpick_emit_machine(io, machine, policy, form, ret_text);
    altpick_inputs_fini(&inputs);
    return r;
}

static int emit(struct altpick_command_io *io, const struct altpick_options *options)
{
    struct altpick_wishes wishes = {0};
    struct altpick_text text = {0};
    struct altpick_emit_form form = {0};
    int r;

    r = altpick_emit_form(options, &form, &io->diag);
    if (r == ALTPICK_OK)
        r = altpick_wishes_read(options, &wishes, &io->diag);
    if (r == ALTPICK_OK)
        r = altpick_command_check_policy(io, &wishes.policy);
    if (r == ALTPICK_OK)
        r = altpick_emit_text(io, options, &wishes.policy, &form, &text);
    if (r == ALTPICK_OK)
        r = altpick_command_output(io, options->output, &text);
    altpick_text_fini(&text);
    altpick_wishes_fini(&wishes);
    altpick_emit_form_fini(&form);
    return r;
}

const struct altpick_command altpick_command_emit = {
    .name = "emit",
    .operands = "[PROFILE]...",
    .title = "decide, and write the choice for a build; without a profile the recommended forms",
    .groups = ALTPICK_OPTIONS_FORMAT | ALTPICK_OPTIONS_OUTPUT | ALTPICK_OPTIONS_MACHINE |
              ALTPICK_OPTIONS_POLICY,
    .max_operands = 64,
    .run = emit,
};
