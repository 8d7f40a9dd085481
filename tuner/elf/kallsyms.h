/* SPDX-License-Identifier: MIT */
/* Symbols of code from the table that a Linux or Xen image keeps of itself, stripped or not. */
#ifndef ALTPICK_ELF_KALLSYMS_H
#define ALTPICK_ELF_KALLSYMS_H

#include "elf/image.h"
#include "elf/symbol_map.h"

/*
 * Read the symbols of code that @image knows of itself.  Tables that are damaged anywhere are none:
 * ALTPICK_ENOFIT, as for an image that has none.  ALTPICK_ENOMEM.
 */
int altpick_kallsyms_read(const struct altpick_image *image, struct altpick_symbol_map *ret_map,
                          struct altpick_diag *diag);

#endif
