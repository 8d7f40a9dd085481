/* SPDX-License-Identifier: MIT */
/* Uses everything of an emitted header.  Valid C99, C11 and C++17; needs no library. */
#include ALTPICK_EMITTED

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

int use_everything(void)
{
    unsigned char code[200];
    size_t n, i;

    for (n = 0; n < sizeof code; n++) {
        for (i = 0; i < sizeof code; i++)
            code[i] = 0xcc;
        altpick_nop_fill(code, n);
        if (code[n] != 0xcc || (n && code[n - 1] == 0xcc))
            return 1;
        if (n <= ALTPICK_NOP_TABLE_MAX && differs(code, altpick_nops[n], n))
            return 2;
    }
    __asm__ volatile(EVERY_NOP);
    return differs(five, altpick_nops[5], sizeof five) || unused() ||
           ALTPICK_NOP_PREFIX_LIMIT > 14 || ALTPICK_COUNT_BYTES(ALTPICK_NOP5) != 5;
}
