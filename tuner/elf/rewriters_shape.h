/* SPDX-License-Identifier: MIT */
/* Tables of Linux that no section names, found by what their records look like. */
#ifndef ALTPICK_ELF_REWRITERS_SHAPE_H
#define ALTPICK_ELF_REWRITERS_SHAPE_H

#include "elf/memory.h"
#include "elf/rewriter_kinds.h"

/*
 * The longest run of records of @kind, which is jump labels (two addresses of code, one of data),
 * static calls (one of code, one of data) or ftrace (ascending absolute ones of code), in the data
 * of a linked @memory.  False where none is long enough to be one.
 */
bool altpick_rewriters_shape(const struct altpick_memory *memory, enum altpick_rewriter_kind kind,
                             uint64_t *ret_address, size_t *ret_n);

#endif
