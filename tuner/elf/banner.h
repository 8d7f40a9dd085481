/* SPDX-License-Identifier: MIT */
/* Which Linux an image is of, by what it says itself. */
#ifndef ALTPICK_ELF_BANNER_H
#define ALTPICK_ELF_BANNER_H

#include "elf/image.h"

struct altpick_banner {
    char release[64];  /* "6.1.0-57-amd64" */
    uint16_t number;   /* ALTPICK_RELEASE() of it */
    const char *where; /* "its banner", "its vermagic" */
};

/*
 * Find "Linux version X.Y" in the data of a kernel, or "vermagic=X.Y" in a module.  False: there is
 * none.
 */
bool altpick_banner_find(const struct altpick_image *image, struct altpick_banner *ret_banner);

#endif
