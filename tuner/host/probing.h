/* SPDX-License-Identifier: MIT */
/* A probe as a command runs it: what probe and tune share. */
#ifndef ALTPICK_HOST_PROBING_H
#define ALTPICK_HOST_PROBING_H

#include "command.h"

#include "altpick/profile.h"

/* ALTPICK_EUSAGE and the names of the known questions when --only matches none of them. */
int altpick_probing_check(const struct altpick_options *options, struct altpick_diag *diag);

/*
 * Before anything is measured: that -o, --keep and --samples can be written, and are different
 * files.
 */
int altpick_probing_check_outputs(struct altpick_command_io *io,
                                  const struct altpick_options *options);

/*
 * altpick_probe_run() with progress, and with the profile's warnings passed on.  In an untrusted
 * environment: ALTPICK_EUNTRUSTED with *ret_profile set and a message that names the trust.
 */
int altpick_probing_run(struct altpick_command_io *io, const struct altpick_options *options,
                        struct altpick_profile *ret_profile);

/* @profile as text, freed by the caller. */
int altpick_probing_text(const struct altpick_profile *profile, struct altpick_text *ret_text,
                         struct altpick_diag *diag);

#endif
