/* SPDX-License-Identifier: MIT */
/* Relocatable ELF objects for x86-64 and i386: sections, names in them, and references to others.
 */
#ifndef ALTPICK_ELF_OBJECT_H
#define ALTPICK_ELF_OBJECT_H

#include "altpick/out.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ALTPICK_ELF_RODATA_ALIGN = 64, ALTPICK_ELF_TEXT_ALIGN = 16, ALTPICK_ELF_SECTIONS_MAX = 4 };

/* The section of a symbol that another object defines. */
#define ALTPICK_ELF_UNDEFINED SIZE_MAX

/*
 * 32 bits that the linker fills with the distance from themselves to something, plus @addend: a
 * symbol, or a place in a section.  R_X86_64_PC32 or R_386_PC32.
 */
struct altpick_elf_reloc {
    size_t offset; /* of the 32 bits in their section */
    bool to_section;
    size_t target; /* index in the object's sections or symbols */
    int32_t addend;
};

/* Bytes that are loaded with the program and not written. */
struct altpick_elf_section {
    const char *name;
    const uint8_t *data;
    size_t bytes;
    size_t align;
    bool is_code;
    bool is_strings; /* each with its NUL; equal ones of all objects become one */
    bool is_kept;    /* not dropped by a linker's --gc-sections although nothing refers to it */
    const struct altpick_elf_reloc *relocs;
    size_t n_relocs;
};

/*
 * A global name.  One for bytes of a section is hidden, STT_FUNC in code and STT_OBJECT elsewhere;
 * an undefined one has neither type nor visibility of its own, which are for whoever defines it.
 */
struct altpick_elf_symbol {
    const char *name;
    size_t section; /* index in the object's sections, or ALTPICK_ELF_UNDEFINED */
    size_t offset, bytes;
};

struct altpick_elf_object {
    bool is_32; /* ELF32 for i386 instead of ELF64 for x86-64 */
    const struct altpick_elf_section *sections;
    size_t n_sections; /* up to ALTPICK_ELF_SECTIONS_MAX */
    const struct altpick_elf_symbol *symbols;
    size_t n_symbols;
};

/*
 * Write @object to @out: the sections, each followed by its relocations (RELA; for i386 REL, the
 * addends in place), .note.GNU-stack, a local symbol for each section where there are relocations,
 * and the symbols in the order given.  Equal objects give equal bytes.  Returns 0, ALTPICK_EIO,
 * ALTPICK_ENOMEM, ALTPICK_ENOSPACE (too many sections) or the sink's error.
 */
int altpick_elf_object_write(const struct altpick_elf_object *object, struct altpick_out *out);

#endif
