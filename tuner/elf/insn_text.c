/* SPDX-License-Identifier: MIT */
/* One instruction as text, with names in place of numbers where the caller knows any. */
#include "elf/insn_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <Zycore/Format.h>
#include <Zydis/Zydis.h>

/* Decoders of both kinds of code, and the formatter's own functions, which ours go on with. */
struct zydis {
    ZydisDecoder decoder_64, decoder_32;
    ZydisFormatter formatter;
    ZydisFormatterFunc displacement, immediate, absolute, memory, reg;
    bool is_intel;
};

/* What our functions get to know of an instruction. */
struct job {
    const struct zydis *zydis;
    altpick_insn_name *name;
    void *ctx;
    uint64_t mask; /* of addresses */
};

static ZyanStatus append(ZydisFormatterBuffer *buffer, const char *text)
{
    ZyanString *string;

    ZYAN_CHECK(ZydisFormatterBufferAppend(buffer, ZYDIS_TOKEN_SYMBOL));
    ZYAN_CHECK(ZydisFormatterBufferGetString(buffer, &string));
    return ZyanStringAppendFormat(string, "%s", text);
}

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

/* --- numbers ------------------------------------------------------------------------------------
 */

/* Ask for the name of a number whose field is a displacement of memory, or else an immediate. */
static bool find_name(const ZydisFormatterContext *context, struct altpick_insn_number number,
                      char *ret_name)
{
    const struct job *job = context->user_data;
    const ZydisDecodedInstruction *in = context->instruction;

    number.at = context->operand->type == ZYDIS_OPERAND_TYPE_MEMORY ? in->raw.disp.offset
                                                                    : in->raw.imm[0].offset;
    number.to_end = in->length - number.at;
    number.value &= job->mask;
    return job->name(job->ctx, &number, ret_name);
}

static ZyanStatus print_displacement(const ZydisFormatter *formatter, ZydisFormatterBuffer *buffer,
                                     ZydisFormatterContext *context)
{
    const struct job *job = context->user_data;
    struct altpick_insn_number number = {.kind = ALTPICK_INSN_DISPLACEMENT,
                                         .value = (uint64_t) context->operand->mem.disp.value};
    char name[ALTPICK_INSN_NAME_MAX];

    if (!find_name(context, number, name))
        return job->zydis->displacement(formatter, buffer, context);
    if (job->zydis->is_intel) /* the sign is part of what is replaced */
        ZYAN_CHECK(append(buffer, "+"));
    return append(buffer, name);
}

static ZyanStatus print_immediate(const ZydisFormatter *formatter, ZydisFormatterBuffer *buffer,
                                  ZydisFormatterContext *context)
{
    const struct job *job = context->user_data;
    struct altpick_insn_number number = {.kind = ALTPICK_INSN_IMMEDIATE,
                                         .value = context->operand->imm.value.u};
    char name[ALTPICK_INSN_NAME_MAX];

    if (!find_name(context, number, name))
        return job->zydis->immediate(formatter, buffer, context);
    ZYAN_CHECK(append(buffer, job->zydis->is_intel ? "offset " : "$"));
    return append(buffer, name);
}

/* Targets of branches, and memory at a known address: for the latter say what it is relative to. */
static ZyanStatus print_absolute(const ZydisFormatter *formatter, ZydisFormatterBuffer *buffer,
                                 ZydisFormatterContext *context)
{
    const struct job *job = context->user_data;
    const ZydisDecodedOperand *operand = context->operand;
    bool is_memory = operand->type == ZYDIS_OPERAND_TYPE_MEMORY;
    struct altpick_insn_number number = {.kind = ALTPICK_INSN_ADDRESS,
                                         .is_absolute = is_memory && !is_rip_relative(operand)};
    char name[ALTPICK_INSN_NAME_MAX];
    ZyanU64 address;

    ZYAN_CHECK(ZydisCalcAbsoluteAddress(context->instruction, operand, context->runtime_address,
                                        &address));
    number.value = address;
    if (find_name(context, number, name)) {
        /* As the formatter's own function does. */
        if (is_memory && is_branch(context) && !job->zydis->is_intel)
            ZYAN_CHECK(append(buffer, "*"));
        ZYAN_CHECK(append(buffer, name));
    } else {
        ZYAN_CHECK(job->zydis->absolute(formatter, buffer, context));
    }
    return is_rip_relative(operand) && !job->zydis->is_intel ? append(buffer, "(%rip)")
                                                             : ZYAN_STATUS_SUCCESS;
}

/* --- what Zydis 4.0 leaves out ------------------------------------------------------------------
 */

/* The star of "call *(%rax)", where the operand has a register. */
static ZyanStatus format_memory(const ZydisFormatter *formatter, ZydisFormatterBuffer *buffer,
                                ZydisFormatterContext *context)
{
    const struct job *job = context->user_data;

    if (is_branch(context) && !is_absolute(context->operand))
        ZYAN_CHECK(append(buffer, "*"));
    return job->zydis->memory(formatter, buffer, context);
}

