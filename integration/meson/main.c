/* SPDX-License-Identifier: MIT */
/* Pads gaps in both ways, compares them, and runs through the padding. */
#define _DEFAULT_SOURCE
#include "pad.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { GAP_MAX = 1000, CODE_BYTES = GAP_MAX + 64 };

/* int f(void): 42, behind @n bytes of padding.  Returns what it returns, or -1. */
static int run(unsigned char *code, const unsigned char *padding, size_t n)
{
    static const unsigned char mov_eax_42_ret[] = {0xb8, 42, 0, 0, 0, 0xc3};
    int (*function)(void);

    if (mprotect(code, CODE_BYTES, PROT_READ | PROT_WRITE) != 0)
        return -1;
    memcpy(code, padding, n);
    memcpy(code + n, mov_eax_42_ret, sizeof mov_eax_42_ret);
    if (mprotect(code, CODE_BYTES, PROT_READ | PROT_EXEC) != 0)
        return -1;
    memcpy(&function, &code, sizeof function);
    return function();
}

int main(void)
{
    static unsigned char one[GAP_MAX], other[GAP_MAX];
    unsigned char *code =
        mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (code == MAP_FAILED) {
        perror("pad: mmap");
        return 1;
    }
    for (size_t n = 0; n <= GAP_MAX; n++) {
        pad_with_header(one, n);
        pad_with_object(other, n);
        if (memcmp(one, other, n) != 0) {
            fprintf(stderr, "pad: a gap of %zu bytes differs\n", n);
            return 1;
        }
        if (run(code, one, n) != 42) {
            fprintf(stderr, "pad: a gap of %zu bytes cannot be run through\n", n);
            return 1;
        }
    }
    printf("pad: %d gaps, the same by header and by object\n", GAP_MAX + 1);
    return 0;
}
