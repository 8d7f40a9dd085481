/* SPDX-License-Identifier: MIT */
/* altpick inspect: patch tables and padding of object files, modules and images. */
#include "command.h"
#include "diag.h"
#include "inspect.h"

#include "altpick/json.h"

#include <stdint.h>

/* What happens to one file; the object goes into @json where that is not NULL. */
static int inspect_file(struct altpick_command_io *io, const struct altpick_options *options,
                        const char *path, struct altpick_json *json)
{
    struct altpick_inspect_wish wish = {
        .layout = options->layout,
        .with_records = options->entries,
        .with_census = !options->no_census,
    };

    return altpick_inspect_file(path, &wish, json, &io->out, &io->diag);
}

/* A failure of one of several files does not hide the others. */
static int inspect_files(struct altpick_command_io *io, const struct altpick_options *options,
                         struct altpick_json *json)
{
    size_t failed = 0;
    int r, worst = ALTPICK_OK;

    if (json)
        altpick_json_array(json, NULL);
    for (size_t i = 0; i < options->n_operands; i++) {
        const char *path = options->operands[i];

        r = inspect_file(io, options, path, json);
        if (r == ALTPICK_EUSAGE) {
            altpick_command_discard(io);
            return r;
        }
        if (r == ALTPICK_OK)
            continue;
        failed++;
        worst = r;
        altpick_command_complain(io, "%s", io->diag.text);
        if (json)
            altpick_inspect_failed_json(path, io->diag.text, json);
    }
    if (json)
        altpick_json_end(json);
    if (failed == 0)
        return ALTPICK_OK;
    return altpick_fail(&io->diag, worst, "%zu of %zu files could not be inspected", failed,
                        options->n_operands);
}

static int inspect(struct altpick_command_io *io, const struct altpick_options *options)
{
    struct altpick_json json;
    int r;

    altpick_json_init(&json, &io->out);
    if (options->n_operands == 1)
        r = inspect_file(io, options, options->operands[0], options->json ? &json : NULL);
    else
        r = inspect_files(io, options, options->json ? &json : NULL);
    if (r < 0 && options->n_operands == 1)
        altpick_command_discard(io);
    else if (options->json)
        altpick_json_finish(&json);
    return r;
}

const struct altpick_command altpick_command_inspect = {
    .name = "inspect",
    .operands = "FILE...",
    .title = "print the patch tables of object files and images, and what pads their code",
    .groups = ALTPICK_OPTIONS_INSPECT | ALTPICK_OPTIONS_JSON,
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .run = inspect,
};