/* And of "call *%rax". */
static ZyanStatus format_register(const ZydisFormatter *formatter, ZydisFormatterBuffer *buffer,
                                  ZydisFormatterContext *context)
{
    const struct job *job = context->user_data;

    if (is_branch(context))
        ZYAN_CHECK(append(buffer, "*"));
    return job->zydis->reg(formatter, buffer, context);
}

/* A displacement of 0 and with it the name that stands for it: it is made 1. */
static void keep_displacement(const struct job *job, const ZydisDecodedInstruction *in,
                              ZydisDecodedOperand *operands)
{
    struct altpick_insn_number number = {.kind = ALTPICK_INSN_DISPLACEMENT,
                                         .at = in->raw.disp.offset,
                                         .to_end = in->length - in->raw.disp.offset};
    char name[ALTPICK_INSN_NAME_MAX];

    for (unsigned i = 0; in->raw.disp.size && i < in->operand_count_visible; i++) {
        if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY && operands[i].mem.disp.value == 0 &&
            !is_absolute(&operands[i]) && job->name(job->ctx, &number, name))
            operands[i].mem.disp.value = 1;
    }
}

/* --- printing -----------------------------------------------------------------------------------
 */

/* Put @ours in the place of the function @what; *ret_theirs is what was there. */
static void hook(ZydisFormatter *formatter, ZydisFormatterFunction what, ZydisFormatterFunc ours,
                 ZydisFormatterFunc *ret_theirs)
{
    *ret_theirs = ours;
    ZydisFormatterSetHook(formatter, what, (const void **) (void *) ret_theirs);
}

static void set_up(struct zydis *zydis, bool is_intel)
{
    ZydisFormatter *formatter = &zydis->formatter;

    zydis->is_intel = is_intel;
    ZydisDecoderInit(&zydis->decoder_64, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    ZydisDecoderInit(&zydis->decoder_32, ZYDIS_MACHINE_MODE_LEGACY_32, ZYDIS_STACK_WIDTH_32);
    ZydisFormatterInit(formatter,
                       is_intel ? ZYDIS_FORMATTER_STYLE_INTEL : ZYDIS_FORMATTER_STYLE_ATT);
    ZydisFormatterSetProperty(formatter, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE);
    ZydisFormatterSetProperty(formatter, ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE, 0);
    ZydisFormatterSetProperty(formatter, ZYDIS_FORMATTER_PROP_ADDR_PADDING_RELATIVE, 0);
    ZydisFormatterSetProperty(formatter, ZYDIS_FORMATTER_PROP_DISP_PADDING, 0);
    ZydisFormatterSetProperty(formatter, ZYDIS_FORMATTER_PROP_IMM_PADDING, 0);
    hook(formatter, ZYDIS_FORMATTER_FUNC_PRINT_DISP, print_displacement, &zydis->displacement);
    hook(formatter, ZYDIS_FORMATTER_FUNC_PRINT_IMM, print_immediate, &zydis->immediate);
    hook(formatter, ZYDIS_FORMATTER_FUNC_PRINT_ADDRESS_ABS, print_absolute, &zydis->absolute);
    if (is_intel)
        return;
    hook(formatter, ZYDIS_FORMATTER_FUNC_FORMAT_OPERAND_MEM, format_memory, &zydis->memory);
    hook(formatter, ZYDIS_FORMATTER_FUNC_FORMAT_OPERAND_REG, format_register, &zydis->reg);
}

int altpick_insn_printer_init(struct altpick_insn_printer *ret_printer, bool is_intel)
{
    struct zydis *zydis = calloc(1, sizeof *zydis);

    if (!zydis)
        return ALTPICK_ENOMEM;
    set_up(zydis, is_intel);
    ret_printer->zydis = zydis;
    return ALTPICK_OK;
}

void altpick_insn_printer_fini(struct altpick_insn_printer *printer)
{
    free(printer->zydis);
    printer->zydis = NULL;
}

size_t altpick_insn_print(const struct altpick_insn_printer *printer, bool is_64,
                          const uint8_t *code, size_t n, uint64_t address, altpick_insn_name *name,
                          void *ctx, char *ret_text)
{
    const struct zydis *zydis = printer->zydis;
    const ZydisDecoder *decoder = is_64 ? &zydis->decoder_64 : &zydis->decoder_32;
    struct job job = {zydis, name, ctx, is_64 ? UINT64_MAX : UINT32_MAX};
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    ZydisDecodedInstruction in;
    size_t bytes = 0;

    if (ZYAN_SUCCESS(ZydisDecoderDecodeFull(decoder, code, n, &in, operands))) {
        keep_displacement(&job, &in, operands);
        if (in.mnemonic == ZYDIS_MNEMONIC_NOP && in.operand_count_visible > 1)
            in.operand_count_visible = 1; /* the memory that it names, and no register */
        if (ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&zydis->formatter, &in, operands,
                                                         in.operand_count_visible, ret_text,
                                                         ALTPICK_INSN_TEXT_MAX, address, &job)))
            bytes = in.length;
    }
    if (!bytes)
        snprintf(ret_text, ALTPICK_INSN_TEXT_MAX, "(bad)");
    for (char *p = ret_text; *p; p++)
        *p = *p < ' ' || *p > '~' ? '?' : *p;
    return bytes;
}
