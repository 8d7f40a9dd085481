/* SPDX-License-Identifier: MIT */
/* Firmware's console as a sink. */
#ifndef ALTPICK_BOOT_EFI_CONSOLE_H
#define ALTPICK_BOOT_EFI_CONSOLE_H

#include "altpick/out.h"
#include "uefi.h"

/*
 * A sink that writes to @output, which may be NULL: "\n" as CR LF, what is not printable ASCII as
 * '?'.  It never fails: what a console does not take is lost.
 */
struct altpick_out efi_console_out(struct efi_text_output *output);

#endif
