/* SPDX-License-Identifier: MIT */
/* Runs the functions that hold sites, and the runtime's walk over whatever sites there are. */
#include "patch.h"
#include "sites.h"

int use_everything(void);

/* 0 where defaults work and the runtime finds what the linker collected. */
int use_everything(void)
{
    static const struct altpick_patcher patcher; /* no table: a look at the mark */
    struct altpick_patch_result result;

    if (altpick_patch_apply(&patcher, &result) != 0 || result.beforehand)
        return 2;
#ifdef NO_SITES
    return 0;
#else
    return count_in_c(1) + count_elsewhere(2) + count_in_assembly(3) != 3 + 3 + 4;
#endif
}
