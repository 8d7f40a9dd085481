/* SPDX-License-Identifier: MIT */
/* Bounds of functions, without names, from the tables that a kernel unwinds its stack with. */
#ifndef ALTPICK_ELF_ORC_H
#define ALTPICK_ELF_ORC_H

#include "elf/image.h"
#include "elf/symbol_map.h"

/*
 * Read bounds from .orc_unwind_ip and .orc_unwind of the linked @image, of Linux 4.14 and later.  A
 * function begins where, after code that is in none, the stack is as a call leaves it, and ends
 * where the last such hole before the next function begins.  Functions that follow each other
 * without padding are one, since the tables have no entry between equal states.
 * ALTPICK_ENOFIT: no such tables.  ALTPICK_EFORMAT: sizes that contradict each other, or an entry
 * outside of code.  ALTPICK_ENOMEM.
 */
int altpick_orc_read(const struct altpick_image *image, struct altpick_symbol_map *ret_map,
                     struct altpick_diag *diag);

#endif
