/* SPDX-License-Identifier: MIT */
/* The published figures of one CPU dump, read from the TSV, and what code costs by them. */
#ifndef ALTPICK_REPLAY_FIGURES_H
#define ALTPICK_REPLAY_FIGURES_H

#include "altpick/question.h"

#include <stddef.h>

enum { REPLAY_FORMS = 28, REPLAY_MACHINES_MAX = 256 };

struct replay_machine {
    char name[96];               /* vendor:signature:name:core */
    double cycles[REPLAY_FORMS]; /* in the order of altpick_published_forms; 0: absent */
};

/*
 * Read the dumps of @path into at most @capacity machines, without merging any.  Returns how many
 * there are; ends the process with a message when the file is not what it should be.
 */
size_t replay_machines_read(const char *path, struct replay_machine *ret_machines, size_t capacity);

/* Core cycles of @candidate on @ctx, a struct replay_machine: the sum of its NOPs; 0: unpublished.
 */
double replay_machine_cycles(const void *ctx, const struct altpick_candidate *candidate);

#endif
