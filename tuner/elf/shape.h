/* SPDX-License-Identifier: MIT */
/* Patch tables that neither a section nor a symbol names, found by what their records look like. */
#ifndef ALTPICK_ELF_SHAPE_H
#define ALTPICK_ELF_SHAPE_H

#include "elf/record.h"

/*
 * Find the longest run of valid records of @layout in the data of a linked image: the hypervisor of
 * Xen as it is shipped is stripped.  Where it starts and ends is what the records around it say,
 * nothing proves it.  ALTPICK_ENOFIT where there is no run of at least 64.
 */
int altpick_shape_find(const struct altpick_image *image, const struct altpick_layout *layout,
                       struct altpick_records *ret_records);

#endif
