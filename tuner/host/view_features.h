/* SPDX-License-Identifier: MIT */
/* What --features and --cpufeatures say, from whatever they name. */
#ifndef ALTPICK_HOST_VIEW_FEATURES_H
#define ALTPICK_HOST_VIEW_FEATURES_H

#include "elf/feature_set.h"

#include "altpick/err.h"

enum { ALTPICK_FEATURE_FILE_BYTES_MAX = 16 << 20 };

/* Read the header @path; NULL: an empty map. */
int altpick_view_map_read(const char *path, struct altpick_feature_map *ret_map,
                          struct altpick_diag *diag);

/* A list of features as it was asked for.  Texts are the caller's. */
struct altpick_view_list {
    const char *option; /* "--features", of which failures speak */
    const char *text;
    bool has_profile; /* a part of it is from a profile */
    struct altpick_features features;
};

/*
 * Read @text, the argument of @option: items between commas, each "[!]W*32+B", the same number
 * plain, a name of @map (NULL: none), "this-cpu", or a file: a saved /proc/cpuinfo, a profile (of
 * whose machines the one called @machine, or its only one), or a list.  Later items override
 * earlier ones.  ALTPICK_EUSAGE for an item that is none of these, else what reading the file fails
 * with.
 */
int altpick_view_list_read(const char *option, const char *text,
                           const struct altpick_feature_map *map, const char *machine,
                           struct altpick_view_list *ret_list, struct altpick_diag *diag);

#endif
