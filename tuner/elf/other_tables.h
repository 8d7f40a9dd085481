/* SPDX-License-Identifier: MIT */
/* What else of an image is patched while it runs: lock prefixes, and tables that are only counted.
 */
#ifndef ALTPICK_ELF_OTHER_TABLES_H
#define ALTPICK_ELF_OTHER_TABLES_H

#include "elf/image.h"

/* Lock prefixes that Linux removes on one CPU: places in .smp_locks. */
struct altpick_smp_locks {
    bool present;
    size_t n;       /* places, 0 words of padding left out */
    size_t padding; /* such words */
    size_t removed; /* of n: 3E, a prefix without effect, is there already */
    size_t other;   /* of n: neither F0 nor 3E is there, and Linux leaves what is */
};

/*
 * Read .smp_locks: s32 places relative to themselves, of a relocatable file through relocations.
 * ALTPICK_EFORMAT with the record and its offset where one is not in code.
 */
int altpick_smp_locks_read(const struct altpick_image *image, struct altpick_smp_locks *ret_locks,
                           struct altpick_diag *diag);

/* A kind of table that is known by the name of its section. */
struct altpick_other_table {
    const char *section; /* a name that ends in '*' stands for all that begin so */
    const char *what;
    uint8_t bytes_64, bytes_32; /* of a record; 0: there is none for such code */
};

/* One of them in an image. */
struct altpick_other_found {
    const struct altpick_other_table *table;
    const struct altpick_section *section;
    unsigned record_bytes;
};

/* The next one at or after section number *@next, which is moved on; false: there is no more. */
bool altpick_other_table_next(const struct altpick_image *image, uint32_t *next,
                              struct altpick_other_found *ret_found);

#endif
