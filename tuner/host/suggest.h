/* SPDX-License-Identifier: MIT */
/* "Did you mean": the known name nearest to a mistyped one. */
#ifndef ALTPICK_HOST_SUGGEST_H
#define ALTPICK_HOST_SUGGEST_H

#include <stddef.h>

/* A search in progress; start with {.typed = ...}. */
struct altpick_suggestion {
    const char *typed;
    const char *best; /* NULL while nothing is near */
    size_t best_distance;
};

/* Consider @name: it is kept when it is nearer than those before it and near enough to be meant. */
void altpick_suggest(struct altpick_suggestion *suggestion, const char *name);

#endif
