/* SPDX-License-Identifier: MIT */
/* An image and all that is needed to say how its code runs after boot on a given CPU. */
#ifndef ALTPICK_ELF_VIEW_H
#define ALTPICK_ELF_VIEW_H

#include "elf/banner.h"
#include "elf/embedded.h"
#include "elf/feature_set.h"
#include "elf/functions.h"
#include "elf/overlay.h"
#include "elf/rewriters.h"
#include "elf/thunks.h"

/* What a user may say instead of the image. */
struct altpick_view_options {
    const char *path;
    const struct altpick_layout *layout; /* NULL: found */
    const char *release;                 /* "6.1"; NULL: as the image says */
    const char *symbols_path;            /* of altpick_functions_read(); NULL: none */
};

/* Open once, on zeroed memory that does not move: its parts point to each other. */
struct altpick_view {
    struct altpick_image image;
    struct altpick_patch_tables tables;
    struct altpick_memory memory;
    struct altpick_all_entries all;
    struct altpick_rewriters rewriters;
    struct altpick_functions functions;
    struct altpick_kernel kernel;
    char release[64];          /* "6.1.0-57-amd64" */
    const char *release_where; /* "its banner", "--kernel" */
    const char *nop_func_how;  /* how that function was found; NULL: it was not */
};

/*
 * Open what @options name.  Refused in plain words: a file without a table of Linux, with one of
 * other systems, with a release whose engine is not modelled or with none (ALTPICK_EUNSUPPORTED;
 * altpick inspect shows those tables); else it fails as its parts do.  altpick_view_close() accepts
 * zeroed memory and must be called in any case.
 */
int altpick_view_open(struct altpick_view *view, const struct altpick_view_options *options,
                      struct altpick_diag *diag);
void altpick_view_close(struct altpick_view *view);

/* An image as it runs on one CPU. */
struct altpick_running {
    struct altpick_overlay overlay;
    struct altpick_thunks_plan plan;
    bool returns_are_known;    /* what returns look like follows from the features */
    bool retpolines_are_known; /* the same of indirect branches through thunks */
    bool calls_are_counted;    /* call thunks are in use: calls go elsewhere */
    bool is_up;                /* lock prefixes were taken away */
};

/*
 * Run @view on a CPU with @features; @map (NULL: none) gives the numbers of those that decide of
 * thunks.  @up: one CPU.  altpick_running_fini() accepts zeroed memory.
 */
int altpick_view_run(const struct altpick_view *view, const struct altpick_features *features,
                     const struct altpick_feature_map *map, bool up,
                     struct altpick_running *ret_running, struct altpick_diag *diag);
void altpick_running_fini(struct altpick_running *running);

/* Whether what @table says is part of @running. */
bool altpick_running_models(const struct altpick_running *running,
                            const struct altpick_rewriter_table *table);

/* The function at @address of the memory that @view has, be it one of a vDSO, or NULL. */
const struct altpick_function *altpick_view_function(const struct altpick_view *view,
                                                     uint64_t address);

/* The address in that memory of @function. */
uint64_t altpick_view_function_address(const struct altpick_view *view,
                                       const struct altpick_function *function);

/* "name+0x12", else where it is; see altpick_memory_where(), whose size @ret_where has. */
void altpick_view_where(const struct altpick_view *view, uint64_t address, char *ret_where);

#endif
