/* SPDX-License-Identifier: MIT */
/* Tables by which other parts of Linux rewrite code: found, counted, and looked up by address. */
#ifndef ALTPICK_ELF_REWRITERS_H
#define ALTPICK_ELF_REWRITERS_H

#include "elf/memory.h"
#include "elf/rewriter_kinds.h"

enum { ALTPICK_REWRITER_TABLES_MAX = 64 };

/* A table of an image. */
struct altpick_rewriter_table {
    const struct altpick_rewriter *rewriter;
    const char *section; /* where it is */
    bool by_shape;       /* found by what it looks like: no section has its name */
    uint64_t address;
    size_t n_records;
};

/* An instruction that a table names. */
struct altpick_rewriter_mark {
    uint64_t address;
    uint32_t table; /* index */
};

/* Zeroed memory is none. */
struct altpick_rewriters {
    struct altpick_rewriter_table tables[ALTPICK_REWRITER_TABLES_MAX];
    size_t n_tables;
    struct altpick_rewriter_mark *marks; /* by address */
    size_t n_marks;
};

/*
 * Find the tables of @memory by their sections.  A linked kernel has lost the names of some: jump
 * labels, static calls and ftrace's are then found by the only run of data that looks like such a
 * table, which can miss one.  ALTPICK_EFORMAT for a section that is no whole number of records,
 * ALTPICK_ENOMEM.
 */
int altpick_rewriters_find(const struct altpick_memory *memory,
                           struct altpick_rewriters *ret_rewriters, struct altpick_diag *diag);
void altpick_rewriters_fini(struct altpick_rewriters *rewriters);

/* The first mark in [@address, @address + @bytes), or NULL; others follow it. */
const struct altpick_rewriter_mark *altpick_rewriters_at(const struct altpick_rewriters *rewriters,
                                                         uint64_t address, uint64_t bytes);

/* The first table of @kind in @rewriters, or NULL. */
const struct altpick_rewriter_table *
altpick_rewriters_table(const struct altpick_rewriters *rewriters, enum altpick_rewriter_kind kind);

/* The address that record @index of @table names. */
bool altpick_rewriter_address(const struct altpick_memory *memory,
                              const struct altpick_rewriter_table *table, size_t index,
                              uint64_t *ret_address);

#endif
