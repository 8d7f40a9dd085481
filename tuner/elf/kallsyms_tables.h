/* SPDX-License-Identifier: MIT */
/* Where the symbol table that a Linux kernel keeps of itself lies in its image. */
#ifndef ALTPICK_ELF_KALLSYMS_TABLES_H
#define ALTPICK_ELF_KALLSYMS_TABLES_H

#include "elf/image.h"

enum { ALTPICK_KALLSYMS_TOKENS = 256 };

enum altpick_kallsyms_form {
    ALTPICK_KALLSYMS_PERCPU, /* s32: below 0 counted down from base - 1, else an address itself */
    ALTPICK_KALLSYMS_PLAIN,  /* u32, added to base */
};

/*
 * Tables of scripts/kallsyms.c, validated: all that is in them may be read without a check.  Xen
 * keeps the same ones, without a base.  Places are offsets in one section.
 */
struct altpick_kallsyms {
    const struct altpick_image *image;
    const uint8_t *data; /* of the section */
    size_t bytes;
    size_t align;       /* of each table: 8 in a 64-bit image, else 4 */
    size_t token_table; /* NUL-terminated strings, one for each byte that a name can hold */
    size_t token_index; /* u16: where each begins */
    uint16_t token_bytes[ALTPICK_KALLSYMS_TOKENS];
    size_t names; /* a length, then so many tokens; the first character is the type */
    uint32_t n;
    size_t markers, marker_bytes; /* where in names each 256th begins, u32 or u64 */
    size_t offsets;
    uint64_t base;
    enum altpick_kallsyms_form form;
    size_t steps_left; /* of the search: a hostile file gets no more */
};

struct altpick_kallsyms_name {
    const uint8_t *tokens;
    size_t n_tokens;
    size_t bytes; /* of type and name, without NUL */
    char type;
};

/* Find the tables of @image.  Whether it has any, complete and consistent. */
bool altpick_kallsyms_find(const struct altpick_image *image, struct altpick_kallsyms *ret_tables);

/*
 * Read the name at *@at, which must end before @end, and move behind it.  False where there is
 * none: too long, of no type, or with a token that is empty.
 */
bool altpick_kallsyms_name_read(const struct altpick_kallsyms *tables, size_t *at, size_t end,
                                struct altpick_kallsyms_name *ret_name);

/* Address of symbol @index. */
uint64_t altpick_kallsyms_address(const struct altpick_kallsyms *tables, uint32_t index);

#endif
