/* SPDX-License-Identifier: MIT */
/* altpick tune: probe, decide and emit in one step. */
#include "choices.h"
#include "command.h"
#include "emit.h"
#include "probing.h"
#include "profile_read.h"

#include "diag.h"
#include "file.h"

#include <stdbool.h>

/* Without figures: the recommended forms, and a warning that says why. */
static int write_default(struct altpick_command_io *io, const struct altpick_options *options,
                         const struct altpick_policy *policy, const struct altpick_emit_form *form,
                         const char *why)
{
    struct altpick_text text = {0};
    int r;

    altpick_command_warn(io, "%s; writing the default, which is not from this machine", why);
    r = altpick_emit_default(io, policy, form, &text);
    if (r == ALTPICK_OK)
        r = altpick_command_output(io, options->output, &text);
    altpick_text_fini(&text);
    return r;
}

/* What --fallback=default stands in for: this machine cannot be measured at all. */
static bool is_unmeasurable(int r)
{
    return r == ALTPICK_EUNTRUSTED || r == ALTPICK_ENOCLOCK || r == ALTPICK_EUNSUPPORTED;
}

/* Both files are made before either is written. */
static int write_measured(struct altpick_command_io *io, const struct altpick_options *options,
                          const struct altpick_profile *profile,
                          const struct altpick_policy *policy, const struct altpick_emit_form *form)
{
    struct altpick_text text = {0}, kept = {0};
    int r;

    r = altpick_emit_machine(io, &profile->machines[0], policy, form, &text);
    if (r < 0)
        goto out;
    if (options->keep) {
        r = altpick_probing_text(profile, &kept, &io->diag);
        if (r < 0)
            goto out;
        r = altpick_file_write(options->keep, kept.data, kept.bytes, &io->diag);
        if (r < 0)
            goto out;
    }
    r = altpick_command_output(io, options->output, &text);
out:
    altpick_text_fini(&kept);
    altpick_text_fini(&text);
    return r;
}

static int probe_and_write(struct altpick_command_io *io, const struct altpick_options *options,
                           const struct altpick_policy *policy,
                           const struct altpick_emit_form *form)
{
    struct altpick_profile profile = {0};
    int r;

    if (io->source_date_epoch && !options->allow_native) {
        static const char why[] =
            "SOURCE_DATE_EPOCH asks for a reproducible build, and measuring is "
            "none: commit a profile and use altpick emit, or give --allow-native";

        return options->fallback_default ? write_default(io, options, policy, form, why)
                                         : altpick_fail(&io->diag, ALTPICK_EUNTRUSTED, "%s", why);
    }
    r = altpick_probing_run(io, options, &profile);
    if (r == ALTPICK_OK)
        r = write_measured(io, options, &profile, policy, form);
    else if (is_unmeasurable(r) && options->fallback_default)
        r = write_default(io, options, policy, form, io->diag.text);
    altpick_profile_fini(&profile);
    return r;
}

static int tune(struct altpick_command_io *io, const struct altpick_options *options)
{
    struct altpick_wishes wishes = {0};
    struct altpick_emit_form form = {0};
    int r;

    r = altpick_emit_form(options, &form, &io->diag);
    if (r == ALTPICK_OK && !options->output)
        r = altpick_fail(&io->diag, ALTPICK_EUSAGE, "-o FILE is needed");
    if (r == ALTPICK_OK)
        r = altpick_probing_check(options, &io->diag);
    if (r == ALTPICK_OK)
        r = altpick_probing_check_outputs(io, options);
    if (r == ALTPICK_OK)
        r = altpick_wishes_read(options, &wishes, &io->diag);
    if (r == ALTPICK_OK)
        r = altpick_command_check_policy(io, &wishes.policy);
    if (r == ALTPICK_OK)
        r = probe_and_write(io, options, &wishes.policy, &form);
    altpick_wishes_fini(&wishes);
    altpick_emit_form_fini(&form);
    return r;
}

const struct altpick_command altpick_command_tune = {
    .name = "tune",
    .operands = "",
    .title = "measure this machine, decide, and write the choice",
    .groups = ALTPICK_OPTIONS_FORMAT | ALTPICK_OPTIONS_OUTPUT | ALTPICK_OPTIONS_TUNE |
              ALTPICK_OPTIONS_PROBE | ALTPICK_OPTIONS_CPU | ALTPICK_OPTIONS_POLICY,
    .run = tune,
};
