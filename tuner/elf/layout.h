/* SPDX-License-Identifier: MIT */
/* How the records of patch tables are laid out: data, one line a layout, for reader and writer. */
#ifndef ALTPICK_ELF_LAYOUT_H
#define ALTPICK_ELF_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum altpick_field_kind {
    ALTPICK_FIELD_NONE = 0,
    ALTPICK_FIELD_RELATIVE, /* s32 relative to the field's own address */
    ALTPICK_FIELD_ADDRESS,  /* absolute, 4 or 8 bytes */
    ALTPICK_FIELD_OFFSET,   /* u32 from where the image is loaded */
    ALTPICK_FIELD_NUMBER,
};

struct altpick_field {
    uint8_t kind; /* enum altpick_field_kind */
    uint8_t offset, bytes;
};

enum altpick_layout_family {
    ALTPICK_FAMILY_LINUX,
    ALTPICK_FAMILY_XEN,
    ALTPICK_FAMILY_OPENBSD,
    ALTPICK_FAMILY_NETBSD,
    ALTPICK_FAMILY_HAIKU,
    ALTPICK_FAMILY_ALTPICK,
};

/* A layout of records.  A field that it lacks has kind NONE. */
struct altpick_layout {
    const char *name;    /* "linux12": as --layout takes it */
    const char *section; /* where it is found, ".altinstructions" */
    const char *era;     /* for people: "Linux 5.13 to 6.2" */
    enum altpick_layout_family family;
    uint8_t bits; /* of code that has it: 64, 32, or 0 for both */
    uint8_t record_bytes;
    struct altpick_field site, replacement;
    struct altpick_field site_bytes, replacement_bytes, pad_bytes;
    struct altpick_field feature; /* u16; number of a feature */
    struct altpick_field flags;
    struct altpick_field tag;           /* the engine's own number of what to put there */
    struct altpick_field item;          /* altpick: name of the item */
    struct altpick_field default_bytes; /* altpick: length of the default, the rest is padding */
    struct altpick_field fixed;         /* always fixed_value in a file */
    uint32_t fixed_value;
    uint16_t inverted_in_feature; /* bit of the feature number that inverts it; 0: none */
    uint16_t inverted_flag;       /* bit of the flags that does */
    uint16_t direct_call_flag;
    uint16_t code32_flag;       /* altpick: the site is 32-bit code */
    uint16_t known_flags;       /* bits of the flags that have a meaning */
    bool site_excludes_padding; /* site_bytes + pad_bytes are patched */
    bool only_by_symbols;       /* another layout has equal records in the section */
};

/* Feature numbers are W*32+B with W below this in every layout: Linux 6.12 has 24 words. */
enum { ALTPICK_FEATURE_WORDS_MAX = 32 };

extern const struct altpick_layout *const altpick_layouts[];
extern const size_t altpick_layout_count;

/* The layout of that name, or NULL. */
const struct altpick_layout *altpick_layout_find(const char *name);

#endif
