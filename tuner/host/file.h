/* SPDX-License-Identifier: MIT */
/* Whole files: read into memory, written beside and renamed. */
#ifndef ALTPICK_HOST_FILE_H
#define ALTPICK_HOST_FILE_H

#include "altpick/err.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

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

/* Bytes in place of others. */
struct altpick_file_change {
    uint64_t offset;
    size_t bytes;
    const void *data;
};

/*
 * Write @path in the same way: a copy of @text with @changes, all of which lie inside of it, and
 * with @mode.  Something that exists and is no regular file is refused.
 */
int altpick_file_write_changed(const char *path, const char *text, size_t bytes, mode_t mode,
                               const struct altpick_file_change *changes, size_t n_changes,
                               struct altpick_diag *diag);

#endif
