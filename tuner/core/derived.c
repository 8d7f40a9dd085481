/* SPDX-License-Identifier: MIT */
/* Appends rows to a table that follows from costs. */
#include "altpick/derived.h"

#include "bytes.h"

struct altpick_cell *altpick_derived_row(struct altpick_derived *derived, const char *name)
{
    size_t at = derived->n_rows < ALTPICK_DERIVED_ROWS_MAX ? derived->n_rows++
                                                           : ALTPICK_DERIVED_ROWS_MAX - 1;

    altpick_zero(&derived->row[at], sizeof derived->row[at]);
    altpick_append(derived->row[at].name, sizeof derived->row[at].name, name);
    return derived->row[at].cell;
}
