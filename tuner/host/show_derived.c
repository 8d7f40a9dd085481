/* SPDX-License-Identifier: MIT */
/* Tables that follow from costs, as text and as JSON. */
#include "show_parts.h"

#include "altpick/derived.h"

#include <stdlib.h>
#include <string.h>

enum { INTERVAL_COLUMNS_MAX = 5 };

/* Estimated values carry an e, published ones a p. */
static const char *suffix(const struct altpick_cell *cell)
{
    return cell->status == ALTPICK_STATUS_ESTIMATED   ? "e"
           : cell->status == ALTPICK_STATUS_PUBLISHED ? "p"
                                                      : "";
}

static void value_cell(struct altpick_table *table, const struct altpick_cell *cell, bool interval)
{
    if (interval && cell->low != cell->high)
        altpick_table_cell(table, "%s%s (%s-%s)", altpick_figure_cost(cell->value).text,
                           suffix(cell), altpick_figure_cost(cell->low).text,
                           altpick_figure_cost(cell->high).text);
    else
        altpick_table_cell(table, "%s%s", altpick_figure_cost(cell->value).text, suffix(cell));
}

static void show_cell(struct altpick_table *table, const struct altpick_cell *cell, bool interval)
{
    switch (cell->unit) {
    case ALTPICK_UNIT_TEXT:
        altpick_table_cell(table, "%s", cell->text);
        return;
    case ALTPICK_UNIT_CYCLES:
        value_cell(table, cell, false);
        return;
    case ALTPICK_UNIT_PERCENT:
        value_cell(table, cell, interval);
        return;
    case ALTPICK_UNIT_COUNT:
        altpick_table_cell(table, "%llu", (unsigned long long) cell->value);
        return;
    case ALTPICK_UNIT_HEX:
        altpick_table_cell(table, "%08llx", (unsigned long long) cell->value);
        return;
    default:
        altpick_table_cell(table, "-");
    }
}

static bool is_text(const struct altpick_derived *derived, size_t column)
{
    for (size_t i = 0; i < derived->n_rows; i++) {
        if (derived->row[i].cell[column].unit == ALTPICK_UNIT_TEXT)
            return true;
    }
    return false;
}

static void show_table(const struct altpick_derived *derived, struct altpick_out *out)
{
    char align[ALTPICK_DERIVED_COLUMNS_MAX + 2] = "l";
    bool interval = derived->n_columns <= INTERVAL_COLUMNS_MAX;
    struct altpick_table table;

    for (size_t c = 0; c < derived->n_columns; c++)
        strcat(align, is_text(derived, c) ? "l" : "r");
    altpick_printf(out, "\n");
    altpick_line(out, 2, "  %s", derived->title);
    if (derived->note)
        altpick_line(out, 2, "  %s", derived->note);
    altpick_table_init(&table, align, 2);
    altpick_table_cell(&table, "%s", derived->row_head);
    for (size_t c = 0; c < derived->n_columns; c++)
        altpick_table_cell(&table, "%s", derived->column[c]);
    for (size_t i = 0; i < derived->n_rows; i++) {
        altpick_table_cell(&table, "%s", derived->row[i].name);
        for (size_t c = 0; c < derived->n_columns; c++)
            show_cell(&table, &derived->row[i].cell[c], interval);
    }
    altpick_table_print(&table, out);
}

/* Call @each with every table of the question. */
static void for_each(const struct altpick_decisions *decisions,
                     void (*each)(const struct altpick_derived *derived, void *ctx), void *ctx)
{
    altpick_derive_table *derive = altpick_derive_find(decisions->question->name);
    struct altpick_derived *derived = malloc(sizeof *derived);

    for (size_t i = 0; derived && derive && derive(decisions, i, derived); i++) {
        if (derived->n_rows)
            each(derived, ctx);
    }
    free(derived);
}

static void each_text(const struct altpick_derived *derived, void *ctx)
{
    show_table(derived, ctx);
}

void altpick_show_derived(const struct altpick_decisions *decisions, struct altpick_out *out)
{
    for_each(decisions, each_text, out);
}

static void json_cell(struct altpick_json *json, const struct altpick_cell *cell)
{
    altpick_json_object(json, NULL);
    altpick_json_text(json, "unit", altpick_unit_name(cell->unit));
    if (cell->unit != ALTPICK_UNIT_NONE)
        altpick_json_text(json, "status", altpick_status_name(cell->status));
    if (cell->unit == ALTPICK_UNIT_TEXT)
        altpick_json_text(json, "text", cell->text);
    if (cell->unit == ALTPICK_UNIT_COUNT || cell->unit == ALTPICK_UNIT_HEX)
        altpick_json_u64(json, "value", cell->value);
    if (cell->unit == ALTPICK_UNIT_CYCLES || cell->unit == ALTPICK_UNIT_PERCENT) {
        altpick_json_micro(json, "value", cell->value);
        altpick_json_micro(json, "low", cell->low);
        altpick_json_micro(json, "high", cell->high);
    }
    altpick_json_end(json);
}

static void each_json(const struct altpick_derived *derived, void *ctx)
{
    struct altpick_json *json = ctx;

    altpick_json_object(json, NULL);
    altpick_json_text(json, "title", derived->title);
    if (derived->note)
        altpick_json_text(json, "note", derived->note);
    altpick_json_array(json, "columns");
    for (size_t c = 0; c < derived->n_columns; c++)
        altpick_json_text(json, NULL, derived->column[c]);
    altpick_json_end(json);
    altpick_json_array(json, "rows");
    for (size_t i = 0; i < derived->n_rows; i++) {
        altpick_json_object(json, NULL);
        altpick_json_text(json, "name", derived->row[i].name);
        altpick_json_array(json, "cells");
        for (size_t c = 0; c < derived->n_columns; c++)
            json_cell(json, &derived->row[i].cell[c]);
        altpick_json_end(json);
        altpick_json_end(json);
    }
    altpick_json_end(json);
    altpick_json_end(json);
}

void altpick_show_derived_json(const struct altpick_decisions *decisions, struct altpick_json *json)
{
    altpick_json_array(json, "derived");
    for_each(decisions, each_json, json);
    altpick_json_end(json);
}
