/* SPDX-License-Identifier: MIT */
/* All entries of a patch table applied to an image: what its sites hold when the kernel runs. */
#include "elf/overlay.h"

#include "diag.h"

#include <stdlib.h>
#include <string.h>

/* An entry while sites are made of them. */
struct placed {
    uint64_t address;
    size_t bytes, number;
};

static int out_of_memory(const struct altpick_overlay *overlay, struct altpick_diag *diag)
{
    return altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", overlay->memory->image->path);
}

static int by_address(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;

    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Entries of one site in a row all get the length of the longest. */
static void widen(struct placed *placed, size_t n)
{
    for (size_t i = 0, end; i < n; i = end) {
        size_t longest = 0;

        for (end = i; end < n && placed[end].address == placed[i].address; end++)
            longest = placed[end].bytes > longest ? placed[end].bytes : longest;
        for (size_t k = i; k < end; k++)
            placed[k].bytes = longest;
    }
}

/* --- sites and regions --------------------------------------------------------------------------
 */

static void add_site(struct altpick_overlay *overlay, const struct placed *entry, size_t index)
{
    struct altpick_site *last = overlay->n_sites ? &overlay->sites[overlay->n_sites - 1] : NULL;

    overlay->order[index] = entry->number;
    if (!last || last->address != entry->address) {
        overlay->sites[overlay->n_sites++] = (struct altpick_site){
            .address = entry->address, .bytes = entry->bytes, .first = index, .n_entries = 1};
        return;
    }
    last->n_entries++;
    last->bytes = entry->bytes > last->bytes ? entry->bytes : last->bytes;
}

/* Sites and rewrites that overlap share a region; @pieces are all of them, by address. */
static void make_regions(struct altpick_overlay *overlay, const struct placed *pieces, size_t n)
{
    size_t at = 0;

    for (size_t i = 0; i < n; i++) {
        struct altpick_region *region =
            overlay->n_regions ? &overlay->regions[overlay->n_regions - 1] : NULL;
        uint64_t end = pieces[i].address + pieces[i].bytes;

        if (!region || pieces[i].address >= region->address + region->bytes) {
            region = &overlay->regions[overlay->n_regions++];
            *region = (struct altpick_region){.address = pieces[i].address, .at = at};
        }
        if (end > region->address + region->bytes) {
            at += (size_t) (end - (region->address + region->bytes));
            region->bytes = (size_t) (end - region->address);
        }
    }
}

/* Which sites overlap another one. */
static void meet_neighbours(struct altpick_overlay *overlay)
{
    uint64_t end = 0;
    size_t longest = 0; /* the site that ends there */

    for (size_t i = 0; i < overlay->n_sites; i++) {
        struct altpick_site *site = &overlay->sites[i];

        if (i && site->address < end) {
            site->has_neighbour = true;
            overlay->sites[longest].has_neighbour = true;
        }
        if (site->address + site->bytes > end) {
            end = site->address + site->bytes;
            longest = i;
        }
    }
}

static int allocate(struct altpick_overlay *overlay, size_t n, size_t n_pieces,
                    struct altpick_diag *diag)
{
    overlay->sites = calloc(n + 1, sizeof *overlay->sites);
    overlay->order = calloc(n + 1, sizeof *overlay->order);
    overlay->applied = calloc(n + 1, sizeof *overlay->applied);
    overlay->regions = calloc(n_pieces + 1, sizeof *overlay->regions);
    if (!overlay->sites || !overlay->order || !overlay->applied || !overlay->regions)
        return out_of_memory(overlay, diag);
    return ALTPICK_OK;
}

/* The bytes of the file into all regions. */
static int fill(struct altpick_overlay *overlay, struct altpick_diag *diag)
{
    size_t total = 0;

    for (size_t i = 0; i < overlay->n_regions; i++)
        total += overlay->regions[i].bytes;
    overlay->patched.code = calloc(total + 1, 1);
    overlay->patched.origin = calloc(total + 1, 1);
    overlay->patched.by = calloc(total + 1, sizeof *overlay->patched.by);
    if (!overlay->patched.code || !overlay->patched.origin || !overlay->patched.by)
        return out_of_memory(overlay, diag);
    for (size_t i = 0; i < overlay->n_regions; i++) {
        const struct altpick_region *region = &overlay->regions[i];
        size_t there = 0;
        const uint8_t *data = altpick_memory_at(overlay->memory, region->address, &there);

        if (!data || there < region->bytes)
            return altpick_fail(diag, ALTPICK_EFORMAT,
                                "%s: the file has no code for the site at 0x%llx",
                                overlay->memory->image->path, (unsigned long long) region->address);
        memcpy(overlay->patched.code + region->at, data, region->bytes);
    }
    return ALTPICK_OK;
}

/* --- looking ------------------------------------------------------------------------------------
 */

/* The index of the first region that ends behind @address. */
static size_t region_behind(const struct altpick_overlay *overlay, uint64_t address)
{
    size_t low = 0, high = overlay->n_regions;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (overlay->regions[middle].address + overlay->regions[middle].bytes <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void unlocked(const struct altpick_overlay *overlay, uint64_t address, size_t n,
                     uint8_t *ret_code, uint8_t *ret_origin)
{
    size_t low = 0, high = overlay->n_locks;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (overlay->locks[middle] < address)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < overlay->n_locks && overlay->locks[low] - address < n; low++) {
        ret_code[overlay->locks[low] - address] = ALTPICK_UNLOCKED;
        if (ret_origin)
            ret_origin[overlay->locks[low] - address] = ALTPICK_FROM_LOCK;
    }
}

size_t altpick_overlay_read(const struct altpick_overlay *overlay, uint64_t address, size_t n,
                            uint8_t *ret_code, uint8_t *ret_origin, uint32_t *ret_by)
{
    size_t there = 0;
    const uint8_t *data = altpick_memory_at(overlay->memory, address, &there);

    if (!data)
        return 0;
    n = n < there ? n : there;
    memcpy(ret_code, data, n);
    if (ret_origin) {
        memset(ret_origin, ALTPICK_FROM_FILE, n);
        memset(ret_by, 0, n * sizeof *ret_by);
    }
    for (size_t i = region_behind(overlay, address); i < overlay->n_regions; i++) {
        const struct altpick_region *region = &overlay->regions[i];
        uint64_t from = region->address > address ? region->address : address;
        uint64_t end = region->address + region->bytes;
        size_t at = region->at + (size_t) (from - region->address);
        size_t bytes;

        if (from - address >= n)
            break;
        end = end - address > n ? address + n : end;
        bytes = (size_t) (end - from);
        memcpy(ret_code + (from - address), overlay->patched.code + at, bytes);
        if (ret_origin) {
            memcpy(ret_origin + (from - address), overlay->patched.origin + at, bytes);
            memcpy(ret_by + (from - address), overlay->patched.by + at, bytes * sizeof *ret_by);
        }
    }
    unlocked(overlay, address, n, ret_code, ret_origin);
    return n;
}

const struct altpick_site *altpick_overlay_site(const struct altpick_overlay *overlay,
                                                uint64_t address)
{
    size_t low = 0, high = overlay->n_sites;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (overlay->sites[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    /* What starts last may have ended where an earlier one goes on. */
    for (; low; low--) {
        const struct altpick_site *site = &overlay->sites[low - 1];

        if (address - site->address < site->bytes)
            return site;
        if (!site->has_neighbour)
            break;
    }
    return NULL;
}

const uint8_t *altpick_overlay_code(const struct altpick_overlay *overlay,
                                    const struct altpick_site *site)
{
    const struct altpick_region *region = &overlay->regions[region_behind(overlay, site->address)];

    return overlay->patched.code + region->at + (site->address - region->address);
}

/* --- applying -----------------------------------------------------------------------------------
 */

static int apply_entry(struct altpick_overlay *overlay, const struct altpick_kernel *kernel,
                       const struct placed *placed, struct altpick_diag *diag)
{
    const struct altpick_record *entry = &overlay->table->entries[placed->number];
    const struct altpick_region *region =
        &overlay->regions[region_behind(overlay, placed->address)];
    size_t at = region->at + (size_t) (placed->address - region->address);
    uint8_t replacement[ALTPICK_SITE_BYTES_MAX];
    struct altpick_application application = {
        .site = placed->address,
        .replacement = altpick_memory_address(overlay->memory, &entry->replacement),
        .code = replacement,
        .site_bytes = placed->bytes,
        .replacement_bytes = entry->replacement_bytes,
        .number = (uint32_t) placed->number,
        .applied = overlay->applied[placed->number],
        .direct_call = entry->direct_call,
    };

    /* An entry before this one may have patched the replacement. */
    if (entry->replacement_bytes > sizeof replacement ||
        altpick_overlay_read(overlay, application.replacement, entry->replacement_bytes,
                             replacement, NULL, NULL) < entry->replacement_bytes)
        return altpick_fail(diag, ALTPICK_EFORMAT, "%s: entry %zu: its replacement is not there",
                            overlay->memory->image->path, placed->number);
    return altpick_apply(kernel, &application,
                         &(struct altpick_patched){overlay->patched.code + at,
                                                   overlay->patched.origin + at,
                                                   overlay->patched.by + at},
                         diag);
}

static int apply_all(struct altpick_overlay *overlay, const struct altpick_kernel *kernel,
                     const struct placed *placed, struct altpick_diag *diag)
{
    for (size_t i = 0; i < overlay->table->n_entries; i++) {
        struct altpick_diag why;
        int r = apply_entry(overlay, kernel, &placed[i], &why);

        if (r < 0)
            return altpick_fail(diag, r, "%s: %.900s", overlay->memory->image->path, why.text);
    }
    return ALTPICK_OK;
}

/* Rewrites come before any entry. */
static void rewrite_all(struct altpick_overlay *overlay, const struct altpick_overlay_plan *plan)
{
    for (size_t i = 0; i < plan->n_rewrites; i++) {
        const struct altpick_rewrite *rewrite = &plan->rewrites[i];
        const struct altpick_region *region =
            &overlay->regions[region_behind(overlay, rewrite->address)];
        size_t at = region->at + (size_t) (rewrite->address - region->address);

        memcpy(overlay->patched.code + at, rewrite->code, rewrite->bytes);
        memset(overlay->patched.origin + at, rewrite->origin, rewrite->bytes);
    }
}

/* Sites of the entries @placed, and regions of them and of the rewrites. */
static int arrange(struct altpick_overlay *overlay, const struct placed *placed,
                   const struct altpick_overlay_plan *plan, struct altpick_diag *diag)
{
    size_t n = overlay->table->n_entries, n_pieces = n + plan->n_rewrites;
    struct placed *pieces = calloc(n_pieces + 1, sizeof *pieces);
    int r = allocate(overlay, n, n_pieces, diag);

    if (r == ALTPICK_OK && !pieces)
        r = out_of_memory(overlay, diag);
    if (r == ALTPICK_OK) {
        memcpy(pieces, placed, n * sizeof *pieces);
        qsort(pieces, n, sizeof *pieces, by_address);
        for (size_t i = 0; i < n; i++)
            add_site(overlay, &pieces[i], i);
        meet_neighbours(overlay);
        for (size_t i = 0; i < plan->n_rewrites; i++)
            pieces[n + i] =
                (struct placed){plan->rewrites[i].address, plan->rewrites[i].bytes, n + i};
        qsort(pieces, n_pieces, sizeof *pieces, by_address);
        make_regions(overlay, pieces, n_pieces);
        r = fill(overlay, diag);
    }
    free(pieces);
    return r;
}

int altpick_overlay_make(const struct altpick_memory *memory,
                         const struct altpick_patch_table *table,
                         const struct altpick_overlay_plan *plan,
                         struct altpick_overlay *ret_overlay, struct altpick_diag *diag)
{
    struct altpick_overlay overlay = {.memory = memory, .table = table};
    size_t n = table->n_entries;
    struct placed *placed = calloc(n + 1, sizeof *placed);
    int r = placed ? ALTPICK_OK : out_of_memory(&overlay, diag);

    for (size_t i = 0; r == ALTPICK_OK && i < n; i++)
        placed[i] = (struct placed){altpick_memory_address(memory, &table->entries[i].site),
                                    table->entries[i].site_bytes, i};
    if (r == ALTPICK_OK && plan->kernel->engine->widens_nested)
        widen(placed, n);
    if (r == ALTPICK_OK)
        r = arrange(&overlay, placed, plan, diag);
    for (size_t i = 0; r == ALTPICK_OK && i < n; i++)
        overlay.applied[i] =
            plan->has(plan->ctx, table->entries[i].feature) != table->entries[i].inverted;
    if (r == ALTPICK_OK) {
        rewrite_all(&overlay, plan);
        r = apply_all(&overlay, plan->kernel, placed, diag);
    }
    free(placed);
    if (r < 0) {
        altpick_overlay_fini(&overlay);
        return r;
    }
    *ret_overlay = overlay;
    return ALTPICK_OK;
}

void altpick_overlay_fini(struct altpick_overlay *overlay)
{
    free(overlay->sites);
    free(overlay->order);
    free(overlay->applied);
    free(overlay->regions);
    free(overlay->patched.code);
    free(overlay->patched.origin);
    free(overlay->patched.by);
    free(overlay->locks);
    *overlay = (struct altpick_overlay){0};
}
