/* SPDX-License-Identifier: MIT */
/* A site that is to clear the FPU, and a look at whether it did. */
#ifndef ALTPICK_TEST_LEAKS_H
#define ALTPICK_TEST_LEAKS_H

#include "altpick/site.h"

#ifdef __x86_64__
/* Whether xmm7 still holds what was in it before.  @data: what code at the site is given. */
static __attribute__((noinline)) int leaks_vectors(const void *data)
{
    unsigned long long is = 0x123456789abcdefULL;

    __asm__ volatile(
        "movq %0, %%xmm7\n\t" ALTPICK_SITE("fpu.init.body", "fninit", 255) "movq %%xmm7, %0"
        : "+r"(is)
        : "a"(altpick_has_xsave()), "D"(data)
        : "rdx", "cc", "memory" ALTPICK_X87_ ALTPICK_XMM_);
    return is != 0;
}
#endif

#endif
