/* SPDX-License-Identifier: MIT */
/* A kernel's own numbers of CPU features and bugs, from its arch/x86/include/asm/cpufeatures.h. */
#ifndef ALTPICK_ELF_FEATURE_MAP_H
#define ALTPICK_ELF_FEATURE_MAP_H

#include "altpick/err.h"

#include <stdbool.h>
#include <stddef.h>

enum { ALTPICK_FEATURE_NAME_MAX = 48 };

struct altpick_feature_name {
    char name[ALTPICK_FEATURE_NAME_MAX];  /* lower case, without X86_FEATURE_ or X86_BUG_ */
    char shown[ALTPICK_FEATURE_NAME_MAX]; /* in /proc/cpuinfo; "": it is not */
    unsigned number;                      /* W*32+B, of bugs too */
    bool is_bug;
};

/* How a header says which names /proc/cpuinfo shows. */
enum altpick_feature_convention {
    ALTPICK_SHOWN_UNCLEAR,      /* too little is quoted to tell */
    ALTPICK_SHOWN_UNLESS_EMPTY, /* until 6.10: all but those that quote "" */
    ALTPICK_SHOWN_IF_QUOTED,    /* since 6.11: those that quote their name */
};

/* Zeroed memory is empty. */
struct altpick_feature_map {
    struct altpick_feature_name *names; /* in the order of the file */
    size_t n_names;
    unsigned words; /* of features, NCAPINTS; bugs are behind them */
    enum altpick_feature_convention convention;
};

/*
 * Read @text, the contents of the header @name.  Both conventions of the comments are understood:
 * until 6.10 a feature without a quoted name is shown by its own and "" is hidden, since then what
 * is not quoted is hidden.  ALTPICK_EFORMAT with "name:line: reason", or ALTPICK_ENOMEM.
 */
int altpick_feature_map_parse(const char *name, const char *text,
                              struct altpick_feature_map *ret_map, struct altpick_diag *diag);
void altpick_feature_map_fini(struct altpick_feature_map *map);

/*
 * The feature or bug called @name, in any case: as it is shown, or its macro with or without
 * X86_FEATURE_ or X86_BUG_.  Of a feature and a bug of one name the feature; NULL: none.
 */
const struct altpick_feature_name *altpick_feature_map_find(const struct altpick_feature_map *map,
                                                            const char *name);

/* The first name of @number, or NULL.  @map may be NULL. */
const struct altpick_feature_name *altpick_feature_map_name(const struct altpick_feature_map *map,
                                                            unsigned number);

/* The one that /proc/cpuinfo shows as @shown among its flags or, @is_bug, its bugs; NULL: none. */
const struct altpick_feature_name *altpick_feature_map_shown(const struct altpick_feature_map *map,
                                                             const char *shown, bool is_bug);

#endif
