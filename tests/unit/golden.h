/* SPDX-License-Identifier: MIT */
/* What is printed, against files in tests/golden. */
#ifndef ALTPICK_TESTS_GOLDEN_H
#define ALTPICK_TESTS_GOLDEN_H

#include "file.h"
#include "table.h"
#include "test.h"
#include "text.h"

#include <stdlib.h>

#define GOLDEN(name) TESTS_DIR "/golden/" name

enum { GOLDEN_BYTES_MAX = 1 << 20 };

/* ALTPICK_REBASE in the environment: write what is printed instead of comparing it. */
static inline void assert_golden(const struct altpick_text *text, const char *path)
{
    struct altpick_diag diag;
    char *golden;
    size_t bytes;

    if (getenv("ALTPICK_REBASE")) {
        assert_int_equal(altpick_file_write(path, text->data, text->bytes, &diag), ALTPICK_OK);
        return;
    }
    assert_int_equal(altpick_file_read(path, GOLDEN_BYTES_MAX, &golden, &bytes, &diag), ALTPICK_OK);
    assert_string_equal(text->data, golden);
    free(golden);
}

static inline void assert_pastes_into_mail(const struct altpick_text *text)
{
    size_t column = 0;

    for (size_t i = 0; i < text->bytes; i++) {
        unsigned char c = (unsigned char) text->data[i];

        column = c == '\n' ? 0 : column + 1;
        assert_true(column <= ALTPICK_LINE_COLUMNS);
        assert_true(c == '\n' || (c >= 0x20 && c < 0x7f));
        if (c == '\n' && i > 0)
            assert_true(text->data[i - 1] != ' ');
    }
}

#endif
