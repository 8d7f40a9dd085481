/* SPDX-License-Identifier: MIT */
/* The function that does nothing, direct calls of which become NOPs, in a kernel without names. */
#ifndef ALTPICK_ELF_NOP_FUNC_H
#define ALTPICK_ELF_NOP_FUNC_H

#include "elf/memory.h"
#include "elf/rewriters.h"
#include "elf/table.h"

/*
 * Of the functions that direct calls of @table lead to, the one whose code is nothing but a return,
 * be it behind ENDBR or by a jump to the return thunk.  False: none, or more than one.
 */
bool altpick_nop_func_find(const struct altpick_memory *memory,
                           const struct altpick_patch_table *table,
                           const struct altpick_rewriters *rewriters, uint64_t *ret_address);

#endif
