/* SPDX-License-Identifier: MIT */
/* The features that a patch table asks for. */
#ifndef ALTPICK_HOST_VIEW_ASKED_H
#define ALTPICK_HOST_VIEW_ASKED_H

#include "elf/overlay.h"

struct altpick_view_asked {
    unsigned number;
    size_t entries, applied;
};

/*
 * Count the features of all entries of @overlay, the one that is asked for most first.  The caller
 * frees *ret_asked.  ALTPICK_ENOMEM.
 */
int altpick_view_asked_make(const struct altpick_overlay *overlay,
                            struct altpick_view_asked **ret_asked, size_t *ret_n,
                            struct altpick_diag *diag);

#endif
