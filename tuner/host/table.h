/* SPDX-License-Identifier: MIT */
/* Rows of text into aligned columns, plain ASCII, at most ALTPICK_LINE_COLUMNS wide. */
#ifndef ALTPICK_HOST_TABLE_H
#define ALTPICK_HOST_TABLE_H

#include "text.h"

#include <stddef.h>
#include <stdint.h>

enum { ALTPICK_LINE_COLUMNS = 100, ALTPICK_TABLE_COLUMNS_MAX = 24 };

/* Cells are kept one after another, each with its NUL, row by row. */
struct altpick_table {
    const char *align; /* a letter a column: 'l' left, 'r' right; the last one wraps */
    unsigned indent;
    struct altpick_text cells;
    struct altpick_out out;
};

/* Start an empty table.  @align is static and has at most ALTPICK_TABLE_COLUMNS_MAX letters. */
void altpick_table_init(struct altpick_table *table, const char *align, unsigned indent);
void altpick_table_fini(struct altpick_table *table);

/* Append a cell (printf style).  Control and non-ASCII bytes become '?'. */
__attribute__((format(printf, 2, 3))) void altpick_table_cell(struct altpick_table *table,
                                                              const char *format, ...);

/* Append a line that ignores the columns.  Only between rows. */
__attribute__((format(printf, 2, 3))) void altpick_table_line(struct altpick_table *table,
                                                              const char *format, ...);

/* Print all rows to @out and free the table. */
void altpick_table_print(struct altpick_table *table, struct altpick_out *out);

/* One line of text, wrapped at the width with @indent spaces before continuation lines. */
__attribute__((format(printf, 3, 4))) void altpick_line(struct altpick_out *out, unsigned indent,
                                                        const char *format, ...);

/* @text from column @at on, where the caller has printed up to; it ends its line, and is continued
 * at column @at_next where the width ends.  Both are below ALTPICK_LINE_COLUMNS. */
void altpick_wrapped(struct altpick_out *out, const char *text, size_t at, size_t at_next);

/* A figure as text, to be used within the expression that made it. */
struct altpick_figure {
    char text[48];
};

/* Millionths of a cycle with three decimals; of a part per million as percent with one, and a sign.
 */
struct altpick_figure altpick_figure_cycles(uint64_t micro);
/* The same, or percent, with as many decimals as four digits leave. */
struct altpick_figure altpick_figure_cost(uint64_t micro);
struct altpick_figure altpick_figure_percent(int64_t ppm);
/* Permille as percent, without needless decimals: 50 -> "5", 52 -> "5.2". */
struct altpick_figure altpick_figure_permille(uint32_t permille);
/* Machine code as hexadecimal, cut with ".." to at most @columns (4..44) characters. */
struct altpick_figure altpick_figure_code(const uint8_t *code, size_t bytes, unsigned columns);

#endif
