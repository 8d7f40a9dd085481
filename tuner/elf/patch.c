/* SPDX-License-Identifier: MIT */
/* Runs the runtime on the records of an image in a file, and keeps what it would write. */
#include "elf/patch.h"

#include "diag.h"
#include "elf/patch_parts.h"

#include <elf.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { RECORD_BYTES = sizeof(struct altpick_patch_site), SPAN_MAX = 1 << 30 };

/* --- the parts of an image ----------------------------------------------------------------------
 */

static int find_part(const struct altpick_image *image, const char *name, const char *without,
                     const struct altpick_section **ret, struct altpick_diag *diag)
{
    const struct altpick_section *section = altpick_image_section(image, name);

    if (!section || section->bytes == 0)
        return altpick_fail(diag, ALTPICK_ENOFIT, "%s: %s", image->path, without);
    if (section->type != SHT_PROGBITS || !section->data || !(section->flags & SHF_ALLOC))
        return altpick_fail(diag, ALTPICK_EFORMAT, "%s: section %s is not loaded from the file",
                            image->path, name);
    for (size_t i = 1; i < image->n_sections; i++) {
        if (&image->sections[i] != section && strcmp(image->sections[i].name, name) == 0)
            return altpick_fail(diag, ALTPICK_EFORMAT, "%s: there are two sections %s", image->path,
                                name);
    }
    *ret = section;
    return ALTPICK_OK;
}

static int find_parts(struct altpick_patch_work *work, struct altpick_diag *diag)
{
    const struct altpick_image *image = work->image;
    const char *path = image->path;
    int r;

    if (image->packing)
        return altpick_fail(diag, ALTPICK_ENOFIT,
                            "%s: packed as %s; patch the image before it is packed", path,
                            image->packing);
    if (image->is_relocatable)
        return altpick_fail(diag, ALTPICK_ENOFIT,
                            "%s: a relocatable file; link it and patch the result", path);
    if (!image->has_section_headers)
        return altpick_fail(diag, ALTPICK_ENOFIT,
                            "%s: no section headers, by which sites are found; patch the image "
                            "before they are stripped",
                            path);
    r = find_part(image, "altpick_sites",
                  "no section altpick_sites: nothing in it is marked with <altpick/site.h>",
                  &work->sites, diag);
    if (r == ALTPICK_OK)
        r = find_part(image, "altpick_names", "no section altpick_names, which names its sites",
                      &work->names, diag);
    if (r == ALTPICK_OK)
        r = find_part(image, "altpick_mark",
                      "no section altpick_mark, where it is said what the image needs of a CPU; "
                      "link integration/runtime/patch.c and call it before a site is used",
                      &work->mark_section, diag);
    if (r == ALTPICK_OK && (work->sites->bytes % RECORD_BYTES || work->sites->address % 4))
        r = altpick_fail(diag, ALTPICK_EFORMAT, "%s: section altpick_sites has half a record",
                         path);
    if (r == ALTPICK_OK && work->mark_section->bytes != sizeof work->mark)
        r = altpick_fail(diag, ALTPICK_EFORMAT, "%s: section altpick_mark has %llu bytes, not %zu",
                         path, (unsigned long long) work->mark_section->bytes, sizeof work->mark);
    if (r == ALTPICK_OK)
        memcpy(&work->mark, work->mark_section->data, sizeof work->mark);
    return r;
}

/* --- where the bytes of an address are ----------------------------------------------------------
 */

/* Whether a segment with these @flags loads [@address, @address + @n) from @offset of the file. */
static bool is_loaded(const struct altpick_image *image, uint64_t address, uint64_t n,
                      uint64_t offset, uint32_t flags)
{
    size_t count;

    if (elf_getphdrnum(image->elf, &count) < 0)
        return false;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr p;

        if (gelf_getphdr(image->elf, (int) i, &p) && p.p_type == PT_LOAD &&
            (p.p_flags & flags) == flags && address >= p.p_vaddr &&
            address - p.p_vaddr <= p.p_filesz && n <= p.p_filesz - (address - p.p_vaddr) &&
            offset == p.p_offset + (address - p.p_vaddr))
            return true;
    }
    return false;
}

/* Where the @n bytes of code at @address are in the file. */
static int find_code(const struct altpick_image *image, uint64_t address, uint64_t n,
                     uint64_t *ret_offset)
{
    for (size_t i = 1; i < image->n_sections; i++) {
        const struct altpick_section *s = &image->sections[i];
        uint64_t offset;

        if (!altpick_section_is_code(s) || address < s->address ||
            address - s->address > s->bytes || n > s->bytes - (address - s->address))
            continue;
        offset = s->offset + (address - s->address);
        if (!is_loaded(image, address, n, offset, PF_X))
            return ALTPICK_ENOFIT;
        *ret_offset = offset;
        return ALTPICK_OK;
    }
    return ALTPICK_ENOFIT;
}

