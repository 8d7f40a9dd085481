/* SPDX-License-Identifier: MIT */
/* A program and a library, by LIBRARY, each with sites and its own copy of patch.c. */
#include "patch.h"

#include "altpick/site.h"

size_t sites_of_library(void);

#ifdef LIBRARY
#define ASK sites_of_library
#else
#define ASK sites_of_program
static
#endif
size_t ASK(void)
{
    struct altpick_patcher patcher = {
        .table = &altpick_patch_table,
        .table_bytes = altpick_patch_table_bytes,
        .text = (const void *) 0,
        .text_bytes = (size_t) -1,
    };
    struct altpick_patch_result result;

#ifdef LIBRARY
    ALTPICK_SITE_GAP(9);
#else
    ALTPICK_SITE_GAP(7);
    ALTPICK_SITE_GAP(8);
#endif
    return altpick_patch_apply(&patcher, &result) == 0 && !*result.item ? result.n_sites : 99;
}

#ifndef LIBRARY
int main(void)
{
    return sites_of_program() == 2 && sites_of_library() == 1 ? 0 : 1;
}
#endif
