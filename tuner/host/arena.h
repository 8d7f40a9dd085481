/* SPDX-License-Identifier: MIT */
/* Memory for code: one file without a name, mapped once to write and once to execute. */
#ifndef ALTPICK_HOST_ARENA_H
#define ALTPICK_HOST_ARENA_H

#include "altpick/err.h"
#include "altpick/live.h"

#include <stdbool.h>

/*
 * Map @bytes (rounded up to pages) into @live's views.  No page is ever writable and executable
 * through one address.  Where selector_32 is set, the execute view lies below 4 GiB and there is a
 * stack as well.  ALTPICK_EUNSUPPORTED where the system forbids executable memory.
 */
int altpick_arena_init(struct altpick_live *live, size_t bytes, struct altpick_diag *diag);

/*
 * Map and fill the memory that candidates work on; live->xstate must be set.
 */
int altpick_arena_data(struct altpick_live *live, struct altpick_diag *diag);

/*
 * Map memory far larger than any cache, to be read for condition streamed.  False where the system
 * does not have it: the condition is not measured then.
 */
bool altpick_arena_stream(struct altpick_live *live);

/* Unmap.  Accepts zeroed memory. */
void altpick_arena_fini(struct altpick_live *live);

#endif
