/* SPDX-License-Identifier: MIT */
/* What patching an image works on, between patch.c and what it is checked by. */
#ifndef ALTPICK_ELF_PATCH_PARTS_H
#define ALTPICK_ELF_PATCH_PARTS_H

#include "elf/patch.h"

#include "runtime/patch.h"

struct altpick_patch_storage {
    struct altpick_patch_mark mark;
    uint8_t (*code)[ALTPICK_PATCH_SITE_MAX]; /* by site */
};

struct altpick_patch_work {
    const struct altpick_image *image;
    const struct altpick_section *sites, *names, *mark_section;
    struct altpick_patch_mark mark; /* as it is */
    struct altpick_patch_plan *plan;
    const uint8_t *original; /* the table as it was given */
    uint8_t *table;          /* a copy that needs nothing: this is not the CPU that it is for */
    size_t table_bytes;
    uint8_t *memory; /* records and names; memory[0] stands for address base */
    size_t memory_bytes;
    uint64_t base;
    /* By site. */
    uint64_t *addresses;
    const char **items;
    uint8_t *lengths, *kinds; /* kind 1: 32-bit code */
    bool *is_applied;
    uint8_t (*code)[ALTPICK_PATCH_SITE_MAX];
    size_t n_sites;
    struct altpick_patch_mark *new_mark;
};

/* Check the table of decisions and copy it without its requirements. */
int altpick_patch_take_table(struct altpick_patch_work *work, const uint8_t *table, size_t bytes,
                             struct altpick_diag *diag);

/* The data that decided code for fpu.init works on must be what the image gives it. */
int altpick_patch_check_data(const struct altpick_patch_work *work, struct altpick_diag *diag);

/* patch_changes.c: nothing that says where things are is changed, nor a byte twice. */
int altpick_patch_check_changes(const struct altpick_patch_work *work, struct altpick_diag *diag);

/* What the image needs once it is patched. */
int altpick_patch_make_mark(struct altpick_patch_work *work, struct altpick_diag *diag);

#endif
