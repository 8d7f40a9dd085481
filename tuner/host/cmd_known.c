/* SPDX-License-Identifier: MIT */
/* altpick known: published figures of CPUs that we do not have, as a profile. */
#include "choices.h"
#include "command.h"
#include "known_find.h"
#include "probing.h"
#include "profile_read.h"

static int known(struct altpick_command_io *io, const struct altpick_options *options)
{
    struct altpick_profile profile = {0};
    struct altpick_text text = {0};
    int r;

    r = altpick_known_profile(options->operands, options->n_operands, &profile, &io->diag);
    if (r < 0)
        return r;
    for (size_t i = 0; i < profile.n_machines; i++)
        altpick_command_warn_machine(io, &profile.machines[i]);
    r = altpick_probing_text(&profile, &text, &io->diag);
    if (r == ALTPICK_OK)
        r = altpick_command_output(io, options->output, &text);
    altpick_text_fini(&text);
    altpick_profile_fini(&profile);
    return r;
}

const struct altpick_command altpick_command_known = {
    .name = "known",
    .operands = "NAME...",
    .title = "write a profile of CPUs with published figures, by name or signature",
    .groups = ALTPICK_OPTIONS_OUTPUT,
    .min_operands = 1,
    .operands_are_names = true,
    .max_operands = 64,
    .run = known,
};
