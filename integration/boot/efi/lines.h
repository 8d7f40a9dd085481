/* SPDX-License-Identifier: MIT */
/* Passes text on by lines, so that those of two sinks stay whole where both end in the same place.
 */
#ifndef ALTPICK_BOOT_EFI_LINES_H
#define ALTPICK_BOOT_EFI_LINES_H

#include "altpick/out.h"

#include <stddef.h>

enum { EFI_LINES_MAX = 128 }; /* a longer line is passed on in pieces */

/* Zeroed memory but for `to`. */
struct efi_lines {
    struct altpick_out to;
    char text[EFI_LINES_MAX];
    size_t bytes;
};

/* A sink that passes lines on.  Errors of lines->to come with the write that ends the line. */
struct altpick_out efi_lines_out(struct efi_lines *lines);

/* Pass on what waits for the end of its line. */
void efi_lines_flush(struct efi_lines *lines);

#endif
