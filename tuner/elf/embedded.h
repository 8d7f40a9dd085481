/* SPDX-License-Identifier: MIT */
/* The images of vDSOs within a kernel, whose alternatives the kernel applies as well. */
#ifndef ALTPICK_ELF_EMBEDDED_H
#define ALTPICK_ELF_EMBEDDED_H

#include "elf/functions.h"
#include "elf/memory.h"
#include "elf/table.h"

enum { ALTPICK_EMBEDDED_MAX = 8, ALTPICK_EMBEDDED_CODE_MAX = 16 };

/* Code of an image within a kernel. */
struct altpick_embedded_code {
    uint64_t address, bytes;
};

/* An image in the data of a kernel, and its entries in the table that has all.  Addresses are the
 * kernel's. */
struct altpick_embedded {
    uint64_t address;
    uint64_t bytes; /* of its segments and section headers */
    bool is_64;     /* its code */
    size_t first;   /* number of its first entry, n_entries of them */
    size_t n_entries;
    struct altpick_embedded_code code[ALTPICK_EMBEDDED_CODE_MAX]; /* sections, n_code of them */
    size_t n_code;
    struct altpick_functions functions;
};

/* A kernel's table, and behind it those of its vDSOs, whose places are the kernel's. */
struct altpick_all_entries {
    struct altpick_patch_table table; /* its entries are ours, the rest is the kernel's */
    struct altpick_embedded embedded[ALTPICK_EMBEDDED_MAX];
    size_t n_embedded;
};

/*
 * Copy @table and add the tables of shared ELF objects that lie, on page boundaries, in the data of
 * a linked @memory.  The sites of the latter have no section and no data, only addresses.
 * ALTPICK_EFORMAT where such a table, or its symbols, are malformed, ALTPICK_EUNSUPPORTED where
 * there are more than ALTPICK_EMBEDDED_MAX, or one has more than ALTPICK_EMBEDDED_CODE_MAX sections
 * of code; ALTPICK_ENOMEM.
 */
int altpick_all_entries_make(const struct altpick_memory *memory,
                             const struct altpick_patch_table *table,
                             struct altpick_all_entries *ret_all, struct altpick_diag *diag);

/* The image that @address is in, or NULL. */
const struct altpick_embedded *altpick_embedded_at(const struct altpick_all_entries *all,
                                                   uint64_t address);
void altpick_all_entries_fini(struct altpick_all_entries *all);

#endif
