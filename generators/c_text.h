/* SPDX-License-Identifier: MIT */
/* The pieces of C that every flavour of header is made of; a flavour is names for them. */
#ifndef ALTPICK_GENERATORS_C_TEXT_H
#define ALTPICK_GENERATORS_C_TEXT_H

#include "altpick/out.h"
#include "altpick/output.h"

#include <stdbool.h>

/* Where the names of strings begin; the length follows.  NULL: not printed. */
struct altpick_c_names {
    const char *bytes;    /* "ALTPICK_NOP": a list of bytes */
    const char *assembly; /* "ALTPICK_ASM_NOP": a string for inline assembly */
};

/* One flavour of the header. */
struct altpick_c_flavour {
    const char *name;
    void (*put)(struct altpick_out *out, const struct altpick_output *output);
};

extern const struct altpick_c_flavour altpick_c_plain, altpick_c_linux, altpick_c_linux_legacy,
    altpick_c_elf;

/* The comment at the top of a file: what it is, for whom, and what the words in brackets mean. */
void altpick_c_provenance(struct altpick_out *out, const struct altpick_output *output,
                          const char *what);

/* The include guard, closed by altpick_c_end(). */
void altpick_c_begin(struct altpick_out *out, const char *guard);
void altpick_c_end(struct altpick_out *out);

/* Define ALTPICK_BITS, 64 or 32, from the target unless the consumer did. */
void altpick_c_bits(struct altpick_out *out);

/* The tests that divide what is for 64-bit code from what is for 32-bit code. */
void altpick_c_if_64(struct altpick_out *out);
void altpick_c_else_32(struct altpick_out *out);
void altpick_c_end_if(struct altpick_out *out);

/* "0x66, 0x90", continued by a backslash on lines of its own where that is long. */
void altpick_c_bytes(struct altpick_out *out, const struct altpick_string *string);

/* "#define <name><length> <bytes>", the same as the string of an assembler directive. */
void altpick_c_define_bytes(struct altpick_out *out, const char *name,
                            const struct altpick_string *string);
void altpick_c_define_assembly(struct altpick_out *out, const char *name,
                               const struct altpick_string *string);

/* The comment on one string, its bytes, and its bytes for inline assembly. */
void altpick_c_string(struct altpick_out *out, const struct altpick_c_names *names, uint32_t bits,
                      const struct altpick_string *string);

/* A number behind a comment that carries its rule; "#define <name><kind> <value>" without one. */
void altpick_c_number(struct altpick_out *out, const char *comment, const char *remark,
                      const char *name, const char *kind, uint32_t value);

/* The functions that copy bytes, split a gap and jump over one. */
void altpick_c_copy(struct altpick_out *out);
void altpick_c_jump(struct altpick_out *out);

/* struct altpick_nop_gap, and a function that fills any gap from tables that are its arguments. */
void altpick_c_gap_type(struct altpick_out *out);
void altpick_c_fill_by(struct altpick_out *out, bool jumps);

/* A constant that a body works on: an array called @name. */
void altpick_c_body_data(struct altpick_out *out, const char *name, enum altpick_data data);

/*
 * The functions made of bodies.  @fixed: the text is the same whatever was decided, and the
 * constants are not part of it.
 */
void altpick_c_body_functions(struct altpick_out *out, const struct altpick_bodies *bodies,
                              bool fixed);

/* The bodies as macros, and the functions. */
void altpick_c_bodies(struct altpick_out *out, const struct altpick_bodies *bodies);

#endif
