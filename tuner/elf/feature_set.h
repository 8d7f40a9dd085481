/* SPDX-License-Identifier: MIT */
/* Which CPU features a kernel would find, by its own numbers. */
#ifndef ALTPICK_ELF_FEATURE_SET_H
#define ALTPICK_ELF_FEATURE_SET_H

#include "elf/feature_map.h"

#include "altpick/cpu.h"
#include "altpick/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ALTPICK_FEATURE_WORDS = 64, /* twice what any kernel has */
    ALTPICK_FEATURE_ALWAYS = 3 * 32 + 21,
    ALTPICK_FEATURE_STRANGERS_MAX = 64,
};

/* What a description has and the map does not name. */
struct altpick_stranger {
    char name[ALTPICK_FEATURE_NAME_MAX];
    bool is_bug;
};

/* Zeroed memory is a CPU without any feature but the one that is always there. */
struct altpick_features {
    uint32_t present[ALTPICK_FEATURE_WORDS];
    uint32_t told[ALTPICK_FEATURE_WORDS]; /* somebody said that it is present or absent */
    /* The list came from a CPU's description, which cannot tell all: what is not told is unknown.
     */
    bool is_partial;
    struct altpick_stranger strangers[ALTPICK_FEATURE_STRANGERS_MAX]; /* the first of n_strangers */
    size_t n_strangers;
};

bool altpick_features_has(const struct altpick_features *features, unsigned number);
bool altpick_features_is_told(const struct altpick_features *features, unsigned number);
/* Whether nobody told of @number although the list cannot be complete: it is taken as absent. */
bool altpick_features_is_unknown(const struct altpick_features *features, unsigned number);
void altpick_features_set(struct altpick_features *features, unsigned number, bool present);

/* "9*32+20" or plain "308" into the number.  False where it is neither, or not below
 * ALTPICK_FEATURE_WORDS words. */
bool altpick_feature_number(const char *text, unsigned *ret_number);

/* An item of a list: "[!]W*32+B", the same number plain or, where there is a @map, "[!]NAME" of it.
 */
enum altpick_feature_item {
    ALTPICK_FEATURE_TAKEN,
    ALTPICK_FEATURE_NO_NUMBER, /* looks like a number and is none, or is too high */
    ALTPICK_FEATURE_NO_NAME,   /* not in the map */
    ALTPICK_FEATURE_NO_MAP,    /* a name, and there is no map */
};
enum altpick_feature_item altpick_features_item(struct altpick_features *features,
                                                const struct altpick_feature_map *map,
                                                const char *item);

/*
 * Add the items of @text: separated by white space or commas, '#' starts a comment.  @map may be
 * NULL.  ALTPICK_EFORMAT with "name:line: reason".
 */
int altpick_features_list(struct altpick_features *features, const struct altpick_feature_map *map,
                          const char *name, const char *text, struct altpick_diag *diag);

/* Whether @text looks like a saved /proc/cpuinfo, or a part of one. */
bool altpick_features_is_cpuinfo(const char *text);

/*
 * Add what the first processor of @text, a /proc/cpuinfo, shows by its "flags" and "bugs".  What
 * the map says is shown there and is not, is absent; what is never shown there stays untold.
 * ALTPICK_EFORMAT where it has no "flags", ALTPICK_EUSAGE where @map is NULL.
 */
int altpick_features_cpuinfo(struct altpick_features *features,
                             const struct altpick_feature_map *map, const char *name,
                             const char *text, struct altpick_diag *diag);

/*
 * Add what @cpu tells: the words that Linux numbers as CPUID does (0, 1, 4, 9, 10, 16 and 18).  The
 * others are Linux's own or not in a profile.
 */
void altpick_features_cpu(struct altpick_features *features, const struct altpick_cpu *cpu);

#endif
