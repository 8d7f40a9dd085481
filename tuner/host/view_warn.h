/* SPDX-License-Identifier: MIT */
/* What a user must know of the features and the map that were given before trusting a view. */
#ifndef ALTPICK_HOST_VIEW_WARN_H
#define ALTPICK_HOST_VIEW_WARN_H

#include "view_report.h"

/* Takes one warning. */
typedef void (*altpick_view_warn)(void *ctx, const char *text);

/*
 * Call @warn with @ctx for each thing that is doubtful about @report and report->other: the layout,
 * a map that is not of this kernel, names that the map lacks, features that nobody told.
 * ALTPICK_ENOMEM.
 */
int altpick_view_warn_all(const struct altpick_view_report *report, altpick_view_warn warn,
                          void *ctx, struct altpick_diag *diag);

#endif
