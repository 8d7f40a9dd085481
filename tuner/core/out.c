/* SPDX-License-Identifier: MIT */
/* Turns text and numbers into bytes on a sink. */
#include "altpick/out.h"

#include "bytes.h"

void altpick_out_bytes(struct altpick_out *out, const char *text, size_t bytes)
{
    int r;

    if (out->err || bytes == 0)
        return;
    r = out->write(out->ctx, text, bytes);
    if (r < 0)
        out->err = r;
}

void altpick_out_text(struct altpick_out *out, const char *text)
{
    altpick_out_bytes(out, text, altpick_length(text));
}

/* At least @min digits, at most 20; base 10 or 16. */
static void digits(struct altpick_out *out, uint64_t value, unsigned base, unsigned min)
{
    char text[20];
    size_t at = sizeof text;

    while (at > 0 && (value || sizeof text - at < min)) {
        text[--at] = "0123456789abcdef"[value % base];
        value /= base;
    }
    altpick_out_bytes(out, text + at, sizeof text - at);
}

void altpick_out_u64(struct altpick_out *out, uint64_t value)
{
    digits(out, value, 10, 1);
}

void altpick_out_hex(struct altpick_out *out, uint64_t value, unsigned min_digits)
{
    digits(out, value, 16, min_digits);
}

void altpick_out_micro(struct altpick_out *out, uint64_t micro)
{
    digits(out, micro / 1000000, 10, 1);
    altpick_out_bytes(out, ".", 1);
    digits(out, micro % 1000000, 10, 6);
}
