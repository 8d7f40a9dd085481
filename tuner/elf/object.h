/* SPDX-License-Identifier: MIT */
/* Relocatable ELF objects that hold constants and code without relocations. */
#ifndef ALTPICK_ELF_OBJECT_H
#define ALTPICK_ELF_OBJECT_H

#include "altpick/out.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ALTPICK_ELF_RODATA_ALIGN = 64, ALTPICK_ELF_TEXT_ALIGN = 16 };

/* A name for some bytes of .rodata, or of .text: global, hidden, STT_OBJECT or STT_FUNC. */
struct altpick_elf_symbol {
    const char *name;
    size_t offset, bytes;
    bool is_code;
};

struct altpick_elf_object {
    bool is_32; /* ELF32 for i386 instead of ELF64 for x86-64 */
    const uint8_t *rodata, *text;
    size_t rodata_bytes, text_bytes;
    const struct altpick_elf_symbol *symbols;
    size_t n_symbols;
};

/*
 * Write @object to @out: .text, .rodata, .note.GNU-stack and the symbols in the order given.  Equal
 * objects give equal bytes.  Returns 0, ALTPICK_EIO, ALTPICK_ENOMEM or the sink's error.
 */
int altpick_elf_object_write(const struct altpick_elf_object *object, struct altpick_out *out);

#endif
