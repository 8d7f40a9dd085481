/* SPDX-License-Identifier: MIT */
/* A text sink in growing memory, and printf onto any sink. */
#include "text.h"

#include "altpick/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int text_write(void *ctx, const char *bytes, size_t n)
{
    struct altpick_text *text = ctx;

    if (text->bytes + n + 1 > text->capacity) {
        size_t capacity = (text->bytes + n + 1) * 2;
        char *data = realloc(text->data, capacity);

        if (!data)
            return ALTPICK_ENOMEM;
        text->data = data;
        text->capacity = capacity;
    }
    memcpy(text->data + text->bytes, bytes, n);
    text->bytes += n;
    text->data[text->bytes] = '\0';
    return ALTPICK_OK;
}

void altpick_text_init(struct altpick_text *text, struct altpick_out *ret_out)
{
    *text = (struct altpick_text){0};
    *ret_out = (struct altpick_out){.write = text_write, .ctx = text};
}

void altpick_text_fini(struct altpick_text *text)
{
    free(text->data);
    *text = (struct altpick_text){0};
}

void altpick_printf(struct altpick_out *out, const char *format, ...)
{
    char small[512];
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (n < 0)
        return;
    if ((size_t) n < sizeof small) {
        altpick_out_bytes(out, small, (size_t) n);
        return;
    }

    char *large = malloc((size_t) n + 1);
    if (!large) {
        out->err = out->err ? out->err : ALTPICK_ENOMEM;
        return;
    }
    va_start(args, format);
    vsnprintf(large, (size_t) n + 1, format, args);
    va_end(args);
    altpick_out_bytes(out, large, (size_t) n);
    free(large);
}
