/* SPDX-License-Identifier: MIT */
/*
 * A program whose sites are marked in both ways: by <altpick/site.h> here, and in listed.S by a
 * list of symbols.  Returns 0 where one walk of the runtime patches all of them, or what went
 * wrong.
 */
#include "altpick/site.h"
#include "consumer.h"

enum { FROM_ZERO = 4, N_SITES = 4 };

unsigned listed_count(unsigned *counter);
void listed_pad(void);
int use_everything(void);
int unused(int n);

static __attribute__((noinline)) unsigned count(unsigned *counter)
{
    unsigned all, report;

    ALTPICK_SITE_COUNT("refcount.inc", "lock; incl %a2", 40, counter, 1u, all, report);
    (void) all;
    return report;
}

/* Its record may be dropped with it. */
int unused(int n)
{
    __asm__ volatile(ALTPICK_SITE("test.unused", "inc %0", 17) : "+r"(n) : : "cc");
    return n;
}

int use_everything(void)
{
    static struct altpick_patcher patcher;
    static struct altpick_patch_result result;
    unsigned marked = 0, listed = 0;

    if (count(&marked) != 0 || listed_count(&listed) != 0 || marked != 1 || listed != 1)
        return 1;
    own_image(&patcher);
    patcher.table = &altpick_patch_table;
    patcher.table_bytes = altpick_patch_table_bytes;
    if (altpick_patch_apply(&patcher, &result) != 0)
        return 2;
    if (result.n[ALTPICK_PATCH_APPLIED] != N_SITES || result.n[ALTPICK_PATCH_LACKING] != 0 ||
        result.n_sites > N_SITES + 1)
        return 3;
    ALTPICK_SITE_GAP(100);
    listed_pad();
    marked = listed = 0;
    if (count(&marked) != FROM_ZERO || listed_count(&listed) != FROM_ZERO)
        return 4; /* both tell of a count from zero now */
    return 0;
}
