/* SPDX-License-Identifier: MIT */
/* Tables that follow from costs, for people: shares, break-even points, properties.  They decide
 * nothing. */
#ifndef ALTPICK_DERIVED_H
#define ALTPICK_DERIVED_H

#include "altpick/cost.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct altpick_decisions; /* decide.h */

enum { ALTPICK_DERIVED_ROWS_MAX = 40, ALTPICK_DERIVED_COLUMNS_MAX = 9 };

/* What a cell holds.  Names are file format. */
#define ALTPICK_UNITS(X)                                                                           \
    X(NONE, "none")       /* nothing is known */                                                   \
    X(TEXT, "text")       /* static text */                                                        \
    X(CYCLES, "cycles")   /* core cycles */                                                        \
    X(PERCENT, "percent") /* 100 is the whole */                                                   \
    X(COUNT, "count")     /* a number of things */                                                 \
    X(HEX, "hex")         /* a value of 32 bits */

enum altpick_unit {
#define X(id, name) ALTPICK_UNIT_##id,
    ALTPICK_UNITS(X)
#undef X
        ALTPICK_N_UNITS
};

const char *altpick_unit_name(unsigned unit); /* NULL when out of range */

/* A figure with its interval in millionths of its unit (COUNT, HEX: value itself, no interval). */
struct altpick_cell {
    enum altpick_unit unit;
    enum altpick_status status; /* measured, published, or estimated from others */
    uint64_t value, low, high;  /* low == high: no interval is known */
    const char *text;           /* TEXT */
};

struct altpick_derived {
    const char *title;    /* one line; names its unit */
    const char *note;     /* what to read out of it, or where an estimate is from; NULL: nothing */
    const char *row_head; /* what the rows are */
    const char *column[ALTPICK_DERIVED_COLUMNS_MAX];
    size_t n_columns;
    struct {
        char name[ALTPICK_NAME_MAX];
        struct altpick_cell cell[ALTPICK_DERIVED_COLUMNS_MAX];
    } row[ALTPICK_DERIVED_ROWS_MAX];
    size_t n_rows;
};

/* Cycles with their interval; NONE where @cost is not known. */
struct altpick_cell altpick_cell_cost(const struct altpick_cost *cost);

/* A COUNT or a HEX. */
struct altpick_cell altpick_cell_number(enum altpick_unit unit, uint64_t number);

/* Static text; NONE for NULL. */
struct altpick_cell altpick_cell_text(const char *text);

/* Append a row and return its cells, all NONE; the last row is reused when there are too many. */
struct altpick_cell *altpick_derived_row(struct altpick_derived *derived, const char *name);

/*
 * Table @index of what follows from @decisions and the result behind them: shares, break-even
 * points, properties.  Returns false where there is no such table.
 */
typedef bool altpick_derive_table(const struct altpick_decisions *decisions, size_t index,
                                  struct altpick_derived *ret_derived);

/*
 * What makes the tables of @question (probes/meson.build lists those that have any); NULL: there
 * are none.  No question refers to it, so that what does not call it is linked without them.
 */
altpick_derive_table *altpick_derive_find(const char *question);

#endif
