/* SPDX-License-Identifier: MIT */
/* altpick probe --from-serial: the machine was measured by a boot program. */
#ifndef ALTPICK_HOST_FROM_SERIAL_H
#define ALTPICK_HOST_FROM_SERIAL_H

#include "command.h"

/*
 * Write the profile in the log options->from_serial ("-": standard input) to where options say, as
 * it was sent.  ALTPICK_EUSAGE with options that would measure here; ALTPICK_EFORMAT, and nothing
 * is written, where the log holds no whole and valid profile; ALTPICK_EUNTRUSTED, and it is
 * written, where the profile says that timing on that machine means nothing.
 */
int altpick_from_serial(struct altpick_command_io *io, const struct altpick_options *options);

#endif
