/* SPDX-License-Identifier: MIT */
/*
 * An image that cannot patch itself, and asks whether that was done beforehand.  Returns 10 where
 * it holds defaults, 20 where it was patched, and refuses to run on a CPU that has nothing; else
 * the number of what went wrong.
 */
#include ALTPICK_EMITTED

#include "altpick/site.h"
#include "leaks.h"
#include "patch.h"

enum { DEFAULTS = 10, PATCHED = 20 };

#ifdef WITH_OTHER_TABLE
/* As a kernel would have it: 12-byte records, here of the site in increment(). */
#define OTHER                                                                                      \
    ".pushsection .altinstructions, \"a\"\n\t"                                                     \
    ".long .Laltpick_site%= - .\n\t.long .Lother%= - .\n\t"                                        \
    ".word 3\n\t.byte 40, 3\n\t.popsection\n\t"                                                    \
    ".pushsection .altinstr_replacement, \"ax\"\n"                                                 \
    ".Lother%=:\n\t.byte 0x0f, 0x1f, 0x00\n\t.popsection\n\t"
#else
#define OTHER
#endif

static __attribute__((noinline)) unsigned increment(unsigned *counter)
{
    unsigned all, report = 0;

    __asm__ volatile(ALTPICK_SITE("refcount.inc", "lock; incl %a2", 40) OTHER
                     : "=a"(all), "+c"(report)
                     : "D"(counter), "S"(1)
                     : "edx", "cc", "memory");
    (void) all;
    return report;
}

#ifdef WITH_ADDRESS
static const char somewhere[] = "the default holds its address";
#ifdef __x86_64__
#define TAKE_ADDRESS "movabs %1, %0"
#define ADDRESS_GAP  "nop.fill.64"
#else
#define TAKE_ADDRESS "mov %1, %0"
#define ADDRESS_GAP  "nop.fill.32"
#endif
#endif

static __attribute__((noinline)) void pad(void)
{
#ifdef WITH_ADDRESS
    const char *is;

    __asm__ volatile(ALTPICK_SITE(ADDRESS_GAP, TAKE_ADDRESS, 12) : "=r"(is) : "i"(somewhere));
    (void) is;
#endif
    ALTPICK_SITE_GAP(100);
    ALTPICK_SITE_TEXT_POKE5();
    __asm__ volatile(ALTPICK_SITE("test.unknown", "", 9) : :);
}

#ifdef __x86_64__
static void no_cpuid(void *ctx, uint32_t leaf, uint32_t subleaf, uint32_t ret_regs[4])
{
    (void) ctx;
    (void) leaf;
    (void) subleaf;
    for (int i = 0; i < 4; i++)
        ((volatile uint32_t *) ret_regs)[i] = 0;
}
#endif

/* Kept, so that its data is there. */
const void *table(void);
const void *table(void)
{
    return &altpick_patch_table;
}

int use_everything(void);
int use_everything(void)
{
    static struct altpick_patcher patcher;
    static struct altpick_patch_result result;
    unsigned counter = 0, report;
    int beforehand;

    if (altpick_patch_apply(&patcher, &result) != 0)
        return 1;
    beforehand = result.beforehand;
    pad();
    report = increment(&counter);
    if (!beforehand && report != 0)
        return 2;
    if (beforehand && report != 4)
        return 3;
#ifdef __x86_64__
    if (leaks_vectors(altpick_fpu_init_data) == beforehand)
        return 4;
    patcher.cpuid = no_cpuid;
    if (altpick_patch_apply(&patcher, &result) != (beforehand ? ALTPICK_PATCH_ECPU : 0))
        return 5;
#endif
    return beforehand ? PATCHED : DEFAULTS;
}
