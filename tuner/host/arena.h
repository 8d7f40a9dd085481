/* SPDX-License-Identifier: MIT */
/* Memory for code: one file without a name, mapped once to write and once to execute. */
#ifndef ALTPICK_HOST_ARENA_H
#define ALTPICK_HOST_ARENA_H

#include "altpick/err.h"
#include "altpick/live.h"

/*
 * Map @bytes (rounded up to pages) into @live's views.  No page is ever writable and executable
 * through one address.  Where selector_32 is set, the execute view lies below 4 GiB and there is a
 * stack as well.  ALTPICK_EUNSUPPORTED where the system forbids executable memory.
 */
int altpick_arena_init(struct altpick_live *live, size_t bytes, struct altpick_diag *diag);

/* Unmap.  Accepts zeroed memory. */
void altpick_arena_fini(struct altpick_live *live);

#endif
