/* SPDX-License-Identifier: MIT */
/* Where figures of others come from: what known.c asks of each table, and what the tables share. */
#ifndef ALTPICK_PROBES_KNOWN_SOURCE_H
#define ALTPICK_PROBES_KNOWN_SOURCE_H

#include "known.h"

struct altpick_known_source {
    size_t (*count)(void);

    /* Fill both, which are zeroed. */
    void (*identify)(size_t index, struct altpick_known *known, struct altpick_machine *machine);

    /* Bit n: CPU @index has figures of @question in enum altpick_condition n. */
    uint32_t (*conditions)(size_t index, const char *question);

    /* Fill costs of @candidate, which are zeroed, where there are figures. */
    void (*costs)(size_t index, const char *question, const struct altpick_candidate *candidate,
                  struct altpick_cost costs[ALTPICK_N_CONDITIONS]);

    /* What @candidate guarantees there besides what it declares; NULL: nothing. */
    uint64_t (*promises)(size_t index, const char *question,
                         const struct altpick_candidate *candidate);

    const char *elsewhere; /* why other conditions have none */
};

extern const struct altpick_known_source altpick_known_dumps;   /* of NOPs, by others' programs */
extern const struct altpick_known_source altpick_known_seeds;   /* of the thread about NOPs */
extern const struct altpick_known_source altpick_known_threads; /* of threads about other code */

/* Append a warning to @machine, made of two texts. */
void altpick_known_warn(struct altpick_machine *machine, const char *what, const char *more);

#endif
