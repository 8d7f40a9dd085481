/* SPDX-License-Identifier: MIT */
/* Sites in functions that are used, inlined, copied and dropped.  Valid C99, C11 and C++17. */
#include "sites.h"

#include "altpick/site.h"

#define ROOM 33

/* The default has a branch, whose length only the assembler knows. */
static inline int increment(int n)
{
    __asm__ volatile(ALTPICK_SITE("test.inlined", "jmp 1f\n\tint3\n1:\tinc %0", ROOM)
                     : "+r"(n)
                     :
                     : "cc");
    return n;
}

#ifdef ELSEWHERE
int count_elsewhere(int n)
{
    unsigned int counter = 1, result, report;

    ALTPICK_SITE_COUNT("test.elsewhere", "lock; addl %%esi, %a2", 40, &counter, (unsigned) n,
                       result, report);
    (void) result;
    return (int) counter + (int) report;
}

int unused_elsewhere(int n)
{
    __asm__ volatile(ALTPICK_SITE("unused.elsewhere", "inc %0", 17) : "+r"(n) : : "cc");
    return increment(n);
}
#else
int count_in_c(int n)
{
    ALTPICK_SITE_GAP(255);
    ALTPICK_SITE_GAP(1);
    ALTPICK_SITE_TEXT_POKE2();
    ALTPICK_SITE_TEXT_POKE5();
    return increment(increment(n));
}

int unused_in_c(int n)
{
    __asm__ volatile(ALTPICK_SITE("unused.in-c", "inc %0", 17) : "+r"(n) : : "cc");
    return n;
}
#endif
