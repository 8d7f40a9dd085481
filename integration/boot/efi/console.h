/* SPDX-License-Identifier: MIT */
/* Firmware's console as a sink. */
#ifndef ALTPICK_BOOT_EFI_CONSOLE_H
#define ALTPICK_BOOT_EFI_CONSOLE_H

#include "altpick/out.h"
#include "uefi.h"

#include <stddef.h>

enum { EFI_CONSOLE_PIECE = 120 };

/* Zeroed memory but for output, which may be NULL: then nobody sees anything. */
struct efi_console {
    struct efi_text_output *output;
    uint16_t piece[EFI_CONSOLE_PIECE + 3];
    size_t length;
};

/*
 * A sink that writes to @console: "\n" as CR LF, what is not printable ASCII as '?'.  Text waits
 * for the end of its line, so that lines stay whole where firmware's console is the same serial
 * line that the program writes to.  It never fails: what a console does not take is lost.
 */
struct altpick_out efi_console_out(struct efi_console *console);

/* Write what waits. */
void efi_console_flush(struct efi_console *console);

#endif
