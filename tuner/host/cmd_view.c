/* SPDX-License-Identifier: MIT */
/* altpick view: code of a kernel as it runs after boot, on a CPU that need not be here. */
#include "command.h"
#include "view_show.h"

static void warn(void *ctx, const char *text)
{
    altpick_command_warn_long(ctx, text);
}

static int view(struct altpick_command_io *io, const struct altpick_options *options)
{
    const struct altpick_view_request request = {
        .path = options->operands[0],
        .features = options->features,
        .diff = options->diff,
        .cpufeatures = options->cpufeatures,
        .machine = options->machine,
        .function = options->function,
        .range = options->range,
        .layout = options->layout,
        .kernel = options->kernel,
        .symbols = options->symbols,
        .syntax = options->syntax,
        .sites = options->every_site,
        .up = options->up,
        .json = options->json,
        .warn = warn,
        .ctx = io,
    };

    return altpick_view_show(&request, &io->out, &io->diag);
}

const struct altpick_command altpick_command_view = {
    .name = "view",
    .operands = "FILE",
    .title = "show a kernel's code as it runs after boot on a CPU with given features",
    .groups = ALTPICK_OPTIONS_VIEW | ALTPICK_OPTIONS_MACHINE | ALTPICK_OPTIONS_JSON,
    .min_operands = 1,
    .max_operands = 1,
    .run = view,
};
