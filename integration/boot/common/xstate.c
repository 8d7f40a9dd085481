/* SPDX-License-Identifier: MIT */
/* Enables extended state: CR4.OSXSAVE, XCR0, and initial x87 and SSE control words. */
#include "xstate.h"

#include "port.h"

enum { CR4_OSXSAVE = 1 << 18, CPUID_XSAVE = 1 << 26, X87_AND_SSE = 3 };
#define AVX    UINT64_C(0x4)
#define AVX512 UINT64_C(0xe0)
#define BOUNDS UINT64_C(0x18)
#define TILES  UINT64_C(0x60000)

bool boot_xstate_has_xsave(void)
{
    uint32_t regs[4];

    boot_cpuid(0, 0, regs);
    if (regs[0] < 0xd)
        return false;
    boot_cpuid(1, 0, regs);
    return regs[2] & CPUID_XSAVE;
}

uint64_t boot_xstate_components(void)
{
    uint32_t regs[4];

    if (!boot_xstate_has_xsave())
        return 0;
    boot_cpuid(0xd, 0, regs);
    return (uint64_t) regs[3] << 32 | regs[0];
}

/* What XSETBV would refuse (SDM vol. 1, 13.3): AVX-512 without AVX, halves of a whole. */
static uint64_t without_halves(uint64_t mask)
{
    mask |= X87_AND_SSE;
    if (!(mask & AVX) || (mask & AVX512) != AVX512)
        mask &= ~AVX512;
    if ((mask & BOUNDS) != BOUNDS)
        mask &= ~BOUNDS;
    if ((mask & TILES) != TILES)
        mask &= ~TILES;
    return mask;
}

uint64_t boot_xstate_enable(uint64_t wanted)
{
    static const uint32_t mxcsr = 0x1f80;
    uint64_t mask = boot_xstate_components(), cr4;

    if (mask) {
        mask = without_halves(mask & (wanted | X87_AND_SSE));
        __asm__ volatile("movq %%cr4, %0" : "=r"(cr4));
        __asm__ volatile("movq %0, %%cr4" : : "r"(cr4 | CR4_OSXSAVE) : "memory");
        __asm__ volatile("xsetbv"
                         :
                         : "c"(0), "a"((uint32_t) mask), "d"((uint32_t) (mask >> 32))
                         : "memory");
    }
    __asm__ volatile("fninit\n\tldmxcsr %0" : : "m"(mxcsr) : "memory");
    return mask;
}
