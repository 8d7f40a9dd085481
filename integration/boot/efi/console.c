/* SPDX-License-Identifier: MIT */
/* Firmware's console as a sink. */
#include "console.h"

enum { PIECE = 128 };

static int console_write(void *ctx, const char *text, size_t bytes)
{
    struct efi_text_output *output = ctx;
    uint16_t piece[PIECE + 3];
    size_t n = 0;

    for (size_t i = 0; output && i < bytes; i++) {
        if (text[i] == '\n')
            piece[n++] = '\r';
        piece[n++] =
            text[i] == '\n' || (text[i] >= ' ' && text[i] <= '~') ? (uint8_t) text[i] : '?';
        if (n < PIECE && i + 1 < bytes)
            continue;
        piece[n] = 0;
        n = 0;
        output->output_string(output, piece);
    }
    return 0;
}

struct altpick_out efi_console_out(struct efi_text_output *output)
{
    return (struct altpick_out){.write = console_write, .ctx = output};
}
