/* SPDX-License-Identifier: MIT */
/* The kinds of tables by which Linux rewrites code besides alternatives, as data. */
#ifndef ALTPICK_ELF_REWRITER_KINDS_H
#define ALTPICK_ELF_REWRITER_KINDS_H

#include "elf/image.h"

enum altpick_rewriter_kind {
    ALTPICK_REWRITER_JUMP_LABELS,
    ALTPICK_REWRITER_STATIC_CALLS,
    ALTPICK_REWRITER_FTRACE,
    ALTPICK_REWRITER_PATCHABLE,
    ALTPICK_REWRITER_RETPOLINES,
    ALTPICK_REWRITER_RETURNS,
    ALTPICK_REWRITER_CALL_THUNKS,
    ALTPICK_REWRITER_PARAVIRT,
    ALTPICK_REWRITER_IBT,
    ALTPICK_REWRITER_CFI,
    ALTPICK_REWRITER_CONSTANTS,
};

struct altpick_rewriter {
    enum altpick_rewriter_kind kind;
    const char *name;    /* "jump labels" */
    const char *section; /* that holds nothing else; one that ends in '*' stands for a beginning */
    uint8_t record_bytes_64, record_bytes_32;
    bool is_absolute; /* the record starts with the address, else with one relative to itself */
};

/* What has tables in a section of that name, or NULL. */
const struct altpick_rewriter *altpick_rewriter_of(const char *section);

/* The first rewriter of @kind. */
const struct altpick_rewriter *altpick_rewriter_first(enum altpick_rewriter_kind kind);

/* The size of a record for code of so many bits. */
unsigned altpick_rewriter_record_bytes(const struct altpick_rewriter *rewriter, bool is_64);

/*
 * If @section, which has bytes in the file, is a table: what by, and how many records it has; else
 * *ret_rewriter is NULL.  ALTPICK_EFORMAT where its bytes are no whole number of records.
 */
int altpick_rewriter_section(const struct altpick_image *image,
                             const struct altpick_section *section,
                             const struct altpick_rewriter **ret_rewriter, size_t *ret_n,
                             struct altpick_diag *diag);

#endif
