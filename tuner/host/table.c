/* SPDX-License-Identifier: MIT */
/* Rows of text into aligned columns, plain ASCII, at most ALTPICK_LINE_COLUMNS wide. */
#include "table.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 2, LAST_COLUMN_MIN = 18, LINE_MARK = 1 };

void altpick_table_init(struct altpick_table *table, const char *align, unsigned indent)
{
    *table = (struct altpick_table){.align = align, .indent = indent};
    altpick_text_init(&table->cells, &table->out);
}

void altpick_table_fini(struct altpick_table *table)
{
    altpick_text_fini(&table->cells);
}

/* Profiles may hold any text; what is pasted into a mail or shown on a terminal must be plain. */
__attribute__((format(printf, 2, 0))) static void append_plain(struct altpick_table *table,
                                                               const char *format, va_list args)
{
    char text[1024];
    size_t n;

    if (vsnprintf(text, sizeof text, format, args) < 0)
        text[0] = '\0';
    for (char *p = text; *p; p++) {
        if ((unsigned char) *p < 0x20 || (unsigned char) *p > 0x7e)
            *p = '?';
    }
    n = strlen(text);
    while (n > 0 && text[n - 1] == ' ')
        n--;
    text[n] = '\0';
    altpick_out_bytes(&table->out, text, n + 1);
}

void altpick_table_cell(struct altpick_table *table, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    append_plain(table, format, args);
    va_end(args);
}

void altpick_table_line(struct altpick_table *table, const char *format, ...)
{
    va_list args;

    altpick_out_bytes(&table->out, (const char[]){LINE_MARK}, 1);
    va_start(args, format);
    append_plain(table, format, args);
    va_end(args);
}

static void spaces(struct altpick_out *out, size_t n)
{
    for (; n > 0; n--)
        altpick_out_bytes(out, " ", 1);
}

/* How much of @text goes on a line of @width: up to a space if there is one, else all that fits. */
static size_t line_part(const char *text, size_t width)
{
    size_t n = strlen(text);

    if (n <= width)
        return n;
    for (n = width; n > 0 && text[n] != ' ';)
        n--;
    return n > 0 ? n : width;
}

void altpick_wrapped(struct altpick_out *out, const char *text, size_t at, size_t at_next)
{
    for (;;) {
        size_t width = ALTPICK_LINE_COLUMNS - at, n = line_part(text, width);

        if (at > at_next && n == width && strlen(text) > n && text[n] != ' ')
            n = 0; /* a word that fits better on a line of its own */
        altpick_out_bytes(out, text, n);
        altpick_out_bytes(out, "\n", 1);
        for (text += n; *text == ' ';)
            text++;
        if (!*text)
            return;
        spaces(out, at_next);
        at = at_next;
    }
}

/* Widest cell of each column, cut so that the last column keeps room. */
static void measure(const struct altpick_table *table, size_t n, size_t *ret_width)
{
    const char *end = table->cells.data + table->cells.bytes;
    size_t column = 0, total;

    memset(ret_width, 0, n * sizeof *ret_width);
    for (const char *cell = table->cells.data; cell < end; cell += strlen(cell) + 1) {
        if (*cell == LINE_MARK)
            continue;
        if (strlen(cell) > ret_width[column])
            ret_width[column] = strlen(cell);
        column = (column + 1) % n;
    }
    for (;;) {
        size_t last = ret_width[n - 1], widest = 0;

        total = table->indent + (last < LAST_COLUMN_MIN ? last : LAST_COLUMN_MIN);
        for (size_t i = 0; i + 1 < n; i++) {
            total += ret_width[i] + GAP;
            widest = ret_width[i] > ret_width[widest] ? i : widest;
        }
        if (total <= ALTPICK_LINE_COLUMNS || ret_width[widest] <= 4)
            return;
        ret_width[widest]--;
    }
}

