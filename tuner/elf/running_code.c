/* SPDX-License-Identifier: MIT */
/* Running code as text, an instruction at a time, with what is known of each. */
#include "elf/running_code.h"

#include "diag.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <Zydis/Zydis.h>

/* Zydis's part; kernels for 64 bits hold a vDSO for 32. */
struct zydis {
    ZydisDecoder decoder_64, decoder_32;
    ZydisFormatter formatter;
    ZydisFormatterFunc print_imm, print_disp; /* its own */
};

/* --- names in place of addresses ----------------------------------------------------------------
 */

/* Whether @address is one that was made up for a relocatable file. */
static bool is_made_up(const struct altpick_view *view, uint64_t address)
{
    const struct altpick_memory *memory = &view->memory;
    uint64_t start = memory->n_parts ? memory->parts[0].address : 0;
    uint64_t end = memory->n_externs ? memory->externs[memory->n_externs - 1].address : start;

    if (!view->image.is_relocatable)
        return false;
    return altpick_memory_part(memory, address) || (address >= start && address <= end + 0x1000);
}

/* Written by hand: what appends to such a string is in another library, Zycore. */
static ZyanStatus append(ZydisFormatterBuffer *buffer, const char *text)
{
    size_t n = strlen(text);
    ZyanString *string;
    ZyanVector *vector;

    ZYAN_CHECK(ZydisFormatterBufferAppend(buffer, ZYDIS_TOKEN_SYMBOL));
    ZYAN_CHECK(ZydisFormatterBufferGetString(buffer, &string));
    vector = &string->vector; /* its size counts the NUL */
    if (vector->size + n > vector->capacity)
        return ZYAN_STATUS_INSUFFICIENT_BUFFER_SIZE;
    memcpy((char *) vector->data + vector->size - 1, text, n + 1);
    vector->size += n;
    return ZYAN_STATUS_SUCCESS;
}

static ZyanStatus print_address(const ZydisFormatter *formatter, ZydisFormatterBuffer *buffer,
                                ZydisFormatterContext *context)
{
    const struct altpick_view *view = context->user_data;
    char where[ALTPICK_WHERE_BYTES], text[ALTPICK_WHERE_BYTES + 32];
    ZyanU64 address;
    (void) formatter;

    ZYAN_CHECK(ZydisCalcAbsoluteAddress(context->instruction, context->operand,
                                        context->runtime_address, &address));
    if (!view->image.code_is_64)
        address &= UINT32_MAX;
    altpick_view_where(view, address, where);
    if (view->image.is_relocatable || strncmp(where, "0x", 2) == 0)
        return append(buffer, where);
    snprintf(text, sizeof text, "0x%" PRIx64 " <%s>", (uint64_t) address, where);
    return append(buffer, text);
}

static ZyanStatus print_imm(const ZydisFormatter *formatter, ZydisFormatterBuffer *buffer,
                            ZydisFormatterContext *context)
{
    const struct altpick_view *view = context->user_data;
    char where[ALTPICK_WHERE_BYTES], text[ALTPICK_WHERE_BYTES + 8];
    uint64_t value = context->operand->imm.value.u;

    if (!view->image.code_is_64)
        value &= UINT32_MAX;
    if (!is_made_up(view, value))
        return ((const struct zydis *) (const void *) ((const char *) formatter -
                                                       offsetof(struct zydis, formatter)))
            ->print_imm(formatter, buffer, context);
    altpick_view_where(view, value, where);
    snprintf(text, sizeof text, "%s%s",
             formatter->style == ZYDIS_FORMATTER_STYLE_ATT ? "$" : "offset ", where);
    return append(buffer, text);
}

static ZyanStatus print_disp(const ZydisFormatter *formatter, ZydisFormatterBuffer *buffer,
                             ZydisFormatterContext *context)
{
    const struct altpick_view *view = context->user_data;
    char where[ALTPICK_WHERE_BYTES];
    uint64_t value = (uint64_t) context->operand->mem.disp.value;

    if (!view->image.code_is_64)
        value &= UINT32_MAX;
    if (!is_made_up(view, value))
        return ((const struct zydis *) (const void *) ((const char *) formatter -
                                                       offsetof(struct zydis, formatter)))
            ->print_disp(formatter, buffer, context);
    altpick_view_where(view, value, where);
    return append(buffer, where);
}

/* --- decoding -----------------------------------------------------------------------------------
 */

static bool set_up(struct zydis *zydis, bool is_intel)
{
    ZydisFormatterFunc address = print_address, imm = print_imm, disp = print_disp;

    if (!ZYAN_SUCCESS(ZydisDecoderInit(&zydis->decoder_64, ZYDIS_MACHINE_MODE_LONG_64,
                                       ZYDIS_STACK_WIDTH_64)) ||
        !ZYAN_SUCCESS(ZydisDecoderInit(&zydis->decoder_32, ZYDIS_MACHINE_MODE_LEGACY_32,
                                       ZYDIS_STACK_WIDTH_32)) ||
        !ZYAN_SUCCESS(ZydisFormatterInit(&zydis->formatter, is_intel ? ZYDIS_FORMATTER_STYLE_INTEL
                                                                     : ZYDIS_FORMATTER_STYLE_ATT)))
        return false;
    ZydisFormatterSetProperty(&zydis->formatter, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE);
    ZydisFormatterSetProperty(&zydis->formatter, ZYDIS_FORMATTER_PROP_DISP_PADDING,
                              ZYDIS_PADDING_DISABLED);
    ZydisFormatterSetProperty(&zydis->formatter, ZYDIS_FORMATTER_PROP_IMM_PADDING,
                              ZYDIS_PADDING_DISABLED);
    ZydisFormatterSetHook(&zydis->formatter, ZYDIS_FORMATTER_FUNC_PRINT_ADDRESS_ABS,
                          (const void **) &address);
    ZydisFormatterSetHook(&zydis->formatter, ZYDIS_FORMATTER_FUNC_PRINT_IMM, (const void **) &imm);
    ZydisFormatterSetHook(&zydis->formatter, ZYDIS_FORMATTER_FUNC_PRINT_DISP,
                          (const void **) &disp);
    zydis->print_imm = imm; /* the hooks that were there */
    zydis->print_disp = disp;
    return true;
}

