/* SPDX-License-Identifier: MIT */
/* From a machine or a ready output to the text of a format: what emit and tune share. */
#ifndef ALTPICK_HOST_EMIT_H
#define ALTPICK_HOST_EMIT_H

#include "command.h"

#include "altpick/generator.h"
#include "altpick/output.h"
#include "altpick/policy.h"
#include "altpick/profile.h"

/* What is written: -f and --flavour, looked up. */
struct altpick_emit_form {
    const struct altpick_generator *generator;
    const char *flavour; /* NULL where the format has none */
};

/* Look up the format of @options; ALTPICK_EUSAGE and the list of names when it is missing or
 * unknown. */
int altpick_emit_form(const struct altpick_options *options, struct altpick_emit_form *ret_form,
                      struct altpick_diag *diag);

/* Print @output into *ret_text, which the caller frees. */
int altpick_emit_output(const struct altpick_emit_form *form, const struct altpick_output *output,
                        struct altpick_text *ret_text, struct altpick_diag *diag);

/* Decide and print what was measured on @machine, warning of what is undecided. */
int altpick_emit_machine(struct altpick_command_io *io, const struct altpick_machine *machine,
                         const struct altpick_policy *policy, const struct altpick_emit_form *form,
                         struct altpick_text *ret_text);

#endif
