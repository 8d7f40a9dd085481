/* SPDX-License-Identifier: MIT */
/* Applies the relocations of a relocatable file to copies of its sections. */
#ifndef ALTPICK_ELF_RELOCATE_H
#define ALTPICK_ELF_RELOCATE_H

#include "elf/memory.h"

/* For altpick_memory_load(): relocate all parts of @memory that have relocations, in copies. */
int altpick_memory_relocate(struct altpick_memory *memory, struct altpick_diag *diag);

#endif
