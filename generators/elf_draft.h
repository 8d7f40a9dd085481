/* SPDX-License-Identifier: MIT */
/* An ELF object in the making. */
#ifndef ALTPICK_GENERATORS_ELF_DRAFT_H
#define ALTPICK_GENERATORS_ELF_DRAFT_H

#include "altpick/output.h"
#include "elf/object.h"

#include <stddef.h>
#include <stdint.h>

enum {
    ALTPICK_DRAFT_BYTES_MAX = 32768,
    ALTPICK_DRAFT_SYMBOLS_MAX = 48,
    ALTPICK_DRAFT_NAME_MAX = 48
};

/* Its sections, in their order. */
enum { ALTPICK_DRAFT_TEXT, ALTPICK_DRAFT_RODATA, ALTPICK_DRAFT_SECTIONS };

/* One section's bytes. */
struct altpick_draft_part {
    uint8_t data[ALTPICK_DRAFT_BYTES_MAX];
    size_t bytes;
};

struct altpick_draft {
    struct altpick_draft_part rodata, text;
    struct altpick_draft_part *part; /* of the symbol that was begun last */
    struct altpick_elf_symbol symbols[ALTPICK_DRAFT_SYMBOLS_MAX];
    char names[ALTPICK_DRAFT_SYMBOLS_MAX][ALTPICK_DRAFT_NAME_MAX];
    size_t n_symbols;
};

/* Begin the symbol "@name@suffix" at the next multiple of @align bytes: a constant, or code. */
void altpick_draft_begin(struct altpick_draft *draft, const char *name, const char *suffix,
                         size_t align);
void altpick_draft_begin_code(struct altpick_draft *draft, const char *name);

/* Append to it. */
void altpick_draft_bytes(struct altpick_draft *draft, const void *bytes, size_t n);
void altpick_draft_u32(struct altpick_draft *draft, uint32_t value);

/* Its size is what was appended. */
void altpick_draft_end(struct altpick_draft *draft);

/* elf_body.c: the bodies for code of @bits, and the constants that they work on. */
void altpick_draft_bodies(struct altpick_draft *draft, const struct altpick_bodies *bodies,
                          uint32_t bits);

#endif
