/* SPDX-License-Identifier: MIT */
/* Puts a table of decisions into altpick's own sites of a linked image. */
#ifndef ALTPICK_ELF_PATCH_H
#define ALTPICK_ELF_PATCH_H

#include "elf/image.h"
#include "file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ALTPICK_PATCH_NAMES_MAX = 400 };

/* What is to be written into a copy of an image.  Zeroed memory is an empty plan. */
struct altpick_patch_plan {
    struct altpick_file_change *changes; /* of bytes in place: of sites, then of the mark */
    size_t n_changes;
    size_t n_sites, n_unknown;             /* the table has nothing for n_unknown of them */
    char unknown[ALTPICK_PATCH_NAMES_MAX]; /* their items, "a, b"; may end in "..." */
    bool was_applied;                      /* the image was patched before */
    bool keeps_needs;                      /* and what that needs is kept, for a site keeps it */
    size_t n_needs;                        /* requirements in the mark */
    void *storage;                         /* what changes point into */
};

/*
 * Find out what applying the table (@bytes of it; altpick_patches_build() makes one) to @image
 * writes.  Everything is checked as integration/runtime does, which does the work, and for a file:
 * sites and the mark are in it, sites are code that is loaded from there, each from bytes of its
 * own, no other patch table of the image covers them, no relocation changes them, and the image
 * holds the data that code for fpu.init works on. ALTPICK_ENOFIT where this image is not for this
 * table, ALTPICK_EFORMAT where it is malformed, with the path and what to do in @diag.  The plan
 * does not need @image or the table afterwards.
 */
int altpick_patch_plan(const struct altpick_image *image, const uint8_t *table, size_t bytes,
                       struct altpick_patch_plan *ret_plan, struct altpick_diag *diag);
void altpick_patch_plan_fini(struct altpick_patch_plan *plan);

/* Whether the image's build-id and appended signature (of a Linux module) are of its old bytes. */
bool altpick_patch_has_build_id(const struct altpick_image *image);
bool altpick_patch_has_signature(const struct altpick_image *image);

/*
 * Whether a patch table of another engine covers any of the sites at @addresses, of @lengths bytes:
 * ALTPICK_ENOFIT and its name.
 */
int altpick_patch_check_others(const struct altpick_image *image, const uint64_t *addresses,
                               const uint8_t *lengths, size_t n, struct altpick_diag *diag);

/*
 * patch_relocations.c: whether a relocation changes any of them when the image is loaded, which
 * would make other code of what was decided: ALTPICK_ENOFIT and its section.
 */
int altpick_patch_check_relocations(const struct altpick_image *image, const uint64_t *addresses,
                                    const uint8_t *lengths, size_t n, struct altpick_diag *diag);

#endif