/* --- records in memory --------------------------------------------------------------------------
 */

/* Records and names, as far apart in memory as in the image: the runtime reads nothing else. */
static int load(struct altpick_patch_work *work, struct altpick_diag *diag)
{
    const struct altpick_section *a = work->sites, *b = work->names;
    uint64_t end = a->address + a->bytes > b->address + b->bytes ? a->address + a->bytes
                                                                 : b->address + b->bytes;
    void *memory;

    work->base = (a->address < b->address ? a->address : b->address) & ~(uint64_t) 4095;
    if (end - work->base > SPAN_MAX)
        return altpick_fail(diag, ALTPICK_EFORMAT,
                            "%s: altpick_sites and altpick_names are too far apart",
                            work->image->path);
    memory = mmap(NULL, (size_t) (end - work->base), PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", work->image->path);
    work->memory = memory;
    work->memory_bytes = (size_t) (end - work->base);
    memcpy(work->memory + (a->address - work->base), a->data, (size_t) a->bytes);
    memcpy(work->memory + (b->address - work->base), b->data, (size_t) b->bytes);
    return ALTPICK_OK;
}

/* The address in the image of what the runtime takes to be at @pointer. */
static uint64_t address_of(const struct altpick_patch_work *work, const void *pointer)
{
    uint64_t address = (uint64_t) (uintptr_t) pointer - (uint64_t) (uintptr_t) work->memory;

    return address + work->base;
}

/* --- what the runtime tells ---------------------------------------------------------------------
 */

static void name_unknown(struct altpick_patch_plan *plan, const char *item)
{
    size_t n = strlen(plan->unknown), room = sizeof plan->unknown - n;

    plan->n_unknown++;
    if (strstr(plan->unknown, item) || room < strlen(item) + sizeof ", ..." + 1) {
        if (!strstr(plan->unknown, item) && !strstr(plan->unknown, "..."))
            snprintf(plan->unknown + n, room, ", ...");
        return;
    }
    snprintf(plan->unknown + n, room, "%s%s", n ? ", " : "", item);
}

static void tell(void *ctx, const struct altpick_patch_site *site, enum altpick_patch_fate fate,
                 const uint8_t *bytes)
{
    struct altpick_patch_work *work = ctx;
    size_t i = work->n_sites++;

    work->addresses[i] = address_of(work, &site->site) + (uint64_t) (int64_t) site->site;
    work->lengths[i] = site->bytes;
    work->kinds[i] = site->flags;
    work->items[i] = (const char *) &site->item + site->item;
    if (fate == ALTPICK_PATCH_APPLIED)
        memcpy(work->code[i], bytes, site->bytes);
    else
        name_unknown(work->plan, work->items[i]);
    work->is_applied[i] = fate == ALTPICK_PATCH_APPLIED;
}

/* Where all code lies, in the memory that the runtime thinks it runs in. */
static void find_text(const struct altpick_patch_work *work, struct altpick_patcher *patcher)
{
    uint64_t low = UINT64_MAX, high = 0;

    for (size_t i = 1; i < work->image->n_sections; i++) {
        const struct altpick_section *s = &work->image->sections[i];

        if (!altpick_section_is_code(s))
            continue;
        low = s->address < low ? s->address : low;
        high = s->address + s->bytes > high ? s->address + s->bytes : high;
    }
    if (low > high)
        low = high = 0;
    patcher->text = (const void *) (uintptr_t) ((uintptr_t) work->memory + (low - work->base));
    patcher->text_bytes = (size_t) (high - low);
}

static int run(struct altpick_patch_work *work, struct altpick_diag *diag)
{
    static const struct altpick_patch_mark blank = {
        .magic = "altpick-mark", .version = ALTPICK_PATCH_VERSION, .xcr0 = UINT32_MAX};
    const char *names = (const char *) work->memory + (work->names->address - work->base);
    struct altpick_patcher patcher = {
        .table = (const struct altpick_patch_table *) (const void *) work->table,
        .table_bytes = work->table_bytes,
        .ctx = work,
        .tell = tell,
        .sites = (const void *) (work->memory + (work->sites->address - work->base)),
        .names = names,
        .names_end = names + work->names->bytes,
        .mark = &blank,
    };
    struct altpick_patch_result result;

    find_text(work, &patcher);
    patcher.sites_end = patcher.sites + work->sites->bytes / RECORD_BYTES;
    if (altpick_patch_apply(&patcher, &result) == 0)
        return ALTPICK_OK;
    if (!result.site)
        return altpick_fail(diag, ALTPICK_EFORMAT, "%s: %s", work->image->path, result.why);
    return altpick_fail(diag, ALTPICK_EFORMAT, "%s: site %zu (%s, %u bytes): %s", work->image->path,
                        (size_t) (result.site - patcher.sites),
                        result.item[0] ? result.item : "without a name", result.site->bytes,
                        result.why);
}

/* --- the plan -----------------------------------------------------------------------------------
 */

static int plan_sites(struct altpick_patch_work *work, struct altpick_diag *diag)
{
    struct altpick_patch_plan *plan = work->plan;

    for (size_t i = 0; i < work->n_sites; i++) {
        struct altpick_file_change *change = &plan->changes[plan->n_changes];

        if (find_code(work->image, work->addresses[i], work->lengths[i], &change->offset) < 0)
            return altpick_fail(diag, ALTPICK_EFORMAT,
                                "%s: site %zu (%s), at %#llx, is not code that is loaded from the "
                                "file",
                                work->image->path, i, work->items[i],
                                (unsigned long long) work->addresses[i]);
        if (!work->is_applied[i])
            continue;
        change->data = work->code[i];
        change->bytes = work->lengths[i];
        plan->n_changes++;
    }
    return ALTPICK_OK;
}

static int make_plan(struct altpick_patch_work *work, struct altpick_diag *diag)
{
    struct altpick_patch_plan *plan = work->plan;
    const struct altpick_section *mark = work->mark_section;
    int r;

    r = run(work, diag);
    if (r == ALTPICK_OK)
        r = plan_sites(work, diag);
    if (r == ALTPICK_OK)
        r = altpick_patch_check_others(work->image, work->addresses, work->lengths, work->n_sites,
                                       diag);
    if (r == ALTPICK_OK)
        r = altpick_patch_check_relocations(work->image, work->addresses, work->lengths,
                                            work->n_sites, diag);
    if (r == ALTPICK_OK)
        r = altpick_patch_check_data(work, diag);
    if (r == ALTPICK_OK)
        r = altpick_patch_make_mark(work, diag);
    if (r == ALTPICK_OK && !is_loaded(work->image, mark->address, mark->bytes, mark->offset, PF_R))
        r = altpick_fail(diag, ALTPICK_EFORMAT, "%s: altpick_mark is not loaded from the file",
                         work->image->path);
    if (r == ALTPICK_OK && plan->n_changes == 0)
        r = altpick_fail(diag, ALTPICK_ENOFIT,
                         "%s: none of its %zu sites is of an item that is decided: %s",
                         work->image->path, work->n_sites, plan->unknown);
    if (r < 0)
        return r;
    plan->changes[plan->n_changes++] =
        (struct altpick_file_change){mark->offset, sizeof *work->new_mark, work->new_mark};
    plan->n_sites = work->n_sites;
    return altpick_patch_check_changes(work, diag);
}

/* One allocation: the new mark, then code, addresses and the rest of each site. */
static int allocate(struct altpick_patch_work *work, struct altpick_diag *diag)
{
    size_t n = (size_t) (work->sites->bytes / RECORD_BYTES);
    struct altpick_patch_storage *storage = calloc(1, sizeof *storage);

    work->plan->storage = storage;
    work->plan->changes = calloc(n + 1, sizeof *work->plan->changes);
    work->addresses = calloc(n, sizeof *work->addresses);
    work->items = calloc(n, sizeof *work->items);
    work->lengths = calloc(n, sizeof *work->lengths);
    work->is_applied = calloc(n, sizeof *work->is_applied);
    work->kinds = calloc(n, sizeof *work->kinds);
    if (storage)
        storage->code = calloc(n, sizeof *storage->code);
    if (!storage || !storage->code || !work->plan->changes || !work->addresses || !work->items ||
        !work->lengths || !work->is_applied || !work->kinds)
        return altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", work->image->path);
    work->new_mark = &storage->mark;
    work->code = storage->code;
    return ALTPICK_OK;
}

int altpick_patch_plan(const struct altpick_image *image, const uint8_t *table, size_t bytes,
                       struct altpick_patch_plan *ret_plan, struct altpick_diag *diag)
{
    struct altpick_patch_plan plan = {.changes = NULL};
    struct altpick_patch_work work = {.image = image, .plan = &plan};
    int r;

    r = find_parts(&work, diag);
    if (r == ALTPICK_OK)
        r = altpick_patch_take_table(&work, table, bytes, diag);
    if (r == ALTPICK_OK)
        r = allocate(&work, diag);
    if (r == ALTPICK_OK)
        r = load(&work, diag);
    if (r == ALTPICK_OK)
        r = make_plan(&work, diag);
    if (work.memory)
        munmap(work.memory, work.memory_bytes);
    free(work.table);
    free(work.addresses);
    free(work.items);
    free(work.lengths);
    free(work.is_applied);
    free(work.kinds);
    if (r == ALTPICK_OK)
        *ret_plan = plan;
    else
        altpick_patch_plan_fini(&plan);
    return r;
}

void altpick_patch_plan_fini(struct altpick_patch_plan *plan)
{
    struct altpick_patch_storage *storage = plan->storage;

    if (storage)
        free(storage->code);
    free(storage);
    free(plan->changes);
    *plan = (struct altpick_patch_plan){.changes = NULL};
}
