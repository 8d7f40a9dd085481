/* SPDX-License-Identifier: MIT */
/* Tables by which other parts of Linux rewrite code: found, counted, and looked up by address. */
#include "elf/rewriters.h"

#include "diag.h"
#include "elf/rewriters_shape.h"

#include <stdlib.h>

static unsigned record_bytes(const struct altpick_memory *memory,
                             const struct altpick_rewriter *rewriter)
{
    return altpick_rewriter_record_bytes(rewriter, memory->image->code_is_64);
}

bool altpick_rewriter_address(const struct altpick_memory *memory,
                              const struct altpick_rewriter_table *table, size_t index,
                              uint64_t *ret_address)
{
    uint64_t at = table->address + index * record_bytes(memory, table->rewriter), value = 0;
    unsigned bytes = table->rewriter->is_absolute && memory->image->code_is_64 ? 8 : 4;

    if (!altpick_memory_number(memory, at, bytes, &value))
        return false;
    if (!table->rewriter->is_absolute)
        value = at + (uint64_t) (int64_t) (int32_t) value;
    *ret_address = memory->image->code_is_64 ? value : (uint32_t) value;
    return true;
}

/* --- finding ------------------------------------------------------------------------------------
 */

static int add_section(const struct altpick_memory *memory, const struct altpick_memory_part *part,
                       struct altpick_rewriters *found, struct altpick_diag *diag)
{
    struct altpick_rewriter_table table = {.section = part->section->name,
                                           .address = part->address};
    int r = altpick_rewriter_section(memory->image, part->section, &table.rewriter,
                                     &table.n_records, diag);

    if (r < 0 || !table.rewriter)
        return r;
    if (found->n_tables == ALTPICK_REWRITER_TABLES_MAX)
        return altpick_fail(diag, ALTPICK_EFORMAT, "%s: more than %d tables of rewriters",
                            memory->image->path, ALTPICK_REWRITER_TABLES_MAX);
    found->tables[found->n_tables++] = table;
    return ALTPICK_OK;
}

/* The tables that a linked kernel has in sections of other names. */
static void add_by_shape(const struct altpick_memory *memory, struct altpick_rewriters *found)
{
    static const enum altpick_rewriter_kind kinds[] = {
        ALTPICK_REWRITER_JUMP_LABELS, ALTPICK_REWRITER_STATIC_CALLS, ALTPICK_REWRITER_FTRACE};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct altpick_rewriter_table table = {.rewriter = altpick_rewriter_first(kinds[i]),
                                               .by_shape = true};

        if (altpick_rewriters_table(found, kinds[i]) ||
            found->n_tables == ALTPICK_REWRITER_TABLES_MAX ||
            !altpick_rewriters_shape(memory, kinds[i], &table.address, &table.n_records))
            continue;
        table.section = altpick_memory_part(memory, table.address)->section->name;
        found->tables[found->n_tables++] = table;
    }
}

static int by_address(const void *a, const void *b)
{
    const struct altpick_rewriter_mark *x = a, *y = b;

    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return x->table < y->table ? -1 : x->table > y->table;
}

static int make_marks(const struct altpick_memory *memory, struct altpick_rewriters *found,
                      struct altpick_diag *diag)
{
    size_t n = 0;

    for (size_t i = 0; i < found->n_tables; i++)
        n += found->tables[i].n_records;
    found->marks = calloc(n + 1, sizeof *found->marks);
    if (!found->marks)
        return altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", memory->image->path);
    for (size_t i = 0; i < found->n_tables; i++) {
        for (size_t k = 0; k < found->tables[i].n_records; k++) {
            struct altpick_rewriter_mark *mark = &found->marks[found->n_marks];

            mark->table = (uint32_t) i;
            found->n_marks +=
                altpick_rewriter_address(memory, &found->tables[i], k, &mark->address);
        }
    }
    qsort(found->marks, found->n_marks, sizeof *found->marks, by_address);
    return ALTPICK_OK;
}

int altpick_rewriters_find(const struct altpick_memory *memory,
                           struct altpick_rewriters *ret_rewriters, struct altpick_diag *diag)
{
    struct altpick_rewriters found = {.n_tables = 0};
    int r = ALTPICK_OK;

    for (size_t i = 0; r == ALTPICK_OK && i < memory->n_parts; i++)
        r = add_section(memory, &memory->parts[i], &found, diag);
    if (r == ALTPICK_OK && !memory->image->is_relocatable)
        add_by_shape(memory, &found);
    if (r == ALTPICK_OK)
        r = make_marks(memory, &found, diag);
    if (r < 0) {
        altpick_rewriters_fini(&found);
        return r;
    }
    *ret_rewriters = found;
    return ALTPICK_OK;
}

void altpick_rewriters_fini(struct altpick_rewriters *found)
{
    free(found->marks);
    *found = (struct altpick_rewriters){.n_tables = 0};
}

/* --- looking ------------------------------------------------------------------------------------
 */

const struct altpick_rewriter_mark *altpick_rewriters_at(const struct altpick_rewriters *found,
                                                         uint64_t address, uint64_t bytes)
{
    size_t low = 0, high = found->n_marks;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (found->marks[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == found->n_marks || found->marks[low].address - address >= bytes)
        return NULL;
    return &found->marks[low];
}

const struct altpick_rewriter_table *altpick_rewriters_table(const struct altpick_rewriters *found,
                                                             enum altpick_rewriter_kind kind)
{
    for (size_t i = 0; i < found->n_tables; i++) {
        if (found->tables[i].rewriter->kind == kind)
            return &found->tables[i];
    }
    return NULL;
}
