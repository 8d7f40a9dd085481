/* SPDX-License-Identifier: MIT */
/* altpick probe: measure this machine into a profile. */
#include "boot_table.h"
#include "choices.h"
#include "command.h"
#include "from_serial.h"
#include "probing.h"
#include "profile_read.h"
#include "vm_probe.h"

#include "diag.h"

#include <fnmatch.h>
#include <string.h>

int altpick_probing_check(const struct altpick_options *options, struct altpick_diag *diag)
{
    char known[256] = "";

    if (!options->probe.only)
        return ALTPICK_OK;
    for (size_t i = 0; i < altpick_question_count; i++) {
        if (fnmatch(options->probe.only, altpick_questions[i]->name, 0) == 0)
            return ALTPICK_OK;
        strncat(known, i ? ", " : "", sizeof known - 1 - strlen(known));
        strncat(known, altpick_questions[i]->name, sizeof known - 1 - strlen(known));
    }
    return altpick_fail(diag, ALTPICK_EUSAGE, "--only: no question matches '%s'; there are %s",
                        options->probe.only, known);
}

/* "-" is standard output for -o alone. */
static int check_file(struct altpick_command_io *io, const char *option, const char *path)
{
    if (!path)
        return ALTPICK_OK;
    if (strcmp(path, "-") == 0)
        return altpick_fail(&io->diag, ALTPICK_EUSAGE, "%s needs a file", option);
    return altpick_command_check(io, path);
}

int altpick_probing_check_outputs(struct altpick_command_io *io,
                                  const struct altpick_options *options)
{
    int r = altpick_command_check(io, options->output);

    if (r == ALTPICK_OK)
        r = check_file(io, "--keep", options->keep);
    if (r == ALTPICK_OK)
        r = check_file(io, "--samples", options->probe.samples_path);
    return r;
}

int altpick_probing_run(struct altpick_command_io *io, const struct altpick_options *options,
                        struct altpick_profile *ret_profile)
{
    struct altpick_probe_options probe = options->probe;
    int r;

    probe.progress = io->progress;
    probe.progress_ctx = io->progress_ctx;
    r = altpick_probe_run(&probe, ret_profile, &io->diag);
    if (r < 0 && r != ALTPICK_EUNTRUSTED)
        return r;

    for (size_t i = 0; i < ret_profile->n_machines; i++)
        altpick_command_warn_machine(io, &ret_profile->machines[i]);
    if (r == ALTPICK_EUNTRUSTED && ret_profile->n_machines > 0)
        altpick_fail(&io->diag, r, "timing here is not trustworthy (%s); no cost was measured",
                     altpick_trust_name(ret_profile->machines[0].trust));
    return r;
}

int altpick_probing_text(const struct altpick_profile *profile, struct altpick_text *ret_text,
                         struct altpick_diag *diag)
{
    struct altpick_text text;
    struct altpick_out out;
    int r;

    altpick_text_init(&text, &out);
    r = altpick_profile_write(profile, &out);
    if (r < 0) {
        altpick_text_fini(&text);
        return altpick_fail(diag, r, "the profile: %s", altpick_err_text(r));
    }
    *ret_text = text;
    return ALTPICK_OK;
}

static int boot_table_text(const struct altpick_profile *profile, struct altpick_text *ret_text,
                           struct altpick_diag *diag)
{
    struct altpick_text text;
    struct altpick_out out;

    altpick_text_init(&text, &out);
    for (size_t i = 0; i < profile->n_machines; i++)
        altpick_boot_table_print(&profile->machines[i], &out);
    if (out.err < 0) {
        altpick_text_fini(&text);
        return altpick_fail(diag, out.err, "the table: %s", altpick_err_text(out.err));
    }
    *ret_text = text;
    return ALTPICK_OK;
}

/* An untrusted profile is written as well: it holds no cost, and says who this machine is. */
static int probe(struct altpick_command_io *io, const struct altpick_options *options)
{
    struct altpick_profile profile = {0};
    struct altpick_text text = {0};
    int r, trusted;

    if (options->from_serial)
        return altpick_from_serial(io, options);
    r = altpick_probing_check(options, &io->diag);
    if (r == ALTPICK_OK && options->ring0_kvm)
        r = altpick_vm_probe_check(options, &io->diag);
    if (r == ALTPICK_OK)
        r = altpick_probing_check_outputs(io, options);
    if (r < 0)
        return r;
    trusted = options->ring0_kvm
                  ? altpick_vm_probe_run(&altpick_vm_program_built_in, io, options, &profile)
                  : altpick_probing_run(io, options, &profile);
    if (trusted < 0 && trusted != ALTPICK_EUNTRUSTED)
        return trusted;

    r = options->probe.boot_table ? boot_table_text(&profile, &text, &io->diag)
                                  : altpick_probing_text(&profile, &text, &io->diag);
    if (r == ALTPICK_OK)
        r = altpick_command_output(io, options->output, &text);
    altpick_text_fini(&text);
    altpick_profile_fini(&profile);
    return r < 0 ? r : trusted;
}

const struct altpick_command altpick_command_probe = {
    .name = "probe",
    .operands = "",
    .title = "measure this machine and write a profile",
    .groups = ALTPICK_OPTIONS_PROBE | ALTPICK_OPTIONS_CPU | ALTPICK_OPTIONS_OUTPUT |
              ALTPICK_OPTIONS_SERIAL | ALTPICK_OPTIONS_RING0,
    .run = probe,
};
