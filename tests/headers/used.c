/* SPDX-License-Identifier: MIT */
/* Uses everything of an emitted header.  Valid C99, C11 and C++17; needs no library. */
#include ALTPICK_EMITTED

#include "run_bodies.h"

/* clang-format off */
#define EVERY_NOP \
    ALTPICK_ASM_NOP1 ALTPICK_ASM_NOP2 ALTPICK_ASM_NOP3 ALTPICK_ASM_NOP4 ALTPICK_ASM_NOP5 \
    ALTPICK_ASM_NOP6 ALTPICK_ASM_NOP7 ALTPICK_ASM_NOP8 ALTPICK_ASM_NOP9 ALTPICK_ASM_NOP10 \
    ALTPICK_ASM_NOP11 ALTPICK_ASM_NOP12 ALTPICK_ASM_NOP13 ALTPICK_ASM_NOP14 ALTPICK_ASM_NOP15

int unused(void);
#ifdef __cplusplus
extern "C"
#endif
int use_everything(void);
/* clang-format on */

static const unsigned char five[] = {ALTPICK_NOP5};

static int differs(const unsigned char *a, const unsigned char *b, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++) {
        if (a[i] != b[i])
            return 1;
    }
    return 0;
}

/* Not by a loop that a compiler would turn into memset(). */
static void poison(volatile unsigned char *code, size_t n)
{
    while (n-- > 0)
        code[n] = 0xcc;
}

int use_everything(void)
{
    unsigned char code[200];
    size_t n;

    for (n = 0; n < sizeof code; n++) {
        poison(code, sizeof code);
        altpick_nop_fill(code, n);
        if (code[n] != 0xcc || (n && code[n - 1] == 0xcc))
            return 1;
        if (n <= ALTPICK_NOP_TABLE_MAX && differs(code, altpick_nops[n], n))
            return 2;
    }
    for (n = 0; n < sizeof code; n++) {
        altpick_nop_fill64(code, n);
        altpick_nop_fill32(code, n);
    }
    __asm__ volatile(EVERY_NOP ALTPICK_ASM_TEXT_POKE2 ALTPICK_ASM_TEXT_POKE5);
    return differs(five, altpick_nops[5], sizeof five) || unused() || run_bodies() ||
           ALTPICK_NOP_PREFIX_LIMIT > 14 || altpick_nops64[1][0] != altpick_nops32[1][0] ||
           ALTPICK_COUNT_BYTES(ALTPICK_NOP5) != 5;
}
