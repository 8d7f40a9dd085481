/* SPDX-License-Identifier: MIT */
/* What a table of decisions asks of an image and of the CPU that will run it. */
#include "elf/patch_parts.h"

#include "diag.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE_ALIGN = 64 };

static const char fpu_init[] = "fpu.init.body", table_magic[16] = "altpick-patches";
static const struct altpick_patch_mark blank = {
    .magic = "altpick-mark", .version = ALTPICK_PATCH_VERSION, .xcr0 = UINT32_MAX};

/* Whether the runtime takes @table, of which it is given @bytes, aligned to 4. */
static bool is_table(const uint8_t *table, size_t bytes)
{
    static const struct altpick_patch_site none;
    const struct altpick_patcher patcher = {.table = (const void *) table,
                                            .table_bytes = bytes,
                                            .sites = &none,
                                            .sites_end = &none,
                                            .names = "",
                                            .mark = &blank};
    struct altpick_patch_result result;

    return altpick_patch_apply(&patcher, &result) == 0;
}

static const struct altpick_patch_entry *entries_of(const uint8_t *table, size_t *ret_n)
{
    const struct altpick_patch_table *header = (const void *) table;

    *ret_n = header->n_entries;
    return (const void *) (table + header->entries);
}

/* The entry that the runtime takes for @item; kind: 0 for 64-bit code, 1 for 32-bit code. */
static const struct altpick_patch_entry *find(const uint8_t *table, const char *item, unsigned kind)
{
    size_t n;
    const struct altpick_patch_entry *entry = entries_of(table, &n);

    for (size_t i = 0; i < n; i++) {
        if (entry[i].kinds >> kind & 1 && strcmp((const char *) table + entry[i].name, item) == 0)
            return &entry[i];
    }
    return NULL;
}

int altpick_patch_take_table(struct altpick_patch_work *work, const uint8_t *table, size_t bytes,
                             struct altpick_diag *diag)
{
    size_t room = (bytes + TABLE_ALIGN) / TABLE_ALIGN * TABLE_ALIGN, n;
    struct altpick_patch_entry *entry;

    work->table = aligned_alloc(TABLE_ALIGN, room);
    if (!work->table)
        return altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", work->image->path);
    memcpy(work->table, table, bytes);
    work->table_bytes = bytes;
    work->original = table;
    if (!is_table(work->table, bytes))
        return altpick_fail(diag, ALTPICK_EFORMAT, "the table of decisions is malformed");
    entry = (struct altpick_patch_entry *) (uintptr_t) entries_of(work->table, &n);
    for (size_t i = 0; i < n; i++) {
        if (entry[i].n_fixups)
            return altpick_fail(diag, ALTPICK_ENOFIT,
                                "%s: what was decided refers to the table, which is not in the "
                                "image",
                                (const char *) work->table + entry[i].name);
        entry[i].n_needs = 0;
        entry[i].xcr0 = UINT32_MAX;
    }
    return ALTPICK_OK;
}

/* --- data ---------------------------------------------------------------------------------------
 */

/* What a table of the image says of the data at sites of fpu.init. */
enum own_table { NO_TABLE, GIVES, DIFFERS };

static enum own_table ask(const uint8_t *own, size_t bytes, const uint8_t *data, size_t data_bytes)
{
    size_t room = (bytes + TABLE_ALIGN) / TABLE_ALIGN * TABLE_ALIGN;
    uint8_t *copy = aligned_alloc(TABLE_ALIGN, room);
    const struct altpick_patch_entry *entry;
    enum own_table says = NO_TABLE;

    if (!copy)
        return DIFFERS;
    memcpy(copy, own, bytes);
    if (is_table(copy, bytes)) {
        entry = find(copy, fpu_init, 0);
        says = entry && entry->data_bytes >= data_bytes &&
                       memcmp(copy + entry->data, data, data_bytes) == 0
                   ? GIVES
                   : DIFFERS;
    }
    free(copy);
    return says;
}

