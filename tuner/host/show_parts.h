/* SPDX-License-Identifier: MIT */
/* What the files that show decisions as text share. */
#ifndef ALTPICK_HOST_SHOW_PARTS_H
#define ALTPICK_HOST_SHOW_PARTS_H

#include "altpick/decide.h"
#include "show.h"
#include "table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Winner '*', vetoed 'v', out for something else 'x', or ' '. */
char altpick_show_mark(const struct altpick_decision *decision, size_t index);

/* The line above an item's candidates: verdict, the last rule that spoke, and what it saw. */
void altpick_show_reason(const struct altpick_decision *decision, struct altpick_table *table);

/* A cell with the state of each guarantee of @member as a letter: C, d, X or -. */
void altpick_show_letters(struct altpick_table *table,
                          const uint8_t guarantee[ALTPICK_N_GUARANTEES], const unsigned *member,
                          size_t n);

/* Whether @result is of a question about state, which the next one shows. */
bool altpick_show_is_state(const struct altpick_result *result);

/* Costs, guarantees, items and what follows from them. */
void altpick_show_state(const struct altpick_decisions *decisions, struct altpick_out *out);

/* The question's own tables, as text and as JSON. */
void altpick_show_derived(const struct altpick_decisions *decisions, struct altpick_out *out);
void altpick_show_derived_json(const struct altpick_decisions *decisions,
                               struct altpick_json *json);

#endif
