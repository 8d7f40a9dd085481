/* SPDX-License-Identifier: MIT */
/* Decodes the tables of the Linux flavours, and runs their strings for inline assembly. */
#include "padding.h"

#include <stdio.h>

#include ALTPICK_EMITTED

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* Pointers [1..]: [n] is n bytes of NOPs; behind @last perhaps the 5 bytes of one instruction. */
static int check(const char *name, const unsigned char *const *table, size_t count, size_t last)
{
    static struct filling filling;

    for (size_t n = 1; n < count; n++) {
        size_t bytes = n > last ? 5 : n;

        if (!padding_decode(ALTPICK_BITS, table[n], bytes, &filling) ||
            (n > last && filling.count != 1)) {
            printf("%s[%zu] is wrong\n", name, n);
            return 1;
        }
    }
    return table[0] != NULL;
}

int main(void)
{
    int bad = 0;

#ifdef NOP_ATOMIC5
    bad |= check("k8_nops", k8_nops, COUNT(k8_nops), 8);
    bad |= check("p6_nops", p6_nops, COUNT(p6_nops), 8);
#if ALTPICK_BITS == 32
    bad |= check("intel_nops", intel_nops, COUNT(intel_nops), 8);
    bad |= check("k7_nops", k7_nops, COUNT(k7_nops), 8);
#endif
    bad |= check("ideal_nops", ideal_nops, NOP_ATOMIC5 + 1, ASM_NOP_MAX);
    bad |= COUNT(decided_nops) != ASM_NOP_MAX + 2;
#else
    bad |= check("x86_nops", x86_nops, COUNT(x86_nops), COUNT(x86_nops));
    bad |= COUNT(x86_nops) < ASM_NOP_MAX + 1;
#endif
#if ALTPICK_BITS == 64
    __asm__ volatile(ASM_NOP1 ASM_NOP2 ASM_NOP3 ASM_NOP4 ASM_NOP5 ASM_NOP6 ASM_NOP7 ASM_NOP8);
#endif
    return bad;
}
