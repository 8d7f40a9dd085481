/* SPDX-License-Identifier: MIT */
/* COM1: 115200 baud, 8N1. */
#ifndef ALTPICK_BOOT_SERIAL_H
#define ALTPICK_BOOT_SERIAL_H

#include "altpick/out.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Look for a UART (its scratch register keeps what is written) and set it up.  @plain: there is
 * none, but bytes written to its port arrive.
 */
void boot_serial_start(bool plain);

/* Whether bytes go anywhere. */
bool boot_serial_present(void);

/*
 * Send @bytes of @text, "\n" as CR LF.  Waits a bounded time for room; does nothing without a UART,
 * and once it takes no more bytes.
 */
void boot_serial_write(const char *text, size_t bytes);

/* The same as a sink, which never fails. */
struct altpick_out boot_serial_out(void);

#endif
