/* SPDX-License-Identifier: MIT */
/* Pads with what an emitted object holds, and runs its code.  Needs no library. */
#include ALTPICK_EMITTED

#include "../headers/run_bodies.h"

int use_everything(void);

/* 0 where a gap is filled to its end and not beyond, for one kind of code. */
static int pad(void (*fill)(void *dst, size_t n))
{
    static unsigned char code[201];

    for (size_t n = 0; n < sizeof code; n++) {
        for (size_t i = 0; i < sizeof code; i++)
            ((volatile unsigned char *) code)[i] = 0xcc;
        fill(code, n);
        if (code[n] != 0xcc || (n && code[n - 1] == 0xcc))
            return 1;
    }
    return 0;
}

int use_everything(void)
{
    const unsigned char(*own)[15] = sizeof(void *) == 8 ? altpick_nops64 : altpick_nops32;

    if (altpick_nops_version != ALTPICK_NOPS_VERSION)
        return 1;
    for (size_t n = 0; n < 15; n++) {
        if (altpick_nops[8][n] != own[8][n])
            return 3;
    }
    if (altpick_nops_target[0] == '\0' || altpick_nop_prefix_limit > 14 ||
        altpick_five_byte_poke[4] == 0xcc || altpick_two_byte_poke[1] == 0xcc)
        return 2;
    return pad(altpick_nop_fill) || pad(altpick_nop_fill64) || pad(altpick_nop_fill32) ||
           run_bodies();
}
