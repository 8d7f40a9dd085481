/* SPDX-License-Identifier: MIT */
/* Code of an image as text, an instruction at a time, with the symbols that relocations name. */
#ifndef ALTPICK_ELF_DISASSEMBLE_H
#define ALTPICK_ELF_DISASSEMBLE_H

#include "elf/image.h"
#include "elf/insn_text.h"

#include <stddef.h>
#include <stdint.h>

/* Keeps the relocations of all code.  Zeroed memory may be finished. */
struct altpick_disassembler {
    const struct altpick_image *image;
    struct altpick_disassembler_section *sections; /* by number; owned */
    struct altpick_insn_printer printer;
};

/* Start on @image, which outlives it.  Fails where relocations of code cannot be read. */
int altpick_disassembler_init(const struct altpick_image *image,
                              struct altpick_disassembler *ret_disassembler,
                              struct altpick_diag *diag);
void altpick_disassembler_fini(struct altpick_disassembler *disassembler);

struct altpick_instruction {
    size_t bytes;
    char text[ALTPICK_INSN_TEXT_MAX]; /* AT&T, printable ASCII */
};

/*
 * Decode the instruction at @offset of section number @section, of which at most @bytes bytes are
 * code.  Addresses are those of a linked image; in a relocatable file, where @address is not known,
 * operands that a relocation fills are shown as symbol and addend.  One byte as "(bad)" where
 * nothing decodes.
 */
void altpick_disassemble(const struct altpick_disassembler *disassembler, uint32_t section,
                         uint64_t offset, size_t bytes,
                         struct altpick_instruction *ret_instruction);

#endif
