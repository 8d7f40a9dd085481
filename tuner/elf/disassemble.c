/* SPDX-License-Identifier: MIT */
/* Code of an image as text, an instruction at a time, with the symbols that relocations name. */
#include "elf/disassemble.h"

#include "diag.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <Zycore/Format.h>
#include <Zydis/Zydis.h>

enum { SYMBOL_TEXT_MAX = 96 };

struct altpick_disassembler_section {
    struct altpick_relocation *relocations; /* owned */
    size_t n_relocations;
};

/* What stands for the two operands that a relocation can fill; "" where none does. */
struct operands {
    char displacement[SYMBOL_TEXT_MAX], immediate[SYMBOL_TEXT_MAX];
};

int altpick_disassembler_init(const struct altpick_image *image,
                              struct altpick_disassembler *ret_disassembler,
                              struct altpick_diag *diag)
{
    struct altpick_disassembler disassembler = {.image = image};
    int r = ALTPICK_OK;

    disassembler.sections = calloc(image->n_sections + 1, sizeof *disassembler.sections);
    if (!disassembler.sections)
        return altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", image->path);
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

static void find_operands(const struct altpick_disassembler *disassembler, uint32_t section,
                          uint64_t offset, const ZydisDecodedInstruction *in, struct operands *ret)
{
    const struct altpick_disassembler_section *cache = &disassembler->sections[section];
    const struct altpick_relocation *relocation;

    *ret = (struct operands){"", ""};
    if (in->raw.disp.size > 0) {
        relocation = altpick_relocation_at(cache->relocations, cache->n_relocations,
                                           offset + in->raw.disp.offset);
        if (relocation)
            symbol_text(disassembler->image, relocation, in->length - in->raw.disp.offset,
                        ret->displacement);
    }
    if (in->raw.imm[0].size > 0) {
        relocation = altpick_relocation_at(cache->relocations, cache->n_relocations,
                                           offset + in->raw.imm[0].offset);
        if (relocation)
            symbol_text(disassembler->image, relocation, in->length - in->raw.imm[0].offset,
                        ret->immediate);
    }
}

/* --- formatting ---------------------------------------------------------------------------------
 */

static ZyanStatus append(ZydisFormatterBuffer *buffer, const char *text)
{
    ZyanString *string;

    ZYAN_CHECK(ZydisFormatterBufferAppend(buffer, ZYDIS_TOKEN_SYMBOL));
    ZYAN_CHECK(ZydisFormatterBufferGetString(buffer, &string));
    return ZyanStringAppendFormat(string, "%s", text);
}

/* The formatter's own functions, which ours go on with, and what ours know. */
struct formatter {
    ZydisFormatter zydis;
    ZydisFormatterFunc displacement, immediate, absolute, memory, reg;
    struct operands operands;
    const char *section; /* of a relocatable file, from where its offsets count; else NULL */
};

static bool is_branch(const ZydisFormatterContext *context)
{
    return context->instruction->meta.branch_type != ZYDIS_BRANCH_TYPE_NONE;
}

static bool is_rip_relative(const ZydisDecodedOperand *operand)
{
    return operand->type == ZYDIS_OPERAND_TYPE_MEMORY &&
           (operand->mem.base == ZYDIS_REGISTER_RIP || operand->mem.base == ZYDIS_REGISTER_EIP);
}

/* Memory whose address is known is what print_absolute() is called for. */
static bool is_absolute(const ZydisDecodedOperand *operand)
{
    return is_rip_relative(operand) ||
           (operand->mem.base == ZYDIS_REGISTER_NONE && operand->mem.index == ZYDIS_REGISTER_NONE);
}

static ZyanStatus print_displacement(const ZydisFormatter *zydis, ZydisFormatterBuffer *buffer,
                                     ZydisFormatterContext *context)
{
    const struct formatter *formatter = context->user_data;

    return *formatter->operands.displacement ? append(buffer, formatter->operands.displacement)
                                             : formatter->displacement(zydis, buffer, context);
}

static ZyanStatus print_immediate(const ZydisFormatter *zydis, ZydisFormatterBuffer *buffer,
                                  ZydisFormatterContext *context)
{
    const struct formatter *formatter = context->user_data;

    if (!*formatter->operands.immediate)
        return formatter->immediate(zydis, buffer, context);
    ZYAN_CHECK(append(buffer, "$"));
    return append(buffer, formatter->operands.immediate);
}

/* A place in the section itself, which needs no relocation. */
static ZyanStatus print_own(const struct formatter *formatter, ZydisFormatterBuffer *buffer,
                            const ZydisFormatterContext *context)
{
    char text[SYMBOL_TEXT_MAX];
    ZyanU64 offset;

    ZYAN_CHECK(ZydisCalcAbsoluteAddress(context->instruction, context->operand,
                                        context->runtime_address, &offset));
    snprintf(text, sizeof text, "%s%.64s+%#" PRIx64,
             is_branch(context) && is_rip_relative(context->operand) ? "*" : "", formatter->section,
             offset);
    return append(buffer, text);
}

/* Targets of branches, and memory at a known address: for the latter say what it is relative to. */
static ZyanStatus print_absolute(const ZydisFormatter *zydis, ZydisFormatterBuffer *buffer,
                                 ZydisFormatterContext *context)
{
    const struct formatter *formatter = context->user_data;
    const ZydisDecodedOperand *operand = context->operand;
    bool is_memory = operand->type == ZYDIS_OPERAND_TYPE_MEMORY;
    const char *symbol =
        is_memory ? formatter->operands.displacement : formatter->operands.immediate;

    if (*symbol) {
        if (is_memory && is_branch(context)) /* as the formatter's own function does */
            ZYAN_CHECK(append(buffer, "*"));
        ZYAN_CHECK(append(buffer, symbol));
    } else if (formatter->section && (!is_memory || is_rip_relative(operand))) {
        ZYAN_CHECK(print_own(formatter, buffer, context));
    } else {
        ZYAN_CHECK(formatter->absolute(zydis, buffer, context));
    }
    return is_rip_relative(operand) ? append(buffer, "(%rip)") : ZYAN_STATUS_SUCCESS;
}

/* Zydis 4.0 leaves the star of "call *(%rax)" out where the operand has a register. */
static ZyanStatus format_memory(const ZydisFormatter *zydis, ZydisFormatterBuffer *buffer,
                                ZydisFormatterContext *context)
{
    const struct formatter *formatter = context->user_data;

    if (is_branch(context) && !is_absolute(context->operand))
        ZYAN_CHECK(append(buffer, "*"));
    return formatter->memory(zydis, buffer, context);
}

static ZyanStatus format_register(const ZydisFormatter *zydis, ZydisFormatterBuffer *buffer,
                                  ZydisFormatterContext *context)
{
    const struct formatter *formatter = context->user_data;

    if (is_branch(context))
        ZYAN_CHECK(append(buffer, "*"));
    return formatter->reg(zydis, buffer, context);
}

/* Put @ours in the place of the function @what; *ret_theirs is what was there. */
static void hook(ZydisFormatter *zydis, ZydisFormatterFunction what, ZydisFormatterFunc ours,
                 ZydisFormatterFunc *ret_theirs)
{
    *ret_theirs = ours;
    ZydisFormatterSetHook(zydis, what, (const void **) (void *) ret_theirs);
}

static void formatter_init(struct formatter *ret)
{
    ZydisFormatter *zydis = &ret->zydis;

    ZydisFormatterInit(zydis, ZYDIS_FORMATTER_STYLE_ATT);
    ZydisFormatterSetProperty(zydis, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE);
    ZydisFormatterSetProperty(zydis, ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE, 0);
    ZydisFormatterSetProperty(zydis, ZYDIS_FORMATTER_PROP_ADDR_PADDING_RELATIVE, 0);
    ZydisFormatterSetProperty(zydis, ZYDIS_FORMATTER_PROP_DISP_PADDING, 0);
    ZydisFormatterSetProperty(zydis, ZYDIS_FORMATTER_PROP_IMM_PADDING, 0);
    hook(zydis, ZYDIS_FORMATTER_FUNC_PRINT_DISP, print_displacement, &ret->displacement);
    hook(zydis, ZYDIS_FORMATTER_FUNC_PRINT_IMM, print_immediate, &ret->immediate);
    hook(zydis, ZYDIS_FORMATTER_FUNC_PRINT_ADDRESS_ABS, print_absolute, &ret->absolute);
    hook(zydis, ZYDIS_FORMATTER_FUNC_FORMAT_OPERAND_MEM, format_memory, &ret->memory);
    hook(zydis, ZYDIS_FORMATTER_FUNC_FORMAT_OPERAND_REG, format_register, &ret->reg);
}

/* A displacement of 0 would be left out, symbol and all. */
static void show_displacement(ZydisDecodedInstruction *in, ZydisDecodedOperand *operands)
{
    for (unsigned i = 0; i < in->operand_count_visible; i++) {
        if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY && operands[i].mem.disp.value == 0)
            operands[i].mem.disp.value = 1;
    }
}