/* The runtime holds the same words where it compares them: only what is valid is a table. */
static enum own_table ask_all(const struct altpick_section *section, const uint8_t *data,
                              size_t data_bytes)
{
    size_t at = (size_t) (-section->address % TABLE_ALIGN);
    enum own_table says = NO_TABLE, all = NO_TABLE;

    for (; at + sizeof(struct altpick_patch_table) <= section->bytes; at += TABLE_ALIGN) {
        struct altpick_patch_table header;

        memcpy(&header, section->data + at, sizeof header);
        if (memcmp(header.magic, table_magic, sizeof table_magic) != 0 ||
            header.bytes > section->bytes - at)
            continue;
        says = ask(section->data + at, header.bytes, data, data_bytes);
        all = says > all ? says : all;
    }
    return all;
}

int altpick_patch_check_data(const struct altpick_patch_work *work, struct altpick_diag *diag)
{
    const struct altpick_patch_entry *entry = find(work->original, fpu_init, 0);
    enum own_table all = NO_TABLE;
    bool used = false;

    for (size_t i = 0; i < work->n_sites; i++)
        used = used || (work->is_applied[i] && strcmp(work->items[i], fpu_init) == 0);
    if (!used || !entry || entry->data_bytes == 0)
        return ALTPICK_OK;
    for (size_t i = 1; i < work->image->n_sections; i++) {
        const struct altpick_section *section = &work->image->sections[i];
        enum own_table says = NO_TABLE;

        if (section->data && section->flags & SHF_ALLOC && section->type == SHT_PROGBITS)
            says = ask_all(section, work->original + entry->data, entry->data_bytes);
        all = says > all ? says : all;
    }
    if (all == GIVES)
        return ALTPICK_OK;
    return altpick_fail(
        diag, ALTPICK_ENOFIT,
        "%s: %s: what was decided works on data that the image does not hold; link the "
        "object that emit -f elf makes of the same decisions, and give the site its data",
        work->image->path, fpu_init);
}

/* --- the mark -----------------------------------------------------------------------------------
 */

/* Add @need unless it is there. */
static bool add_need(struct altpick_patch_mark *mark, const struct altpick_patch_need *need)
{
    for (size_t i = 0; i < mark->n_needs; i++) {
        if (memcmp(&mark->needs[i], need, sizeof *need) == 0)
            return true;
    }
    if (mark->n_needs == ALTPICK_PATCH_NEEDS_MAX)
        return false;
    mark->needs[mark->n_needs++] = *need;
    return true;
}

/* Whether the mark is one that the runtime takes, on a CPU of which nothing is asked. */
static bool is_mark(const struct altpick_patch_mark *mark)
{
    struct altpick_patch_mark copy = *mark;
    const struct altpick_patcher patcher = {.mark = &copy};
    struct altpick_patch_result result;

    copy.applied = copy.applied > 1 ? copy.applied : 0;
    return altpick_patch_apply(&patcher, &result) == 0;
}

/* Sites that keep what was applied before keep its requirements. */
int altpick_patch_make_mark(struct altpick_patch_work *work, struct altpick_diag *diag)
{
    struct altpick_patch_mark *mark = work->new_mark;
    bool fits = true;

    if (!is_mark(&work->mark))
        return altpick_fail(diag, ALTPICK_EFORMAT, "%s: section altpick_mark is malformed",
                            work->image->path);
    work->plan->was_applied = work->mark.applied != 0;
    work->plan->keeps_needs = work->plan->was_applied && work->plan->n_unknown > 0;
    *mark = work->plan->keeps_needs ? work->mark : blank;
    mark->applied = 1;
    for (size_t i = 0; i < work->n_sites; i++) {
        const struct altpick_patch_entry *entry;
        const struct altpick_patch_need *need;

        if (!work->is_applied[i])
            continue;
        entry = find(work->original, work->items[i], work->kinds[i]);
        mark->xcr0 &= entry->xcr0;
        need = (const void *) (work->original + entry->needs);
        for (size_t j = 0; j < entry->n_needs; j++)
            fits = fits && add_need(mark, &need[j]);
    }
    if (!fits)
        return altpick_fail(diag, ALTPICK_ENOFIT,
                            "%s: the mark has no room for all that sites need of a CPU; patch the "
                            "image as it was linked",
                            work->image->path);
    work->plan->n_needs = mark->n_needs;
    return ALTPICK_OK;
}
