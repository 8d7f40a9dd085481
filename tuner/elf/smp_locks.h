/* SPDX-License-Identifier: MIT */
/* The lock prefixes that Linux removes on one CPU, validated and counted. */
#ifndef ALTPICK_ELF_SMP_LOCKS_H
#define ALTPICK_ELF_SMP_LOCKS_H

#include "elf/image.h"

/* Places in .smp_locks. */
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

#endif
