/* SPDX-License-Identifier: MIT */
/* What was asked of `view`, done: reads, runs, warns and prints. */
#ifndef ALTPICK_HOST_VIEW_SHOW_H
#define ALTPICK_HOST_VIEW_SHOW_H

#include "altpick/err.h"
#include "altpick/out.h"

#include <stdbool.h>

/* Options of the command; NULL where one was not given. */
struct altpick_view_request {
    const char *path;
    const char *features, *diff, *cpufeatures, *machine;
    const char *function, *range;
    const char *layout, *kernel, *symbols, *syntax;
    bool sites, up, json;
    void (*warn)(void *ctx, const char *text); /* called with ctx */
    void *ctx;
};

/* Do it, writing to @out.  ALTPICK_EUSAGE for options that do not go together, else what the parts
 * fail with. */
int altpick_view_show(const struct altpick_view_request *request, struct altpick_out *out,
                      struct altpick_diag *diag);

#endif