void altpick_disassemble(const struct altpick_disassembler *disassembler, uint32_t section,
                         uint64_t offset, size_t bytes, struct altpick_instruction *ret_instruction)
{
    const struct altpick_image *image = disassembler->image;
    const uint8_t *code = image->sections[section].data + offset;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    struct formatter formatter;
    ZydisDecodedInstruction in;
    ZydisDecoder decoder;

    *ret_instruction = (struct altpick_instruction){.bytes = 1, .text = "(bad)"};
    ZydisDecoderInit(&decoder,
                     image->code_is_64 ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LEGACY_32,
                     image->code_is_64 ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32);
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, bytes, &in, operands)))
        return;
    formatter_init(&formatter);
    formatter.section = image->is_relocatable ? image->sections[section].name : NULL;
    find_operands(disassembler, section, offset, &in, &formatter.operands);
    if (*formatter.operands.displacement)
        show_displacement(&in, operands);
    if (in.mnemonic == ZYDIS_MNEMONIC_NOP && in.operand_count_visible > 1)
        in.operand_count_visible = 1; /* the memory that it names, and no register */
    ret_instruction->bytes = in.length;
    if (!ZYAN_SUCCESS(ZydisFormatterFormatInstruction(
            &formatter.zydis, &in, operands, in.operand_count_visible, ret_instruction->text,
            sizeof ret_instruction->text, image->sections[section].address + offset, &formatter)))
        snprintf(ret_instruction->text, sizeof ret_instruction->text, "(bad)");
}
