/* SPDX-License-Identifier: MIT */
/* All entries of a patch table applied to an image: what its sites hold when the kernel runs. */
#ifndef ALTPICK_ELF_OVERLAY_H
#define ALTPICK_ELF_OVERLAY_H

#include "elf/apply.h"
#include "elf/memory.h"

enum { ALTPICK_UNLOCKED = 0x3e }; /* the prefix in place of F0 */

/* All entries of one address. */
struct altpick_site {
    uint64_t address;
    size_t bytes; /* of its longest entry */
    size_t first; /* index in the overlay's order[], n_entries of them, in the order of the table */
    size_t n_entries;
    bool has_neighbour; /* overlaps a site of another address */
};

/* Bytes that sites and rewrites cover, where they overlap in one piece; at is an index in the
 * arrays. */
struct altpick_region {
    uint64_t address;
    size_t bytes, at;
};

/* What a pass before alternatives writes. */
struct altpick_rewrite {
    uint64_t address;
    uint8_t bytes;
    uint8_t origin; /* enum altpick_origin */
    uint8_t code[15];
};

/* Zeroed memory is none. */
struct altpick_overlay {
    const struct altpick_memory *memory; /* the caller's */
    const struct altpick_patch_table *table;
    struct altpick_site *sites; /* by address */
    size_t n_sites;
    size_t *order;                  /* numbers of entries, those of a site side by side */
    bool *applied;                  /* by the number of the entry */
    struct altpick_region *regions; /* by address */
    size_t n_regions;
    struct altpick_patched patched; /* of all regions, one after the other */
    uint64_t *locks;                /* lock prefixes that were taken away, by address */
    size_t n_locks;
};

/* Whether the running CPU has feature @number. */
typedef bool (*altpick_has_feature)(void *ctx, unsigned number);

/* What is done to an image. */
struct altpick_overlay_plan {
    const struct altpick_kernel *kernel;
    altpick_has_feature has; /* called with ctx */
    void *ctx;
    const struct altpick_rewrite *rewrites; /* n_rewrites of them, done first */
    size_t n_rewrites;
};

/*
 * Apply @table to @memory in its order, as @plan says.  The caller keeps @memory and @table.  Fails
 * as altpick_apply() does, or with ALTPICK_ENOMEM.
 */
int altpick_overlay_make(const struct altpick_memory *memory,
                         const struct altpick_patch_table *table,
                         const struct altpick_overlay_plan *plan,
                         struct altpick_overlay *ret_overlay, struct altpick_diag *diag);
void altpick_overlay_fini(struct altpick_overlay *overlay);

/*
 * Take away lock prefixes, as a kernel does that finds one CPU: F0 becomes 3E where a record of
 * .smp_locks points into .text; what points elsewhere (into .init.text, into a replacement) and
 * the words of 0 that pad the table stay alone.  A file without that table is no failure.
 */
int altpick_overlay_unlock(struct altpick_overlay *overlay, struct altpick_diag *diag);

/*
 * Copy up to @n bytes of running code at @address, and where @ret_origin is not NULL their history,
 * to the caller's arrays of @n.  Returns how many there are: fewer at the end of a section.
 */
size_t altpick_overlay_read(const struct altpick_overlay *overlay, uint64_t address, size_t n,
                            uint8_t *ret_code, uint8_t *ret_origin, uint32_t *ret_by);

/* The site that covers @address, or NULL; of several the one that starts last. */
const struct altpick_site *altpick_overlay_site(const struct altpick_overlay *overlay,
                                                uint64_t address);

/* The running bytes of @site, of which there are site->bytes. */
const uint8_t *altpick_overlay_code(const struct altpick_overlay *overlay,
                                    const struct altpick_site *site);

#endif
