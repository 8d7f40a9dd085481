/* SPDX-License-Identifier: MIT */
/* Makes the cells and rows of tables that follow from costs. */
#include "altpick/derived.h"

#include "bytes.h"

struct altpick_cell altpick_cell_cost(const struct altpick_cost *cost)
{
    if (!altpick_cost_is_known(cost))
        return (struct altpick_cell){.unit = ALTPICK_UNIT_NONE, .status = cost->status};
    return (struct altpick_cell){.unit = ALTPICK_UNIT_CYCLES,
                                 .status = cost->status,
                                 .value = cost->cycles_micro,
                                 .low = cost->low_micro,
                                 .high = cost->high_micro};
}

struct altpick_cell altpick_cell_number(enum altpick_unit unit, uint64_t number)
{
    return (struct altpick_cell){.unit = unit,
                                 .status = ALTPICK_STATUS_MEASURED,
                                 .value = number,
                                 .low = number,
                                 .high = number};
}

struct altpick_cell altpick_cell_text(const char *text)
{
    return (struct altpick_cell){.unit = text ? ALTPICK_UNIT_TEXT : ALTPICK_UNIT_NONE,
                                 .status = ALTPICK_STATUS_MEASURED,
                                 .text = text};
}

struct altpick_cell *altpick_derived_row(struct altpick_derived *derived, const char *name)
{
    size_t at = derived->n_rows < ALTPICK_DERIVED_ROWS_MAX ? derived->n_rows++
                                                           : ALTPICK_DERIVED_ROWS_MAX - 1;

    altpick_zero(&derived->row[at], sizeof derived->row[at]);
    altpick_append(derived->row[at].name, sizeof derived->row[at].name, name);
    return derived->row[at].cell;
}
