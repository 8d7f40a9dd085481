/* SPDX-License-Identifier: MIT */
/*
 * A program that patches itself: with decisions, with other decisions, with a table made by hand,
 * and with what must be refused.  Needs no library.  Returns 0, or the number of what went wrong.
 */
#include ALTPICK_EMITTED

#include "consumer.h"
#include "altpick/site.h"
#include "leaks.h"

#define NEED(number, condition)                                                                    \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return number;                                                                         \
    } while (0)

enum { FROM_ZERO = 4, GAP = 200, APPLIED = ALTPICK_PATCH_APPLIED, LACKING = ALTPICK_PATCH_LACKING };

static struct altpick_patcher patcher;
static struct altpick_patch_result result;

/* What code at sites of fpu.init is given: of the table that it is from. */
static const void *fpu_data;

#ifdef __x86_64__
#define SSE_ITEM "kernel-fpu.begin.sse"
#else
#define SSE_ITEM "kernel-fpu.begin.sse-32"
#endif

/* Both wrap and tell of nothing until they are patched. */
static __attribute__((noinline)) unsigned increment(unsigned *counter)
{
    unsigned all, report;

    ALTPICK_SITE_COUNT("refcount.inc", "lock; incl %a2", 40, counter, 1u, all, report);
    (void) all;
    return report;
}

/* Does nothing until it is patched. */
static __attribute__((noinline)) void reset_mxcsr(void)
{
    __asm__ volatile(ALTPICK_SITE(SSE_ITEM, "", 24)
                     :
                     : "a"(1), "D"(altpick_mxcsr_init)
                     : "cc", "memory");
}

static unsigned mxcsr_after(unsigned value)
{
    __asm__ volatile("ldmxcsr %0" : : "m"(value));
    reset_mxcsr();
    __asm__ volatile("stmxcsr %0" : "=m"(value));
    return value;
}

/* 7 until a table made by hand lets it call what stands in another file. */
static __attribute__((noinline)) int call(void)
{
    int is = 7;

    __asm__ volatile(ALTPICK_SITE("test.call", "", 17) : "+a"(is) : : "cc", "memory");
    return is;
}

/* Never run: no table that names it is right. */
static __attribute__((noinline, used)) void jump_far(void)
{
    __asm__ volatile(ALTPICK_SITE("test.short", "", 9) : :);
}

static __attribute__((noinline)) const unsigned char *gap(void)
{
    const unsigned char *is;

    __asm__ volatile(
        "call 1f\n1:\tpop %0\n\tjmp 2f\n\t.balign 64\n2:\t" ALTPICK_SITE("nop.fill." BITS, "", 200)
        : "=r"(is));
    return (const unsigned char *) (((size_t) is + 63) & ~(size_t) 63);
}

static int apply(const struct altpick_patch_table *table, size_t bytes)
{
    patcher.table = table;
    patcher.table_bytes = bytes;
    return altpick_patch_apply(&patcher, &result);
}

/* Data belongs to code. */
static void tell(void *ctx, const struct altpick_patch_site *site, enum altpick_patch_fate fate,
                 const uint8_t *bytes)
{
    const char *item = (const char *) &site->item + site->item;

    (void) ctx;
    (void) bytes;
    if (fate == ALTPICK_PATCH_APPLIED && item[0] == 'f')
        fpu_data = data_of_fpu_init(patcher.table);
}

static void no_cpuid(void *ctx, uint32_t leaf, uint32_t subleaf, uint32_t ret_regs[4])
{
    (void) ctx;
    (void) leaf;
    (void) subleaf;
    for (int i = 0; i < 4; i++)
        ((volatile uint32_t *) ret_regs)[i] = 0;
}

static int check_defaults(void)
{
    unsigned counter = 0;

    NEED(1, increment(&counter) == 0 && counter == 1);
    counter = 0x7fffffff;
    NEED(2, increment(&counter) == 0 && counter == 0x80000000);
    NEED(3, mxcsr_after(0x9f80) == 0x9f80);
    NEED(4, call() == 7);
#ifdef __x86_64__
    NEED(5, leaks_vectors(fpu_data));
#endif
    return 0;
}