/* Print the row that starts at @cell; returns the cell after it. */
static const char *print_row(const struct altpick_table *table, const char *cell, const char *end,
                             size_t n, const size_t *width, struct altpick_out *out)
{
    size_t start = table->indent, at = 0;

    for (size_t i = 0; i < n && cell < end; i++) {
        size_t bytes = strlen(cell), shown = bytes > width[i] ? width[i] : bytes;
        bool right = table->align[i] == 'r';

        if (i == n - 1 && !right && bytes > 0) {
            spaces(out, start - at);
            altpick_wrapped(out, cell, start, start);
            return cell + bytes + 1;
        }
        if (shown > 0) {
            size_t first = start + (right ? width[i] - shown : 0);

            spaces(out, first - at);
            altpick_out_bytes(out, cell, shown);
            at = first + shown;
        }
        start += width[i] + GAP;
        cell += bytes + 1;
    }
    altpick_out_bytes(out, "\n", 1);
    return cell;
}

void altpick_table_print(struct altpick_table *table, struct altpick_out *out)
{
    size_t n = strlen(table->align), width[ALTPICK_TABLE_COLUMNS_MAX];
    const char *cell = table->cells.data;
    const char *end = cell + table->cells.bytes;

    if (table->out.err && !out->err)
        out->err = table->out.err;
    if (cell && !out->err) {
        measure(table, n, width);
        while (cell < end) {
            if (*cell == LINE_MARK) {
                altpick_wrapped(out, cell + 1, 0, table->indent);
                cell += strlen(cell) + 1;
            } else {
                cell = print_row(table, cell, end, n, width, out);
            }
        }
    }
    altpick_table_fini(table);
}

void altpick_line(struct altpick_out *out, unsigned indent, const char *format, ...)
{
    struct altpick_table line;
    va_list args;

    altpick_table_init(&line, "l", indent);
    altpick_out_bytes(&line.out, (const char[]){LINE_MARK}, 1);
    va_start(args, format);
    append_plain(&line, format, args);
    va_end(args);
    altpick_table_print(&line, out);
}

struct altpick_figure altpick_figure_cycles(uint64_t micro)
{
    struct altpick_figure figure;
    uint64_t milli = micro / 1000 + (micro % 1000 >= 500);

    snprintf(figure.text, sizeof figure.text, "%" PRIu64 ".%03" PRIu64, milli / 1000, milli % 1000);
    return figure;
}

struct altpick_figure altpick_figure_cost(uint64_t micro)
{
    struct altpick_figure figure;
    double value = (double) micro / 1e6;
    int digits = value < 9.9995 ? 3 : value < 99.995 ? 2 : value < 999.95 ? 1 : 0;

    if (micro == 0)
        digits = 0; /* nothing at all, not little */
    snprintf(figure.text, sizeof figure.text, "%.*f", digits, value);
    return figure;
}

struct altpick_figure altpick_figure_percent(int64_t ppm)
{
    struct altpick_figure figure;
    uint64_t size = ppm < 0 ? 0 - (uint64_t) ppm : (uint64_t) ppm;
    uint64_t permille = size / 1000 + (size % 1000 >= 500);
    const char *sign = permille == 0 ? "" : ppm < 0 ? "-" : "+";

    snprintf(figure.text, sizeof figure.text, "%s%" PRIu64 ".%" PRIu64, sign, permille / 10,
             permille % 10);
    return figure;
}

struct altpick_figure altpick_figure_permille(uint32_t permille)
{
    struct altpick_figure figure;

    if (permille % 10 == 0)
        snprintf(figure.text, sizeof figure.text, "%" PRIu32, permille / 10);
    else
        snprintf(figure.text, sizeof figure.text, "%" PRIu32 ".%" PRIu32, permille / 10,
                 permille % 10);
    return figure;
}

struct altpick_figure altpick_figure_code(const uint8_t *code, size_t bytes, unsigned columns)
{
    struct altpick_figure figure = {.text = ""};
    size_t shown = 2 * bytes <= columns ? bytes : (columns - 2) / 2;

    for (size_t i = 0; i < shown; i++)
        snprintf(figure.text + 2 * i, 3, "%02x", code[i]);
    if (shown < bytes)
        strcpy(figure.text + 2 * shown, "..");
    return figure;
}
