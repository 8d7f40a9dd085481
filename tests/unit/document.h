/* SPDX-License-Identifier: MIT */
/* Documents that are wrong in one place, for tests of their readers. */
#ifndef ALTPICK_TESTS_DOCUMENT_H
#define ALTPICK_TESTS_DOCUMENT_H

#include "altpick/err.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Exchange the first @from for @to, and what place the message must then name. */
struct edit {
    const char *from, *to, *place;
};

/* @text with the first @from exchanged for @to; the caller frees it. */
static inline char *edited(const char *text, const struct edit *edit)
{
    const char *at = strstr(text, edit->from);
    size_t bytes = strlen(text) + strlen(edit->to) + 1;
    char *copy = malloc(bytes);

    if (!at)
        fail_msg("no %s in the document", edit->from);
    assert_non_null(copy);
    snprintf(copy, bytes, "%.*s%s%s", (int) (at - text), text, edit->to, at + strlen(edit->from));
    return copy;
}

/* A message is one line without control characters that begins with the file's name. */
static inline void assert_message(const struct altpick_diag *diag, const char *place)
{
    assert_int_equal(strncmp(diag->text, "bad.json:", 9), 0);
    for (const char *p = diag->text; *p; p++)
        assert_true((unsigned char) *p >= 0x20 && *p != 0x7f);
    if (strncmp(diag->text + 9, place, strlen(place)) != 0)
        fail_msg("\"%s\" does not name %s", diag->text, place);
}

/* Whether the message has a line and a column: "bad.json:12:3: ...". */
static inline void assert_line_and_column(const struct altpick_diag *diag)
{
    int line = 0, column = 0, n = 0;

    assert_message(diag, "");
    sscanf(diag->text, "bad.json:%d:%d: %n", &line, &column, &n);
    assert_true(line > 0 && column > 0 && n > 0);
}

#endif
