/* SPDX-License-Identifier: MIT */
/* Code of an image as text, an instruction at a time, with the symbols that relocations name. */
#include "elf/disassemble.h"

#include "diag.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { SYMBOL_TEXT_MAX = 96 }; /* at most ALTPICK_INSN_NAME_MAX */

struct altpick_disassembler_section {
    struct altpick_relocation *relocations; /* owned */
    size_t n_relocations;
};

int altpick_disassembler_init(const struct altpick_image *image,
                              struct altpick_disassembler *ret_disassembler,
                              struct altpick_diag *diag)
{
    struct altpick_disassembler disassembler = {.image = image};
    int r = ALTPICK_OK;

    disassembler.sections = calloc(image->n_sections + 1, sizeof *disassembler.sections);
    if (!disassembler.sections || altpick_insn_printer_init(&disassembler.printer, false) < 0)
        r = altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", image->path);
    for (uint32_t i = 1; r == ALTPICK_OK && i < image->n_sections; i++) {
        struct altpick_disassembler_section *section = &disassembler.sections[i];

        if (image->is_relocatable && altpick_section_is_code(&image->sections[i]))
            r = altpick_image_relocations(image, i, &section->relocations, &section->n_relocations,
                                          diag);
    }
    if (r < 0)
        altpick_disassembler_fini(&disassembler);
    else
        *ret_disassembler = disassembler;
    return r;
}

void altpick_disassembler_fini(struct altpick_disassembler *disassembler)
{
    for (size_t i = 0; disassembler->sections && i < disassembler->image->n_sections; i++)
        free(disassembler->sections[i].relocations);
    free(disassembler->sections);
    altpick_insn_printer_fini(&disassembler->printer);
    *disassembler = (struct altpick_disassembler){.image = NULL};
}

/* --- relocations --------------------------------------------------------------------------------
 */

/* What a relocation puts into a field besides symbol and addend. */
static const char *type_text(const struct altpick_image *image, uint32_t type, bool *ret_relative)
{
    *ret_relative = false;
    if (image->machine != EM_X86_64) {
        *ret_relative =
            type == R_386_PC32 || type == R_386_PLT32 || type == R_386_PC8 || type == R_386_PC16;
        return *ret_relative || type == R_386_32 ? "" : "@other";
    }
    switch (type) {
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
    case R_X86_64_PC8:
        *ret_relative = true;
        return "";
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
        *ret_relative = true;
        return "@GOTPCREL";
    case R_X86_64_32:
    case R_X86_64_32S:
    case R_X86_64_64:
        return "";
    default:
        return "@other";
    }
}

/* What @relocation makes of a field that is @to_end bytes before the end of its instruction. */
static void symbol_text(const struct altpick_image *image,
                        const struct altpick_relocation *relocation, size_t to_end,
                        char ret[SYMBOL_TEXT_MAX])
{
    struct altpick_symbol symbol = {.name = ""};
    bool is_relative;
    const char *type = type_text(image, relocation->type, &is_relative);
    int64_t addend = relocation->addend + (is_relative ? (int64_t) to_end : 0);
    const char *name;

    if (altpick_image_symbol(image, relocation->symbol, &symbol) < 0)
        symbol.name = "?";
    name = symbol.name;
    if (symbol.type == STT_SECTION && symbol.section < image->n_sections)
        name = image->sections[symbol.section].name;
    if (addend == 0)
        snprintf(ret, SYMBOL_TEXT_MAX, "%.64s%s", name, type);
    else
        snprintf(ret, SYMBOL_TEXT_MAX, "%.64s%s%c%#" PRIx64, name, type, addend < 0 ? '-' : '+',
                 addend < 0 ? -(uint64_t) addend : (uint64_t) addend);
    for (char *p = ret; *p; p++)
        *p = *p > ' ' && *p <= '~' ? *p : '?';
}

/* What an instruction is decoded for: its place, and the relocations of its section. */
struct asked {
    const struct altpick_image *image;
    const struct altpick_disassembler_section *section;
    const char *section_name;
    uint64_t offset;
};

/* In a relocatable file: what fills the number, or a place in the section itself. */
static bool name_of(void *ctx, const struct altpick_insn_number *number, char *ret_name)
{
    const struct asked *asked = ctx;
    const struct altpick_relocation *relocation = altpick_relocation_at(
        asked->section->relocations, asked->section->n_relocations, asked->offset + number->at);

    if (relocation) {
        symbol_text(asked->image, relocation, number->to_end, ret_name);
        return true;
    }
    if (!asked->image->is_relocatable || number->kind != ALTPICK_INSN_ADDRESS ||
        number->is_absolute)
        return false;
    snprintf(ret_name, SYMBOL_TEXT_MAX, "%.64s+%#" PRIx64, asked->section_name, number->value);
    return true;
}

void altpick_disassemble(const struct altpick_disassembler *disassembler, uint32_t section,
                         uint64_t offset, size_t bytes, struct altpick_instruction *ret_instruction)
{
    const struct altpick_image *image = disassembler->image;
    const struct altpick_section *code = &image->sections[section];
    struct asked asked = {image, &disassembler->sections[section], code->name, offset};
    size_t n =
        altpick_insn_print(&disassembler->printer, image->code_is_64, code->data + offset, bytes,
                           code->address + offset, name_of, &asked, ret_instruction->text);

    ret_instruction->bytes = n ? n : 1;
}
