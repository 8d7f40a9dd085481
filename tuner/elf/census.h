/* SPDX-License-Identifier: MIT */
/* How many NOPs of which encoding the code of an image has. */
#ifndef ALTPICK_ELF_CENSUS_H
#define ALTPICK_ELF_CENSUS_H

#include "elf/image.h"

#include <stddef.h>
#include <stdint.h>

/*
 * What a NOP is behind its prefixes 66 and 2E: name, text.  The recommended forms have their ModRM
 * byte, and 00 for a SIB byte; displacements, which are 0, are left out.  One LEA form is what the
 * GNU assembler pads with, a segment prefix included.
 */
#define ALTPICK_NOP_FORMS(X)                                                                       \
    X(90, "90")                                                                                    \
    X(0F1F_00, "0f1f00")                                                                           \
    X(0F1F_40, "0f1f40")                                                                           \
    X(0F1F_44, "0f1f4400")                                                                         \
    X(0F1F_80, "0f1f80")                                                                           \
    X(0F1F_84, "0f1f8400")                                                                         \
    X(0F1F_OTHER, "0f1f, other operand")                                                           \
    X(HINT_0D, "0f0d hint")                                                                        \
    X(HINT_18, "0f18 hint")                                                                        \
    X(HINT_19, "0f19 hint")                                                                        \
    X(HINT_1A, "0f1a hint")                                                                        \
    X(HINT_1B, "0f1b hint")                                                                        \
    X(HINT_1C, "0f1c hint")                                                                        \
    X(HINT_1D, "0f1d hint")                                                                        \
    X(HINT_1E, "0f1e hint")                                                                        \
    X(LEA, "lea to itself")                                                                        \
    X(LEA_DISP8, "lea to itself, disp8")                                                           \
    X(LEA_SIB_DISP8, "lea to itself, sib, disp8")                                                  \
    X(LEA_3E, "3e, lea to itself, sib, disp8")                                                     \
    X(LEA_DISP32, "lea to itself, disp32")                                                         \
    X(LEA_SIB_DISP32, "lea to itself, sib, disp32")                                                \
    X(MOV, "mov to itself")                                                                        \
    X(OTHER, "any of these, other prefixes")

enum altpick_nop_form {
#define X(name, text) ALTPICK_NOP_FORM_##name,
    ALTPICK_NOP_FORMS(X)
#undef X
        ALTPICK_N_NOP_FORMS,
};

enum {
    ALTPICK_NOP_BYTES_MAX = 15,
    ALTPICK_NOP_2E_MAX = 3,   /* more are OTHER */
    ALTPICK_NOP_LISTED = 256, /* distinct encodings that a list has room for */
};

/* NOPs of one encoding: so many 66 and 2E in any order, then the form. */
struct altpick_nop_count {
    uint64_t count, bytes; /* instructions, and bytes of all of them */
};

/*
 * Sums over code that was swept from its start to its end.  LEA and MOV forms are looked for in
 * 32-bit code.  F3 90 (PAUSE) and ENDBR are no NOPs.
 */
struct altpick_census {
    uint64_t bytes, instructions;
    uint64_t undecodable_bytes; /* each was stepped over alone */
    struct altpick_nop_count nops;
    uint64_t by_length[ALTPICK_NOP_BYTES_MAX + 1];
    struct altpick_nop_count cell[ALTPICK_N_NOP_FORMS][ALTPICK_NOP_BYTES_MAX]
                                 [ALTPICK_NOP_2E_MAX + 1];
};

/* Sweep @bytes bytes of 32- or 64-bit @code and add what is there to @census.  @relocations, sorted
 * by offset in @code, may be NULL: what they fill is not 0, whatever the file has. */
void altpick_census_code(unsigned bits, const uint8_t *code, size_t bytes,
                         const struct altpick_relocation *relocations, size_t n_relocations,
                         struct altpick_census *census);

/* Sweep every executable section of @image. */
int altpick_census_image(const struct altpick_image *image, struct altpick_census *ret_census,
                         struct altpick_diag *diag);

/* One line of a list. */
struct altpick_nop_encoding {
    enum altpick_nop_form form;
    uint8_t prefixes_66, prefixes_2e;
    struct altpick_nop_count nops;
};

/* All encodings that were met, most frequent first; returns their number, ALTPICK_NOP_LISTED at
 * most. */
size_t altpick_census_list(const struct altpick_census *census,
                           struct altpick_nop_encoding ret_list[ALTPICK_NOP_LISTED]);

/* Static. */
const char *altpick_nop_form_text(enum altpick_nop_form form);

#endif
