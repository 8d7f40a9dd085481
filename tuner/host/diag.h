/* SPDX-License-Identifier: MIT */
/* One line for the user about what failed, where and why. */
#ifndef ALTPICK_HOST_DIAG_H
#define ALTPICK_HOST_DIAG_H

#include "altpick/err.h"

/* Replace what a terminal could obey: file names and keys of profiles may hold anything. */
void altpick_plain(char *text);

/* Fill @diag (printf style; control characters are replaced) and return @err. */
__attribute__((format(printf, 3, 4))) int altpick_fail(struct altpick_diag *diag, int err,
                                                       const char *format, ...);

#endif
