/* SPDX-License-Identifier: MIT */
/* Checks what an assembler made of the macros: the same bytes as the C header, and NOPs to a
 * decoder that is not altpick's.  argv: BITS FILE GAP... */
#include "../headers/padding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include ALTPICK_EMITTED

enum { FILE_MAX = 1 << 20, MARKED = 12 };

static uint8_t file[FILE_MAX], expected[FILE_MAX];

/* The gap of @n bytes at @at. */
static int check(unsigned bits, size_t at, size_t n)
{
    static struct filling filling;

    if (bits == 64)
        altpick_nop_fill64(expected, n);
    else
        altpick_nop_fill32(expected, n);
    if (memcmp(file + at, expected, n) == 0 && padding_decode(bits, file + at, n, &filling))
        return 0;
    printf("the gap of %zu bytes is filled otherwise than in C\n", n);
    return 1;
}

int main(int argc, char **argv)
{
    static struct filling filling;
    unsigned bits = argc > 2 ? (unsigned) atoi(argv[1]) : 0;
    FILE *f = argc > 2 ? fopen(argv[2], "rb") : NULL;
    size_t bytes = f ? fread(file, 1, sizeof file, f) : 0, at = 0;
    int bad = !f || fclose(f) != 0;

    for (int i = 3; i < argc && !bad; i++) {
        size_t gap = (size_t) atol(argv[i]);

        bad = check(bits, at, gap);
        at += gap;
    }
    if (bad || at + MARKED + 6 + 2 + 5 + 33 != bytes)
        return 1;
    at += MARKED;
    bad |= check(bits, at, 6);
    bad |= !padding_decode(bits, file + at + 6, 2, &filling) || filling.count != 1;
    bad |= !padding_decode(bits, file + at + 8, 5, &filling) || filling.count != 1;
    return bad | check(bits, at + 13, 33);
}
