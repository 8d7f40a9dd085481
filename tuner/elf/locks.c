/* SPDX-License-Identifier: MIT */
/* Takes lock prefixes away, as a kernel does that finds one CPU. */
#include "elf/overlay.h"

#include "diag.h"

#include <stdlib.h>

enum { LOCK = 0xf0, RECORD_BYTES = 4 };

static int by_address(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

/* Whether record @index is a lock prefix of running code in .text; its address. */
static bool is_lock(const struct altpick_overlay *overlay, const struct altpick_memory_part *table,
                    const struct altpick_memory_part *text, size_t index, uint64_t *ret_address)
{
    uint64_t at = table->address + index * RECORD_BYTES, value = 0, address;
    uint8_t code;

    if (!altpick_memory_number(overlay->memory, at, RECORD_BYTES, &value) || value == 0)
        return false;
    address = at + (uint64_t) (int64_t) (int32_t) value;
    if (!overlay->memory->image->code_is_64)
        address = (uint32_t) address;
    *ret_address = address;
    return address - text->address < text->bytes &&
           altpick_overlay_read(overlay, address, 1, &code, NULL, NULL) == 1 && code == LOCK;
}

int altpick_overlay_unlock(struct altpick_overlay *overlay, struct altpick_diag *diag)
{
    const struct altpick_memory_part *table = altpick_memory_named(overlay->memory, ".smp_locks");
    const struct altpick_memory_part *text = altpick_memory_named(overlay->memory, ".text");
    uint64_t *locks;
    size_t n = 0;

    if (!table || !text)
        return ALTPICK_OK;
    locks = calloc((size_t) table->bytes / RECORD_BYTES + 1, sizeof *locks);
    if (!locks)
        return altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory",
                            overlay->memory->image->path);
    for (size_t i = 0; i < table->bytes / RECORD_BYTES; i++)
        n += is_lock(overlay, table, text, i, &locks[n]);
    qsort(locks, n, sizeof *locks, by_address);
    free(overlay->locks);
    overlay->locks = locks;
    overlay->n_locks = n;
    return ALTPICK_OK;
}
