/* SPDX-License-Identifier: MIT */
/* The VGA text screen, 80x25. */
#ifndef ALTPICK_BOOT_SCREEN_H
#define ALTPICK_BOOT_SCREEN_H

#include "altpick/out.h"

#include <stdbool.h>
#include <stddef.h>

enum { BOOT_SCREEN_COLUMNS = 80, BOOT_SCREEN_ROWS = 25 };

/* Clear it.  @present: there is one; without, writing does nothing. */
void boot_screen_start(bool present);

/*
 * Write @bytes of @text: "\n" begins a line, a longer line goes on in the next row, and the screen
 * scrolls.  What is not printable ASCII shows as '?'.
 */
void boot_screen_write(const char *text, size_t bytes);

/* The same as a sink, which never fails. */
struct altpick_out boot_screen_out(void);

#endif
