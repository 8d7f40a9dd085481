/* SPDX-License-Identifier: MIT */
/* One record of a patch table, read and validated. */
#ifndef ALTPICK_ELF_RECORD_H
#define ALTPICK_ELF_RECORD_H

#include "elf/table.h"

/* A run of records in a section, and what reading them needs. */
struct altpick_records {
    const struct altpick_image *image;
    uint32_t section;                             /* number of the section that holds them */
    uint64_t offset;                              /* of the first, in the section */
    uint64_t bytes;                               /* of all */
    const struct altpick_relocation *relocations; /* of the section, by offset */
    size_t n_relocations;
};

/* Where the last failure was: "replacement", and why, as a sentence. */
struct altpick_record_fault {
    const char *field;
    char why[160];
};

/*
 * Read record @index of @records as @layout and validate all of it: the site is code, its bytes and
 * those of the replacement are whole instructions, the replacement fits, numbers and flags are ones
 * that the layout has.  ALTPICK_EFORMAT with *ret_fault where anything is not so.
 */
int altpick_record_read(const struct altpick_records *records, const struct altpick_layout *layout,
                        size_t index, struct altpick_record *ret_entry,
                        struct altpick_record_fault *ret_fault);

/* Whether @bytes bytes of @code are whole instructions of so many bits.  @ret_end: how far they
 * are.
 */
bool altpick_code_is_whole(unsigned bits, const uint8_t *code, size_t bytes, size_t *ret_end);

#endif
