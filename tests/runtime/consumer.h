/* SPDX-License-Identifier: MIT */
/* What a program that patches itself needs of its system, without a library. */
#ifndef ALTPICK_TEST_CONSUMER_H
#define ALTPICK_TEST_CONSUMER_H

#include "patch.h"

#ifdef __x86_64__
#define BITS "64"
#else
#define BITS "32"
#endif

/* Of other decisions, and made by hand: handmade.S. */
extern const struct altpick_patch_table other_patch_table, handmade_table, far_table;
extern const unsigned int other_patch_table_bytes, handmade_table_bytes, far_table_bytes;

/* What linkers define. */
extern const char __executable_start[], etext[];
extern const struct altpick_patch_site __start_altpick_sites[], __stop_altpick_sites[];
extern const char __start_altpick_names[], __stop_altpick_names[];

static inline int equal(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

static inline long protect(size_t address, size_t bytes, long how)
{
    long r;

#ifdef __x86_64__
    __asm__ volatile("syscall"
                     : "=a"(r)
                     : "0"(10L), "D"(address), "S"(bytes), "d"(how)
                     : "rcx", "r11", "memory");
#else
    __asm__ volatile("int $0x80"
                     : "=a"(r)
                     : "0"(125L), "b"(address), "c"(bytes), "d"(how)
                     : "memory");
#endif
    return r;
}

/* The page stays executable: this function may be in it. */
static int poke(void *ctx, void *address, const uint8_t *bytes, size_t n)
{
    size_t page = (size_t) address & ~(size_t) 4095, end = (size_t) address + n;

    (void) ctx;
    if (protect(page, end - page, 7) != 0)
        return 1;
    for (size_t i = 0; i < n; i++)
        ((volatile uint8_t *) address)[i] = bytes[i];
    return protect(page, end - page, 5) != 0;
}

static inline void own_image(struct altpick_patcher *patcher)
{
    patcher->text = __executable_start;
    patcher->text_bytes = (size_t) (etext - __executable_start);
    patcher->poke = poke;
}

/* What code for fpu.init in @table is to be given. */
static inline const void *data_of_fpu_init(const struct altpick_patch_table *table)
{
    const char *start = (const char *) table;
    const struct altpick_patch_entry *entry = (const void *) (start + table->entries);

    for (size_t i = 0; i < table->n_entries; i++) {
        if (equal(start + entry[i].name, "fpu.init.body"))
            return start + entry[i].data;
    }
    return start;
}

static inline const struct altpick_patch_site *find_site(const char *item)
{
    const struct altpick_patch_site *site = __start_altpick_sites;

    while (site < __stop_altpick_sites && !equal((const char *) &site->item + site->item, item))
        site++;
    return site;
}

/* Copy a record, for the site @by bytes further on. */
static inline void copy_site(struct altpick_patch_site *to, const struct altpick_patch_site *from,
                             int32_t by)
{
    int32_t moved = (int32_t) ((intptr_t) from - (intptr_t) to);

    *to = *from;
    to->site += moved + by;
    to->item += moved;
}

#endif
