/* SPDX-License-Identifier: MIT */
/* Reads machine code, a line of hexadecimal digits each, and prints what is published about it. */
#include "published.h"

#include <stdio.h>
#include <stdlib.h>

static size_t code_from_hex(const char *text, uint8_t *ret_code, size_t capacity)
{
    size_t n = 0;
    unsigned byte;

    while (n < capacity && sscanf(text + 2 * n, "%2x", &byte) == 1)
        ret_code[n++] = (uint8_t) byte;
    return n;
}

int main(void)
{
    static const char *const names[] = {
        [ALTPICK_ELSEWHERE_FINE] = "fine",
        [ALTPICK_ELSEWHERE_TOXIC] = "toxic",
        [ALTPICK_ELSEWHERE_UNKNOWN] = "unknown",
    };
    char line[2 * ALTPICK_CODE_MAX + 2];
    uint8_t code[ALTPICK_CODE_MAX];

    while (fgets(line, sizeof line, stdin))
        puts(names[altpick_nop_elsewhere(code, code_from_hex(line, code, sizeof code))]);
    return EXIT_SUCCESS;
}
