/* SPDX-License-Identifier: MIT */
/* Running code as text, an instruction at a time, with what is known of each. */
#include "elf/running_code.h"

#include "diag.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

/* Addresses are shown with what is there; other numbers only where they stand for a place. */
static bool name_of(void *ctx, const struct altpick_insn_number *number, char *ret_name)
{
    const struct altpick_view *view = ctx;
    char where[ALTPICK_WHERE_BYTES];

    if (number->kind != ALTPICK_INSN_ADDRESS && !is_made_up(view, number->value))
        return false;
    altpick_view_where(view, number->value, where);
    if (view->image.is_relocatable || strncmp(where, "0x", 2) == 0)
        snprintf(ret_name, ALTPICK_INSN_NAME_MAX, "%s", where);
    else
        snprintf(ret_name, ALTPICK_INSN_NAME_MAX, "0x%" PRIx64 " <%s>", number->value, where);
    return true;
}

/* --- decoding -----------------------------------------------------------------------------------
 */

int altpick_running_decoder_init(struct altpick_running_decoder *decoder,
                                 const struct altpick_view *view,
                                 const struct altpick_running *running, bool is_intel,
                                 struct altpick_diag *diag)
{
    struct altpick_running_decoder d = {.view = view, .running = running};

    if (altpick_insn_printer_init(&d.printer, is_intel) < 0)
        return altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", view->image.path);
    *decoder = d;
    return ALTPICK_OK;
}

void altpick_running_decoder_fini(struct altpick_running_decoder *decoder)
{
    altpick_insn_printer_fini(&decoder->printer);
    *decoder = (struct altpick_running_decoder){.view = NULL};
}

/* Whether the code at @address is 64-bit code: not so in a vDSO for 32-bit programs. */
static bool is_64(const struct altpick_view *view, uint64_t address)
{
    const struct altpick_embedded *embedded = altpick_embedded_at(&view->all, address);

    return embedded ? embedded->is_64 : view->image.code_is_64;
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
        bool is_call_thunk = table->rewriter->kind == ALTPICK_REWRITER_CALL_THUNKS;

        if (altpick_running_models(decoder->running, table) ||
            (is_call_thunk && !decoder->running->calls_are_counted))
            continue;
        add_mark(in, table->rewriter->name);
    }
    if (is_trampoline(decoder->view, in))
        add_mark(in, altpick_rewriter_first(ALTPICK_REWRITER_STATIC_CALLS)->name);
    /* Counting is written into the padding before functions, and calls are led there. */
    if (decoder->running->calls_are_counted &&
        (in->code[0] == 0xe8 || (in->bytes == 1 && in->code[0] == 0x90)))
        add_mark(in, altpick_rewriter_first(ALTPICK_REWRITER_CALL_THUNKS)->name);
}

bool altpick_running_decode(const struct altpick_running_decoder *decoder, uint64_t address,
                            size_t bytes, struct altpick_running_instruction *ret_instruction)
{
    struct altpick_running_instruction in = {.address = address};
    size_t there = altpick_overlay_read(&decoder->running->overlay, address, sizeof in.code,
                                        in.code, in.origin, in.by);

    if (!bytes || !there)
        return false;
    in.bytes = altpick_insn_print(&decoder->printer, is_64(decoder->view, address), in.code, there,
                                  address, name_of, (void *) (uintptr_t) decoder->view, in.text);
    if (!in.bytes) {
        in.is_bad = true;
        in.bytes = 1;
    } else if (in.bytes > bytes) {
        in.is_cut = true;
        in.bytes = bytes;
        snprintf(in.text, sizeof in.text, "(cut off at the end of the range)");
    }
    find_marks(decoder, &in);
    *ret_instruction = in;
    return true;
}
