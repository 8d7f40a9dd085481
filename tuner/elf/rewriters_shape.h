/* SPDX-License-Identifier: MIT */
/* Tables of Linux that no section names, found by what their records look like. */
#ifndef ALTPICK_ELF_REWRITERS_SHAPE_H
#define ALTPICK_ELF_REWRITERS_SHAPE_H

#include "elf/memory.h"

enum altpick_rewriter_shape {
    ALTPICK_SHAPE_JUMP_LABELS,  /* two addresses of code, one of data */
    ALTPICK_SHAPE_STATIC_CALLS, /* one of code, one of data */
    ALTPICK_SHAPE_FTRACE,       /* absolute addresses of code, ascending */
};

/*
 * The longest run of records of @shape in the data of a linked @memory.  False where none is long
 * enough to be one.
 */
bool altpick_rewriters_shape(const struct altpick_memory *memory, enum altpick_rewriter_shape shape,
                             uint64_t *ret_address, size_t *ret_n);

#endif
