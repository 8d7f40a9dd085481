/* SPDX-License-Identifier: MIT */
/* Which Linux an image is of, by what it says itself. */
#include "elf/banner.h"

#include "elf/engine.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

/* The release behind @mark in @section; formats of printf() and other texts have it, too. */
static bool search(const struct altpick_section *section, const char *mark,
                   struct altpick_banner *ret_banner)
{
    const uint8_t *p = section->data, *end = p + section->bytes;
    size_t mark_bytes = strlen(mark);

    while ((p = memmem(p, (size_t) (end - p), mark, mark_bytes))) {
        struct altpick_banner banner = {0};
        size_t n = 0;

        p += mark_bytes;
        while (p + n < end && n + 1 < sizeof banner.release && p[n] > ' ' && p[n] < 0x7f) {
            banner.release[n] = (char) p[n];
            n++;
        }
        if (altpick_release_parse(banner.release, &banner.number)) {
            *ret_banner = banner;
            return true;
        }
    }
    return false;
}

bool altpick_banner_find(const struct altpick_image *image, struct altpick_banner *ret_banner)
{
    for (size_t i = 0; i < image->n_sections; i++) {
        const struct altpick_section *section = &image->sections[i];
        bool is_modinfo = strcmp(section->name, ".modinfo") == 0;

        if (!(section->flags & SHF_ALLOC) || (section->flags & SHF_EXECINSTR) || !section->data)
            continue;
        if (search(section, is_modinfo ? "vermagic=" : "Linux version ", ret_banner)) {
            ret_banner->where = is_modinfo ? "its vermagic" : "its banner";
            return true;
        }
    }
    return false;
}
