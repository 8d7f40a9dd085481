/* SPDX-License-Identifier: MIT */
/* The part of finding kallsyms that concerns addresses and sequence numbers, when names are known.
 */
#ifndef ALTPICK_ELF_KALLSYMS_ADDRESSES_H
#define ALTPICK_ELF_KALLSYMS_ADDRESSES_H

#include "elf/kallsyms_tables.h"

/* Whether @n sequence numbers, each of a symbol and none twice by their sum, are at offset @at. */
bool altpick_kallsyms_seqs_fit(const struct altpick_kallsyms *tables, size_t at, uint32_t n);

/* Find offsets and base, which give each of the names an address in the image, in order. */
bool altpick_kallsyms_addresses_find(struct altpick_kallsyms *tables);

#endif
