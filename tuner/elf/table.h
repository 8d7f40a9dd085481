/* SPDX-License-Identifier: MIT */
/* Patch tables of an image: found by validating every record, then plain structs for all readers.
 */
#ifndef ALTPICK_ELF_TABLE_H
#define ALTPICK_ELF_TABLE_H

#include "elf/image.h"
#include "elf/layout.h"

/* Where something is: in a linked image an address, in a relocatable file a section and an offset.
 */
struct altpick_place {
    uint32_t section;    /* number; 0: not in this file, then it is @symbol + offset */
    uint64_t offset;     /* in the section */
    uint64_t address;    /* of a linked image; offset in a relocatable file */
    const char *symbol;  /* undefined symbol of a relocatable file; else NULL */
    const uint8_t *data; /* its bytes in the file, NULL where there are none */
};

/* One record, validated. */
struct altpick_record {
    uint64_t at; /* offset of the record in its section */
    struct altpick_place site, replacement;
    uint16_t site_bytes; /* patched in all, padding included */
    uint16_t replacement_bytes;
    uint16_t pad_bytes; /* of the site, where the layout says it; else 0 */
    uint16_t feature;   /* W*32+B, flag bits removed */
    uint16_t flags;     /* as in the file, of the layouts that have them */
    uint16_t tag;
    bool inverted, direct_call;
    bool code_is_64;  /* what the site is; else it is 32-bit code */
    const char *item; /* altpick: name of the item; else NULL */
};

/* What told that there is a table. */
enum altpick_table_found {
    ALTPICK_FOUND_BY_SECTION,
    ALTPICK_FOUND_BY_SYMBOLS, /* __alt_instructions and __alt_instructions_end */
    ALTPICK_FOUND_BY_SHAPE,   /* nothing but records that are valid: its ends are not proven */
};

struct altpick_patch_table {
    const struct altpick_layout *layout;
    const struct altpick_section *section; /* that holds the records */
    uint64_t offset;                       /* of the first record in that section */
    enum altpick_table_found found;
    struct altpick_record *entries;
    size_t n_entries;
};

struct altpick_patch_tables {
    struct altpick_patch_table *tables;
    size_t n_tables;
};

/* Whether @layout is tried on a table that was found so in the section of that name; @force as
 * below. */
bool altpick_layout_may_be(const struct altpick_image *image, const struct altpick_layout *layout,
                           const char *section, enum altpick_table_found found,
                           const struct altpick_layout *force);

/*
 * Find all patch tables of @image.  A layout is taken where every record of the section is valid in
 * it, and in no other of the section's layouts; else ALTPICK_EFORMAT with the layout that came
 * furthest, the record, its offset and what is wrong.  @force (NULL: none) takes one layout and no
 * other for its section.  No table is success with none.  altpick_patch_tables_fini() accepts
 * zeroed memory.
 */
int altpick_patch_tables_read(const struct altpick_image *image, const struct altpick_layout *force,
                              struct altpick_patch_tables *ret_tables, struct altpick_diag *diag);
void altpick_patch_tables_fini(struct altpick_patch_tables *tables);

#endif
