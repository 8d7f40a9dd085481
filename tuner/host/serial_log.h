/* SPDX-License-Identifier: MIT */
/* A profile out of what a boot program wrote to a serial line. */
#ifndef ALTPICK_HOST_SERIAL_LOG_H
#define ALTPICK_HOST_SERIAL_LOG_H

#include "text.h"

#include "altpick/err.h"

#include <stddef.h>

/* A profile in a log; owns its text. */
struct altpick_serial_profile {
    struct altpick_text text; /* its bytes as they were sent */
    size_t line;              /* of the log, from 1, that its first byte is in */
};

/*
 * Take the profile out of @log: between the markers of integration/boot/common/front.h, lines of
 * which end in LF or CR LF, with any text before and after.  It is the profile that was sent: as
 * many bytes, with the same CRC-32.  Several that are equal count as one.  @name stands for the
 * file in messages, "file:line: reason".  ALTPICK_EFORMAT where there is none, or one is cut off,
 * damaged, empty or different from the first.  What the text says is not looked at.
 */
int altpick_serial_log_extract(const char *name, const char *log, size_t bytes,
                               struct altpick_serial_profile *ret_profile,
                               struct altpick_diag *diag);

/* Accepts zeroed memory. */
void altpick_serial_profile_fini(struct altpick_serial_profile *profile);

#endif
