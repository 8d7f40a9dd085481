/* SPDX-License-Identifier: MIT */
/* From a machine or a ready output to the text of a format: what emit and tune share. */
#ifndef ALTPICK_HOST_EMIT_H
#define ALTPICK_HOST_EMIT_H

#include "command.h"
#include "sites.h"

#include "altpick/generator.h"
#include "altpick/output.h"
#include "altpick/policy.h"
#include "altpick/profile.h"

/* What is written: -f, --flavour and --layout, looked up.  Zeroed memory is an empty form. */
struct altpick_emit_form {
    const struct altpick_generator *generator;
    const char *flavour;                      /* NULL where the format has none */
    const struct altpick_site_layout *layout; /* NULL: the decisions themselves */
    struct altpick_site_list sites;           /* of --sites; empty without a layout */
};

/*
 * Look up the format of @options, and read its sites; ALTPICK_EUSAGE and the list of names when one
 * is missing or unknown.
 */
int altpick_emit_form(const struct altpick_options *options, struct altpick_emit_form *ret_form,
                      struct altpick_diag *diag);

void altpick_emit_form_fini(struct altpick_emit_form *form);

/* Decide and print what was measured on @machine, warning of what is undecided. */
int altpick_emit_machine(struct altpick_command_io *io, const struct altpick_machine *machine,
                         const struct altpick_policy *policy, const struct altpick_emit_form *form,
                         struct altpick_text *ret_text);

/* emit_form.c: print @output in @form. */
int altpick_emit_output(const struct altpick_emit_form *form, const struct altpick_output *output,
                        struct altpick_text *ret_text, struct altpick_diag *diag);

/*
 * The text of the one machine of all profiles that are operands of @options; without a profile, of
 * the known CPU that was named, or of no machine.  Sets the target of @policy where that follows.
 */
int altpick_emit_text(struct altpick_command_io *io, const struct altpick_options *options,
                      struct altpick_policy *policy, const struct altpick_emit_form *form,
                      struct altpick_text *ret_text);

/* Print the recommended forms, which need no figures; warns of a policy that they do not follow. */
int altpick_emit_default(struct altpick_command_io *io, const struct altpick_policy *policy,
                         const struct altpick_emit_form *form, struct altpick_text *ret_text);

#endif
