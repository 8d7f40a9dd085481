/* SPDX-License-Identifier: MIT */
/* All that is known of the patch tables and the padding of one file. */
#ifndef ALTPICK_ELF_INSPECT_H
#define ALTPICK_ELF_INSPECT_H

#include "elf/census.h"
#include "elf/image.h"
#include "elf/rewriter_kinds.h"
#include "elf/smp_locks.h"
#include "elf/table.h"
#include "elf/table_facts.h"

/* Zeroed memory may be finished. */
struct altpick_inspection {
    struct altpick_image image;
    struct altpick_patch_tables tables;
    struct altpick_table_facts *facts; /* as many as there are tables; owned */
    struct altpick_smp_locks locks;
    bool has_census;
    struct altpick_census census;
};

/*
 * Open @path and read all of that; the census, which takes most of the time, where it is wanted.
 * @force: the only layout to take for its section, or NULL.  Fails as the parts
 * do; then @inspection is empty.
 */
int altpick_inspection_read(const char *path, const struct altpick_layout *force, bool with_census,
                            struct altpick_inspection *inspection, struct altpick_diag *diag);
void altpick_inspection_fini(struct altpick_inspection *inspection);

/* A table of another kind, known by its section. */
struct altpick_rewriter_found {
    const struct altpick_rewriter *rewriter;
    const struct altpick_section *section;
    size_t n_records;
};

/* The next one of an image that was read, from section number *@next on, which is moved on; false:
 * there is no more. */
bool altpick_inspection_rewriter_next(const struct altpick_image *image, size_t *next,
                                      struct altpick_rewriter_found *ret_found);

#endif
