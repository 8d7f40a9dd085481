/* SPDX-License-Identifier: MIT */
/* What the loader shim asks of what it starts. */
#include <stdint.h>

/*
 * Which generation of which program this is, so that generations with a hole can be revoked
 * (SBAT.md of shim): component, its generation, vendor, vendor's name for it, version, where to
 * read more.
 */
#define TEXT                                                                                       \
    "sbat,1,SBAT Version,sbat,1,https://github.com/rhboot/shim/blob/main/SBAT.md\n"                \
    "altpick,1,altpick,altpick," ALTPICK_VERSION ",docs/boot.md\n"

__attribute__((section(".sbat"), used)) static const char sbat[sizeof TEXT - 1] = TEXT; /* no NUL */

/*
 * A section of variables that are all zero has no bytes in the file.  shim 16 takes its offset, 0,
 * for one inside of the headers, and refuses the image.  So one variable is not zero.
 */
__attribute__((section(".data"), used)) static volatile uint8_t not_zero = 1;
