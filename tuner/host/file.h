/* SPDX-License-Identifier: MIT */
/* Whole files: read into memory, written beside and renamed. */
#ifndef ALTPICK_HOST_FILE_H
#define ALTPICK_HOST_FILE_H

#include "altpick/err.h"

#include <stddef.h>

/*
 * Read @path ("-": standard input) into *ret_text, NUL-terminated, owned by the caller.  More than
 * @max_bytes is refused.
 */
int altpick_file_read(const char *path, size_t max_bytes, char **ret_text, size_t *ret_bytes,
                      struct altpick_diag *diag);

/*
 * Write @path as a whole: a temporary file beside it, synced, then renamed over it; on any failure
 * @path is what it was and the temporary is gone.  Something that exists and is no regular file (a
 * device, a pipe) is written in place.  An existing file keeps its mode.
 */
int altpick_file_write(const char *path, const char *text, size_t bytes, struct altpick_diag *diag);

#endif
