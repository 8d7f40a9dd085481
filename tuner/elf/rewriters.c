/* SPDX-License-Identifier: MIT */
/* Tables by which other parts of Linux rewrite code: found, counted, and looked up by address. */
#include "elf/rewriters.h"

#include "diag.h"
#include "elf/rewriters_shape.h"

#include <stdlib.h>
#include <string.h>

/* arch/x86/kernel/vmlinux.lds.S names the sections, their headers the records. */
static const struct altpick_rewriter rewriters[] = {
    {"jump labels",       "__jump_table",       false, 16, 12, false},
    {"static calls",      ".static_call_sites", false, 8,  8,  false},
    {"ftrace",            "__mcount_loc",       false, 8,  4,  true },
    {"retpolines",        ".retpoline_sites",   false, 4,  4,  false},
    {"return thunks",     ".return_sites",      false, 4,  4,  false},
    {"call thunks",       ".call_sites",        false, 4,  4,  false},
    {"paravirt",          ".parainstructions",  false, 16, 8,  true },
    {"IBT seals",         ".ibt_endbr_seal",    false, 4,  4,  false},
    {"CFI",               ".cfi_sites",         false, 4,  4,  false},
    {"runtime constants", "runtime_ptr_",       true,  4,  4,  false},
    {"runtime constants", "runtime_shift_",     true,  4,  4,  false},
};

enum { N_REWRITERS = sizeof rewriters / sizeof *rewriters, N_BY_SHAPE = 3 };

static unsigned record_bytes(const struct altpick_memory *memory,
                             const struct altpick_rewriter *rewriter)
{
    return memory->image->code_is_64 ? rewriter->record_bytes_64 : rewriter->record_bytes_32;
}

static const struct altpick_rewriter *kind_of(const char *section)
{
    for (size_t i = 0; i < N_REWRITERS; i++) {
        const struct altpick_rewriter *r = &rewriters[i];

        if (r->is_prefix ? strncmp(section, r->section, strlen(r->section)) == 0
                         : strcmp(section, r->section) == 0)
            return r;
    }
    return NULL;
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
    const struct altpick_rewriter *kind = kind_of(part->section->name);

    if (!kind || !part->data)
        return ALTPICK_OK;
    if (part->bytes % record_bytes(memory, kind) != 0)
        return altpick_fail(diag, ALTPICK_EFORMAT,
                            "%s: %s: %llu bytes are no whole number of records of %u bytes",
                            memory->image->path, part->section->name,
                            (unsigned long long) part->bytes, record_bytes(memory, kind));
    if (found->n_tables == ALTPICK_REWRITER_TABLES_MAX)
        return altpick_fail(diag, ALTPICK_EFORMAT, "%s: more than %d tables of rewriters",
                            memory->image->path, ALTPICK_REWRITER_TABLES_MAX);
    found->tables[found->n_tables++] = (struct altpick_rewriter_table){
        .rewriter = kind,
        .section = part->section->name,
        .address = part->address,
        .n_records = (size_t) part->bytes / record_bytes(memory, kind),
    };
    return ALTPICK_OK;
}

/* The tables that a linked kernel has in sections of other names. */
static void add_by_shape(const struct altpick_memory *memory, struct altpick_rewriters *found)
{
    for (size_t i = 0; i < N_BY_SHAPE; i++) {
        struct altpick_rewriter_table table = {.rewriter = &rewriters[i], .by_shape = true};
        const struct altpick_memory_part *part;

        if (altpick_rewriters_table(found, rewriters[i].name) ||
            found->n_tables == ALTPICK_REWRITER_TABLES_MAX ||
            !altpick_rewriters_shape(memory, (enum altpick_rewriter_shape) i, &table.address,
                                     &table.n_records))
            continue;
        part = altpick_memory_part(memory, table.address);
        table.section = part->section->name;
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
                                                             const char *name)
{
    for (size_t i = 0; i < found->n_tables; i++) {
        if (strcmp(found->tables[i].rewriter->name, name) == 0)
            return &found->tables[i];
    }
    return NULL;
}
