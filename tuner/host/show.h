/* SPDX-License-Identifier: MIT */
/* Decisions as text for people and as JSON for programs. */
#ifndef ALTPICK_HOST_SHOW_H
#define ALTPICK_HOST_SHOW_H

#include "choices.h"
#include "table.h"

#include "altpick/json.h"
#include "altpick/out.h"

#include <stdbool.h>

/*
 * Who was measured and how, then every question: a summary, then all candidates of every item;
 * the summaries alone where it is to be @brief.
 */
void altpick_show_text(const struct altpick_choices *choices, bool brief, struct altpick_out *out);

/* The same as one JSON object, a value of the array that @json is in. */
void altpick_show_json(const struct altpick_choices *choices, struct altpick_json *json);

/* The item's name without its question: "nop.fill.64.5" -> "5". */
const char *altpick_show_item(const struct altpick_contest *contest);

/* Code of @entry as hexadecimal of at most @columns; "-" where it has none. */
struct altpick_figure altpick_show_code(const struct altpick_entry *entry, unsigned columns);

/* Whether @decision has a gain, and of which entry over which. */
bool altpick_show_gain(const struct altpick_decision *decision, const char **ret_of,
                       const char **ret_over);

#endif
