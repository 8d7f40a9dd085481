/* SPDX-License-Identifier: MIT */
/* The features that a patch table asks for. */
#include "view_asked.h"

#include "diag.h"

#include <stdlib.h>

static int by_number(const void *a, const void *b)
{
    const struct altpick_view_asked *x = a, *y = b;

    return x->number < y->number ? -1 : x->number > y->number;
}

static int most_entries(const void *a, const void *b)
{
    const struct altpick_view_asked *x = a, *y = b;

    if (x->entries != y->entries)
        return x->entries > y->entries ? -1 : 1;
    return by_number(a, b);
}

int altpick_view_asked_make(const struct altpick_overlay *overlay,
                            struct altpick_view_asked **ret_asked, size_t *ret_n,
                            struct altpick_diag *diag)
{
    size_t n_entries = overlay->table->n_entries, n = 0;
    struct altpick_view_asked *asked = calloc(n_entries + 1, sizeof *asked);

    if (!asked)
        return altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory",
                            overlay->memory->image->path);
    for (size_t i = 0; i < n_entries; i++)
        asked[i] =
            (struct altpick_view_asked){overlay->table->entries[i].feature, 1, overlay->applied[i]};
    qsort(asked, n_entries, sizeof *asked, by_number);
    for (size_t i = 0; i < n_entries; i++) {
        if (n == 0 || asked[n - 1].number != asked[i].number) {
            asked[n++] = asked[i];
            continue;
        }
        asked[n - 1].entries++;
        asked[n - 1].applied += asked[i].applied;
    }
    qsort(asked, n, sizeof *asked, most_entries);
    *ret_asked = asked;
    *ret_n = n;
    return ALTPICK_OK;
}
