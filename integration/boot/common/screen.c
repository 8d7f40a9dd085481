/* SPDX-License-Identifier: MIT */
/* Writes text to VGA text memory and moves the cursor. */
#include "screen.h"

#include "port.h"

enum {
    COLUMNS = BOOT_SCREEN_COLUMNS,
    CELLS = BOOT_SCREEN_COLUMNS * BOOT_SCREEN_ROWS,
    GREY = 0x0700,
    CRTC_INDEX = 0x3d4,
    CRTC_DATA = 0x3d5,
    CURSOR_HIGH = 14,
    CURSOR_LOW = 15,
};

static volatile uint16_t *cells; /* NULL: no screen */
static unsigned at;              /* next cell; CELLS: the screen scrolls before it is written */

void boot_screen_start(bool present)
{
    cells = present ? (volatile uint16_t *) (uintptr_t) 0xb8000 : NULL;
    at = 0;
    for (unsigned i = 0; cells && i < CELLS; i++)
        cells[i] = GREY | ' ';
}

static void scroll(void)
{
    for (unsigned i = 0; i < CELLS - COLUMNS; i++)
        cells[i] = cells[i + COLUMNS];
    for (unsigned i = CELLS - COLUMNS; i < CELLS; i++)
        cells[i] = GREY | ' ';
    at -= COLUMNS;
}

static void put(char c)
{
    if (c == '\n') {
        at += COLUMNS - at % COLUMNS;
        return;
    }
    if (at >= CELLS)
        scroll();
    cells[at++] = (uint16_t) (GREY | (c >= ' ' && c <= '~' ? c : '?'));
}

void boot_screen_write(const char *text, size_t bytes)
{
    unsigned cursor;

    if (!cells)
        return;
    for (size_t i = 0; i < bytes; i++) {
        if (at >= CELLS && text[i] == '\n')
            scroll();
        put(text[i]);
    }
    cursor = at < CELLS ? at : CELLS - 1;
    boot_out8(CRTC_INDEX, CURSOR_HIGH);
    boot_out8(CRTC_DATA, (uint8_t) (cursor >> 8));
    boot_out8(CRTC_INDEX, CURSOR_LOW);
    boot_out8(CRTC_DATA, (uint8_t) cursor);
}

static int write_out(void *ctx, const char *text, size_t bytes)
{
    (void) ctx;
    boot_screen_write(text, bytes);
    return 0;
}

struct altpick_out boot_screen_out(void)
{
    return (struct altpick_out){.write = write_out};
}