int altpick_running_decoder_init(struct altpick_running_decoder *decoder,
                                 const struct altpick_view *view,
                                 const struct altpick_running *running, bool is_intel,
                                 struct altpick_diag *diag)
{
    struct zydis *zydis = malloc(sizeof *zydis);

    if (!zydis || !set_up(zydis, is_intel)) {
        free(zydis);
        return altpick_fail(diag, ALTPICK_ENOMEM, "%s: no decoder", view->image.path);
    }
    *decoder = (struct altpick_running_decoder){view, running, is_intel, zydis};
    return ALTPICK_OK;
}

void altpick_running_decoder_fini(struct altpick_running_decoder *decoder)
{
    free(decoder->zydis);
    *decoder = (struct altpick_running_decoder){.view = NULL};
}

/* Whether the code at @address is 64-bit code: not so in a vDSO for 32-bit programs. */
static bool is_64(const struct altpick_view *view, uint64_t address)
{
    for (size_t i = 0; i < view->all.n_embedded; i++) {
        const struct altpick_embedded *e = &view->all.embedded[i];

        if (address - e->address < e->bytes)
            return e->is_64;
    }
    return view->image.code_is_64;
}

/* A static call is made through a jump that is known by the three bytes behind it. */
static bool is_trampoline(const struct altpick_view *view,
                          const struct altpick_running_instruction *in)
{
    uint64_t behind = 0;

    return in->bytes == 5 && (in->code[0] == 0xe9 || in->code[0] == 0xc3) &&
           altpick_memory_number(&view->memory, in->address + 5, 3, &behind) && behind == 0xccb90f;
}

static void add_mark(struct altpick_running_instruction *in, const char *name)
{
    for (size_t i = 0; i < in->n_marks; i++) {
        if (strcmp(in->marks[i], name) == 0)
            return;
    }
    if (in->n_marks < ALTPICK_RUNNING_MARKS_MAX)
        in->marks[in->n_marks++] = name;
}

static void find_marks(const struct altpick_running_decoder *decoder,
                       struct altpick_running_instruction *in)
{
    const struct altpick_rewriters *rewriters = &decoder->view->rewriters;
    const struct altpick_rewriter_mark *mark =
        altpick_rewriters_at(rewriters, in->address, in->bytes);
    const struct altpick_rewriter_mark *end = rewriters->marks + rewriters->n_marks;

    for (; mark && mark < end && mark->address - in->address < in->bytes; mark++) {
        const struct altpick_rewriter_table *table = &rewriters->tables[mark->table];
        bool is_call_thunk = strcmp(table->rewriter->name, "call thunks") == 0;

        if (altpick_running_models(decoder->running, table) ||
            (is_call_thunk && !decoder->running->calls_are_counted))
            continue;
        add_mark(in, table->rewriter->name);
    }
    if (is_trampoline(decoder->view, in))
        add_mark(in, "static calls");
    /* Counting is written into the padding before functions, and calls are led there. */
    if (decoder->running->calls_are_counted &&
        (in->code[0] == 0xe8 || (in->bytes == 1 && in->code[0] == 0x90)))
        add_mark(in, "call thunks");
}

bool altpick_running_decode(const struct altpick_running_decoder *decoder, uint64_t address,
                            size_t bytes, struct altpick_running_instruction *ret_instruction)
{
    const struct zydis *zydis = decoder->zydis;
    struct altpick_running_instruction in = {.address = address};
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    ZydisDecodedInstruction decoded;

    bytes = bytes < sizeof in.code ? bytes : sizeof in.code;
    bytes =
        altpick_overlay_read(&decoder->running->overlay, address, bytes, in.code, in.origin, in.by);
    if (!bytes)
        return false;
    in.bytes = 1;
    if (ZYAN_SUCCESS(ZydisDecoderDecodeFull(is_64(decoder->view, address) ? &zydis->decoder_64
                                                                          : &zydis->decoder_32,
                                            in.code, bytes, &decoded, operands)) &&
        ZYAN_SUCCESS(ZydisFormatterFormatInstruction(
            &zydis->formatter, &decoded, operands, decoded.operand_count_visible, in.text,
            sizeof in.text, address, (void *) (uintptr_t) decoder->view))) {
        in.bytes = decoded.length;
    } else {
        in.is_bad = true;
        snprintf(in.text, sizeof in.text, "(bad)");
    }
    for (char *p = in.text; *p; p++)
        *p = *p < ' ' || *p > '~' ? '?' : *p;
    find_marks(decoder, &in);
    *ret_instruction = in;
    return true;
}
