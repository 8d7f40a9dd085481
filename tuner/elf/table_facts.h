/* SPDX-License-Identifier: MIT */
/* What can be said of a patch table as a whole: sites, features, lengths, and why it is its layout.
 */
#ifndef ALTPICK_ELF_TABLE_FACTS_H
#define ALTPICK_ELF_TABLE_FACTS_H

#include "elf/record.h"
#include "elf/table.h"

/* How often each value occurs. */
struct altpick_tally_item {
    uint32_t value;
    size_t count;
    const char *name; /* of items of altpick, else NULL */
};

struct altpick_tally {
    struct altpick_tally_item *items; /* owned */
    size_t n;
};

/* Another layout that was tried, and the first record that is not valid in it. */
struct altpick_other_layout {
    const struct altpick_layout *layout;
    bool is_valid; /* it is only not the one that was asked for */
    size_t record;
    uint64_t offset;                   /* of that record in the section */
    struct altpick_record_fault fault; /* field NULL: the section is no whole number of records */
};

enum { ALTPICK_OTHER_LAYOUTS_MAX = 4 };

struct altpick_table_facts {
    const struct altpick_patch_table *table;
    size_t sites;   /* distinct */
    size_t groups;  /* sites that several records are about */
    size_t grouped; /* records of these */
    size_t inverted, direct_call, padded;
    size_t no_replacement;              /* records whose replacement is nothing but NOPs */
    struct altpick_tally features;      /* W*32+B, of layouts with features, most frequent first */
    struct altpick_tally tags;          /* of layouts with tags, most frequent first */
    struct altpick_tally items;         /* of altpick's layout, most frequent first */
    struct altpick_tally lengths;       /* of sites, shortest first */
    struct altpick_tally site_sections; /* by number, most frequent first; 0: elsewhere */
    struct altpick_tally replacement_sections; /* the same, of records with a replacement */
    struct altpick_other_layout others[ALTPICK_OTHER_LAYOUTS_MAX];
    size_t n_others;
};

/* Look at all of @table, which outlives the facts.  altpick_table_facts_fini() accepts zeroes. */
int altpick_table_facts_read(const struct altpick_image *image,
                             const struct altpick_patch_table *table,
                             struct altpick_table_facts *ret_facts, struct altpick_diag *diag);
void altpick_table_facts_fini(struct altpick_table_facts *facts);

#endif
