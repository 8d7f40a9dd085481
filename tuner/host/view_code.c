/* SPDX-License-Identifier: MIT */
/* Code as it runs, an instruction a line, with what was done to each. */
#include "view_report.h"

#include "table.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

enum {
    CODE_COLUMNS = 23,
    TEXT_COLUMNS = 36,
    START_MAX = 60, /* of the columns before the text; where it would be more, it has a line */
    INDENT = 4,
    NOTE_MAX = 256,
};

/* Add @text to @note behind a separator, once. */
static void say(char *note, const char *separator, const char *text)
{
    size_t n = strlen(note);

    if (!strstr(note, text))
        snprintf(note + n, NOTE_MAX - n, "%s%s", n ? separator : "", text);
}

/* What was done to an instruction: "12: replacement, relocated". */
static void note_origins(const struct altpick_running_instruction *in, char *note)
{
    uint32_t last = 0;

    for (size_t i = 0; i < in->bytes; i++) {
        char number[24];

        if (in->origin[i] == ALTPICK_FROM_FILE)
            continue;
        if (in->by[i] && in->by[i] != last) {
            size_t n = strlen(note);

            snprintf(number, sizeof number, "%s%u: ", n ? "; " : "", in->by[i] - 1);
            snprintf(note + n, NOTE_MAX - n, "%s%s", number, altpick_origin_name(in->origin[i]));
            last = in->by[i];
            continue;
        }
        say(note, ", ", altpick_origin_name(in->origin[i]));
    }
}

/* Notes about an instruction: what was done to it, and what may be done further. */
static void note_all(const struct altpick_running_instruction *in, char *note)
{
    note_origins(in, note);
    for (size_t i = 0; i < in->n_marks; i++) {
        size_t n = strlen(note);

        snprintf(note + n, NOTE_MAX - n, "%s%s%s", n && !i ? "; " : "",
                 i ? ", " : "may be rewritten: ", in->marks[i]);
    }
}

/* On one line if there is room, else the text is continued and the note has lines of its own. */
static void print_instruction(const struct altpick_running_instruction *in, const char *address,
                              struct altpick_out *out)
{
    char code[2 * ALTPICK_RUNNING_BYTES_MAX + 1], note[NOTE_MAX] = "";
    size_t at = strlen(address) + 2 + CODE_COLUMNS + 1, bytes = strlen(in->text);

    for (size_t i = 0; i < in->bytes; i++)
        snprintf(code + 2 * i, 3, "%02x", in->code[i]);
    note_all(in, note);
    if (2 * in->bytes > CODE_COLUMNS)
        at += 2 * in->bytes - CODE_COLUMNS;
    bytes = bytes < TEXT_COLUMNS ? TEXT_COLUMNS : bytes;
    if (note[0] && at + bytes + strlen(" # ") + strlen(note) <= ALTPICK_LINE_COLUMNS) {
        altpick_printf(out, "%s  %-*s %-*s # %s\n", address, CODE_COLUMNS, code, TEXT_COLUMNS,
                       in->text, note);
        return;
    }
    if (at > START_MAX) {
        altpick_printf(out, "%s  %s\n%*s", address, code, INDENT, "");
        at = INDENT;
    } else {
        altpick_printf(out, "%s  %-*s ", address, CODE_COLUMNS, code);
    }
    altpick_wrapped(out, in->text, at, at);
    if (note[0])
        altpick_line(out, (unsigned) at + 2, "%*s# %s", (int) at, "", note);
}

/* The entries of a site that starts within [@address, @address + @bytes). */
static void print_entries(const struct altpick_view_report *report, uint64_t address, size_t bytes,
                          struct altpick_out *out)
{
    const struct altpick_overlay *overlay = &report->running->overlay;

    for (uint64_t at = address; at < address + bytes; at++) {
        const struct altpick_site *site = altpick_overlay_site(overlay, at);

        if (!site || site->address != at)
            continue;
        for (size_t i = 0; i < site->n_entries; i++) {
            size_t number = overlay->order[site->first + i];
            const struct altpick_record *entry = &overlay->table->entries[number];

            altpick_line(out, INDENT, "  # %zu, %zu bytes, %s%s: %s", number, site->bytes,
                         entry->inverted ? "not " : "",
                         altpick_view_feature(report, entry->feature).text,
                         altpick_view_fate(report, number));
        }
    }
}

static void print_range(const struct altpick_view_report *report,
                        const struct altpick_running_decoder *decoder,
                        const struct altpick_view_range *range, struct altpick_out *out)
{
    struct altpick_running_instruction in;
    char where[ALTPICK_WHERE_BYTES], address[ALTPICK_WHERE_BYTES];

    altpick_view_where(report->view, range->address, where);
    altpick_memory_where(&report->view->memory, range->address, address);
    altpick_printf(out, "\n");
    altpick_line(out, INDENT, "%s%s%s%s", address, strcmp(where, address) ? " <" : "",
                 strcmp(where, address) ? where : "", strcmp(where, address) ? ">" : "");
    if (range->is_inside) {
        altpick_memory_where(&report->view->memory, range->inside, address);
        altpick_line(out, INDENT,
                     "  # it begins inside the instruction at %s, so that what comes first does "
                     "not run like this",
                     address);
    }
    for (uint64_t at = range->address; at - range->address < range->bytes; at += in.bytes) {
        if (!altpick_running_decode(decoder, at, (size_t) (range->bytes - (at - range->address)),
                                    &in))
            break;
        print_entries(report, at, in.bytes, out);
        altpick_memory_where(&report->view->memory, at, address);
        print_instruction(&in, address, out);
    }
}

void altpick_view_print_code(const struct altpick_view_report *report,
                             const struct altpick_running_decoder *decoder,
                             const struct altpick_view_ranges *ranges, struct altpick_out *out)
{
    altpick_view_print_head(report, out);
    for (size_t i = 0; i < ranges->n; i++)
        print_range(report, decoder, &ranges->ranges[i], out);
    altpick_view_print_not_modelled(report, out);
}
