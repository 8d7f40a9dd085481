/* SPDX-License-Identifier: MIT */
/* altpick show: every question of a profile, all candidates, and what is decided. */
#include "choices.h"
#include "command.h"
#include "inputs.h"
#include "show.h"

#include "diag.h"

#include "altpick/json.h"

/* Text of one machine, or its object in the JSON document. */
static int show_machine(struct altpick_command_io *io, const struct altpick_machine *machine,
                        const struct altpick_policy *policy, bool brief, struct altpick_json *json)
{
    struct altpick_choices choices;
    int r = altpick_choices_make(machine, policy, &choices, &io->diag);

    if (r < 0)
        return r;
    if (json)
        altpick_show_json(&choices, json);
    else
        altpick_show_text(&choices, brief, &io->out);
    r = altpick_choices_warn(io, &choices);
    altpick_choices_fini(&choices);
    return r;
}

/* Every machine, or the one that was named.  Undecided items of one do not hide the others. */
static int show_machines(struct altpick_command_io *io, const struct altpick_options *options,
                         const struct altpick_inputs *inputs, const struct altpick_policy *policy)
{
    const struct altpick_machine *machine;
    struct altpick_json json;
    int r, worst = ALTPICK_OK;

    if (options->machine || !altpick_inputs_nth(inputs, NULL, 0)) {
        r = altpick_inputs_machine(inputs, options->machine, &machine, &io->diag);
        if (r < 0)
            return r;
    }
    if (options->json) {
        altpick_json_init(&json, &io->out);
        altpick_json_object(&json, NULL);
        altpick_json_array(&json, "machines");
    }
    for (size_t i = 0; (machine = altpick_inputs_nth(inputs, options->machine, i)); i++) {
        if (i > 0 && !options->json)
            altpick_printf(&io->out, "\n");
        r = show_machine(io, machine, policy, options->brief, options->json ? &json : NULL);
        worst = r < 0 ? r : worst;
        if (r < 0 && r != ALTPICK_EUNDECIDED)
            return r;
    }
    if (options->json) {
        altpick_json_end(&json);
        altpick_json_end(&json);
        altpick_json_finish(&json);
    }
    return worst;
}

static int show(struct altpick_command_io *io, const struct altpick_options *options)
{
    struct altpick_inputs inputs = {0};
    struct altpick_wishes wishes = {0};
    int r;

    r = altpick_wishes_read(options, &wishes, &io->diag);
    if (r < 0)
        goto out;
    r = altpick_inputs_read(options->operands, options->n_operands, &inputs, &io->diag);
    if (r < 0)
        goto out;
    r = altpick_command_check_policy(io, &wishes.policy);
    if (r < 0)
        goto out;
    altpick_inputs_target(&inputs, &wishes.policy);
    r = show_machines(io, options, &inputs, &wishes.policy);
    /* Half an answer is no answer. */
    if (r < 0 && r != ALTPICK_EUNDECIDED)
        altpick_command_discard(io);
out:
    altpick_inputs_fini(&inputs);
    altpick_wishes_fini(&wishes);
    return r;
}

const struct altpick_command altpick_command_show = {
    .name = "show",
    .operands = "PROFILE",
    .title = "print every question of a profile: candidates, costs, guarantees, decision",
    .groups = ALTPICK_OPTIONS_POLICY | ALTPICK_OPTIONS_MACHINE | ALTPICK_OPTIONS_JSON |
              ALTPICK_OPTIONS_BRIEF,
    .min_operands = 1,
    .max_operands = 1,
    .run = show,
};
