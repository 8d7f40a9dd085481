/* SPDX-License-Identifier: MIT */
/* Firmware's console as a sink. */
#include "console.h"

void efi_console_flush(struct efi_console *console)
{
    console->piece[console->length] = 0;
    if (console->output && console->length > 0)
        console->output->output_string(console->output, console->piece);
    console->length = 0;
}

static int console_write(void *ctx, const char *text, size_t bytes)
{
    struct efi_console *console = ctx;

    for (size_t i = 0; i < bytes; i++) {
        char c = text[i];

        if (c == '\n')
            console->piece[console->length++] = '\r';
        console->piece[console->length++] = c == '\n' || (c >= ' ' && c <= '~') ? (uint8_t) c : '?';
        if (c == '\n' || console->length >= EFI_CONSOLE_PIECE)
            efi_console_flush(console);
    }
    return 0;
}

struct altpick_out efi_console_out(struct efi_console *console)
{
    return (struct altpick_out){.write = console_write, .ctx = console};
}
