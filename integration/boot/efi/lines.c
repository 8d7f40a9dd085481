/* SPDX-License-Identifier: MIT */
/* Passes text on by lines. */
#include "lines.h"

void efi_lines_flush(struct efi_lines *lines)
{
    altpick_out_bytes(&lines->to, lines->text, lines->bytes);
    lines->bytes = 0;
}

static int lines_write(void *ctx, const char *text, size_t bytes)
{
    struct efi_lines *lines = ctx;

    for (size_t i = 0; i < bytes; i++) {
        lines->text[lines->bytes++] = text[i];
        if (text[i] == '\n' || lines->bytes == EFI_LINES_MAX)
            efi_lines_flush(lines);
    }
    return lines->to.err;
}

struct altpick_out efi_lines_out(struct efi_lines *lines)
{
    return (struct altpick_out){.write = lines_write, .ctx = lines};
}
