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
static unsigned row, column;     /* of the next character; column COLUMNS: in the next row */

void boot_screen_start(bool present)
{
    cells = present ? (volatile uint16_t *) (uintptr_t) 0xb8000 : NULL;
    row = column = 0;
    for (unsigned i = 0; cells && i < CELLS; i++)
        cells[i] = GREY | ' ';
}

static void next_row(void)
{
    column = 0;
    if (++row < BOOT_SCREEN_ROWS)
        return;
    row--;
    for (unsigned i = 0; i < CELLS - COLUMNS; i++)
        cells[i] = cells[i + COLUMNS];
    for (unsigned i = CELLS - COLUMNS; i < CELLS; i++)
        cells[i] = GREY | ' ';
}

static void put(char c)
{
    if (c == '\n' || column == COLUMNS)
        next_row();
    if (c != '\n')
        cells[row * COLUMNS + column++] = (uint16_t) (GREY | (c >= ' ' && c <= '~' ? c : '?'));
}

static void move_cursor(unsigned cell)
{
    boot_out8(CRTC_INDEX, CURSOR_HIGH);
    boot_out8(CRTC_DATA, (uint8_t) (cell >> 8));
    boot_out8(CRTC_INDEX, CURSOR_LOW);
    boot_out8(CRTC_DATA, (uint8_t) cell);
}

void boot_screen_write(const char *text, size_t bytes)
{
    for (size_t i = 0; cells && i < bytes; i++)
        put(text[i]);
    if (cells)
        move_cursor(row * COLUMNS + (column < COLUMNS ? column : COLUMNS - 1));
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