/* A dry run, and a CPU that has nothing: code that needs something is not applied. */
static int check_what_is_not_written(void)
{
    int (*poke)(void *, void *, const uint8_t *, size_t) = patcher.poke;

    patcher.poke = NULL;
    NEED(10, apply(&altpick_patch_table, altpick_patch_table_bytes) == 0);
    NEED(11, result.n[APPLIED] >= 3 && result.n[ALTPICK_PATCH_UNKNOWN] == 2 && !result.beforehand);
    NEED(12, check_defaults() == 0);
    patcher.poke = poke;
    patcher.cpuid = no_cpuid;
#ifdef __x86_64__
    NEED(13, apply(&altpick_patch_table, altpick_patch_table_bytes) == 0);
    NEED(14, result.n[LACKING] >= 1 && leaks_vectors(fpu_data));
#endif
    patcher.cpuid = NULL;
    return 0;
}

static int check_decided(void)
{
    static unsigned char filled[GAP];
    unsigned counter = 0;

    NEED(20, apply(&altpick_patch_table, altpick_patch_table_bytes) == 0);
    NEED(21, result.n[LACKING] == 0 && result.n[ALTPICK_PATCH_UNKNOWN] == 2);
    NEED(22, increment(&counter) == FROM_ZERO); /* what xadd tells of */
    counter = 5;
    NEED(23, increment(&counter) == 0 && counter == 6);
    NEED(24, mxcsr_after(0x9f80) == 0x1f80);
    NEED(25, call() == 7);
#ifdef __x86_64__
    NEED(26, !leaks_vectors(fpu_data));
#endif
    altpick_nop_fill(filled, GAP);
    for (int i = 0; i < GAP; i++)
        NEED(27, filled[i] == gap()[i]);
    return 0;
}

/* The table of `refcount=fast`: a second pass, in which the rest is decided as before. */
static int check_second_pass(void)
{
    unsigned counter = 0;

    NEED(30, apply(&other_patch_table, other_patch_table_bytes) == 0);
    NEED(31, increment(&counter) == 0 && counter == 1); /* it misses that */
    counter = 0x7fffffff;
    NEED(32, increment(&counter) == 2 && counter == 0xc0000000);
    NEED(33, mxcsr_after(0x9f80) == 0x1f80);
#ifdef __x86_64__
    NEED(34, !leaks_vectors(fpu_data));
#endif
    return 0;
}

/* Replacements with displacements to outside, which differ at each site. */
static int check_made_by_hand(void)
{
    unsigned counter = 0;

    NEED(40, apply(&handmade_table, handmade_table_bytes) == 0);
    NEED(41, call() == 49); /* 42 by the call, 7 from memory */
    NEED(42, increment(&counter) == 0 && counter == 1);
    NEED(43, apply(&far_table, far_table_bytes) == ALTPICK_PATCH_EWRONG);
    NEED(44, result.why[0] && equal(result.item, "test.short") && call() == 49);
    return 0;
}

/* What must be refused, in copies of the records of this program.  Nothing may be written. */
static int check_refused(const struct altpick_patch_site *first, const char *names,
                         const char *names_end)
{
    static struct altpick_patch_site copy[2];
    unsigned counter = 0;

    patcher.sites = copy;
    patcher.sites_end = copy + 2;
    patcher.names = names;
    patcher.names_end = names_end;
    for (int what = 0; what < 5; what++) {
        copy_site(&copy[0], first, 0);
        copy_site(&copy[1], first, first->bytes);
        if (what == 0)
            copy[1].site -= 1; /* overlaps */
        else if (what == 1)
            copy[1].site = INT32_MAX; /* elsewhere */
        else if (what == 2)
            copy[0].bytes = 3; /* too small */
        else if (what == 3)
            copy[1].item += 0x100000; /* no name */
        else
            copy[1].default_bytes = (uint8_t) (copy[1].bytes + 1);
        NEED(50 + what, apply(&altpick_patch_table, altpick_patch_table_bytes) < 0);
        NEED(60 + what, result.site == (what == 2 ? &copy[0] : &copy[1]) && result.why[0]);
        counter = 0;
        NEED(70 + what, increment(&counter) == 0 && counter == 1);
    }
    return 0;
}

int use_everything(void);
int use_everything(void)
{
    const struct altpick_patch_site *count;
    int r;

    own_image(&patcher);
    patcher.tell = tell;
    fpu_data = data_of_fpu_init(&altpick_patch_table);
    r = check_defaults();
    if (r == 0)
        r = check_what_is_not_written();
    if (r == 0)
        r = check_decided();
    if (r == 0)
        r = check_second_pass();
    if (r == 0)
        r = check_made_by_hand();
    count = find_site("refcount.inc");
    if (r == 0)
        r = check_refused(count, __start_altpick_names, __stop_altpick_names);
    return r;
}
