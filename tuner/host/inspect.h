/* SPDX-License-Identifier: MIT */
/* One file inspected and printed, without a word about how. */
#ifndef ALTPICK_HOST_INSPECT_H
#define ALTPICK_HOST_INSPECT_H

#include "altpick/err.h"
#include "altpick/json.h"
#include "altpick/out.h"

#include <stdbool.h>

struct altpick_inspect_wish {
    const char *layout; /* name of the only one to take for its section, or NULL */
    bool with_records, with_census;
};

/*
 * Inspect @path; print it to @out, or as an object into @json where that is not NULL.  Nothing is
 * printed on failure.  ALTPICK_EUSAGE: there is no such layout.
 */
int altpick_inspect_file(const char *path, const struct altpick_inspect_wish *wish,
                         struct altpick_json *json, struct altpick_out *out,
                         struct altpick_diag *diag);

/* The object that stands for a file that failed. */
void altpick_inspect_failed_json(const char *path, const char *why, struct altpick_json *json);

#endif
