/* SPDX-License-Identifier: MIT */
/* Puts decisions into the table that is applied to sites: bodies, text-poke forms and padding. */
#include "altpick/patches.h"
#include "altpick/cpu.h"
#include "altpick/err.h"
#include "bytes.h"
#include "patch.h"

enum { ENTRIES_MAX = 32, KIND_64 = 1, KIND_32 = 2, ANY_KIND = 3, GAPS = 256, ROWS = 16 };
enum { JUMP_REL8 = 0xeb, JUMP_REL32 = 0xe9, REL8_BYTES = 2, REL32_BYTES = 5, REL8_GAP_MAX = 129 };

/* What a table begins with; what entries and pads point to is appended behind it. */
struct head {
    struct altpick_patch_table table;
    struct altpick_patch_entry entries[ENTRIES_MAX];
    struct altpick_patch_pad pads[2][GAPS];
};

/* A table in the making. */
struct draft {
    struct altpick_patches *patches;
    struct head *head; /* where it begins */
    altpick_patches_find *find;
    size_t n_entries;
    int err;
};

static const struct altpick_patch_need features[] = {
#define X(id, name, leaf, subleaf, reg, bit, xcr0) {leaf, subleaf, xcr0, reg, bit, {0}},
    ALTPICK_CPU_FEATURES(X)
#undef X
};

/* Append @n bytes at the next multiple of @align; returns where they are. */
static uint16_t append(struct draft *draft, const void *bytes, size_t n, size_t align)
{
    struct altpick_patches *patches = draft->patches;
    size_t at = (patches->bytes + align - 1) / align * align;

    if (draft->err < 0 || at + n >= sizeof patches->data) {
        draft->err = draft->err < 0 ? draft->err : ALTPICK_ENOSPACE;
        return 0;
    }
    altpick_copy_bytes(patches->data + at, bytes, n);
    patches->bytes = at + n;
    return (uint16_t) at;
}

static struct altpick_patch_entry *add(struct draft *draft, const char *item, unsigned kinds)
{
    struct altpick_patch_entry *entry = &draft->head->entries[draft->n_entries];

    if (draft->n_entries + 1 < ENTRIES_MAX)
        draft->n_entries++;
    else
        draft->err = ALTPICK_ENOSPACE;
    *entry = (struct altpick_patch_entry){
        .name = append(draft, item, altpick_length(item) + 1, 1),
        .kinds = (uint8_t) kinds,
        .xcr0 = UINT32_MAX,
    };
    return entry;
}

/* Leaf 0DH is reserved where there is no XSAVE. */
static void put_needs(struct draft *draft, uint64_t needs, struct altpick_patch_entry *entry)
{
    for (unsigned f = 0; f < ALTPICK_N_CPU_FEATURES; f++) {
        if (needs >> f & 1 && features[f].leaf == 0xd)
            needs |= 1ull << ALTPICK_CPU_XSAVE;
    }
    for (unsigned f = 0; f < ALTPICK_N_CPU_FEATURES; f++) {
        uint16_t at;

        if (!(needs >> f & 1))
            continue;
        at = append(draft, &features[f], sizeof features[f], entry->n_needs ? 1 : 4);
        if (entry->n_needs++ == 0)
            entry->needs = at;
    }
}

/* What code refers to has to be in the table, which is all that comes with it. */
static void put_fixups(struct draft *draft, unsigned bits, struct altpick_patch_entry *entry)
{
    struct altpick_fixup fixups[ALTPICK_FIXUPS_MAX];
    size_t n;

    if (draft->err < 0 || !draft->find)
        return;
    draft->err =
        draft->find(draft->patches->data + entry->code, entry->code_bytes, bits, fixups, &n);
    for (size_t i = 0; draft->err == ALTPICK_OK && i < n; i++) {
        const struct altpick_patch_fixup fixup = {fixups[i].at, fixups[i].bytes, fixups[i].end, 0};
        int64_t target = (int64_t) entry->code + fixups[i].end + fixups[i].displacement;
        uint16_t at = append(draft, &fixup, sizeof fixup, i ? 1 : 4);

        if (target < 0 || target >= (int64_t) draft->patches->bytes)
            draft->err = ALTPICK_ENOFIT;
        if (entry->n_fixups++ == 0)
            entry->fixups = at;
    }
}

static void put_body(struct draft *draft, const char *item, unsigned kinds,
                     const struct altpick_body *body, uint64_t xcr0)
{
    uint8_t data[ALTPICK_BODY_DATA_MAX];
    struct altpick_patch_entry *entry;
    uint32_t data_bytes;

    if (!body->name)
        return;
    entry = add(draft, item, kinds);
    data_bytes = altpick_body_data(body->data, data);
    if (data_bytes) {
        entry->data = append(draft, data, data_bytes, ALTPICK_PATCHES_ALIGN);
        entry->data_bytes = (uint16_t) data_bytes;
    }
    if (xcr0 != UINT64_MAX)
        entry->xcr0 = (uint32_t) xcr0;
    entry->code = append(draft, body->code, body->bytes, 1);
    entry->code_bytes = (uint16_t) body->bytes;
    put_needs(draft, body->needs, entry);
    put_fixups(draft, kinds & KIND_64 ? 64 : 32, entry);
}

static void put_bodies(struct draft *draft, const struct altpick_bodies *bodies)
{
    put_body(draft, "fpu.init.body", KIND_64, &bodies->fpu_init, bodies->fpu_init_xcr0);
    for (unsigned i = 0; i < ALTPICK_N_FPU_USERS; i++) {
        const struct altpick_body *wide = &bodies->kernel_fpu64[i];
        const struct altpick_body *narrow = &bodies->kernel_fpu32[i];

        put_body(draft, wide->name, KIND_64, wide, UINT64_MAX);
        put_body(draft, narrow->name, KIND_32, narrow, UINT64_MAX);
    }
    for (unsigned i = 0; i < ALTPICK_N_COUNTER_OPS && bodies->refcount_variant[0]; i++)
        put_body(draft, bodies->refcount[i].name, ANY_KIND, &bodies->refcount[i], UINT64_MAX);
    put_body(draft, bodies->xstate_save.name, KIND_64, &bodies->xstate_save, bodies->xstate_xcr0);
    put_body(draft, bodies->xstate_restore.name, KIND_64, &bodies->xstate_restore,
             bodies->xstate_xcr0);
}

/* One instruction: a site that is longer would not be one. */
static void put_poke(struct draft *draft, const char *item, unsigned kinds,
                     const struct altpick_string *string)
{
    struct altpick_patch_entry *entry = add(draft, item, kinds);

    entry->code = append(draft, string->code, string->bytes, 1);
    entry->code_bytes = (uint16_t) string->bytes;
    entry->exact = 1;
}

static struct altpick_patch_pad put_pad(struct draft *draft, const uint8_t *code, size_t n)
{
    return (struct altpick_patch_pad){.code = append(draft, code, n, 1), .bytes = (uint8_t) n};
}

static struct altpick_patch_pad put_jump(struct draft *draft, size_t gap)
{
    bool is_short = gap <= REL8_GAP_MAX;
    uint8_t code[REL32_BYTES] = {is_short ? JUMP_REL8 : JUMP_REL32,
                                 (uint8_t) (gap - (is_short ? REL8_BYTES : REL32_BYTES))};

    return put_pad(draft, code, is_short ? REL8_BYTES : REL32_BYTES);
}

static const struct altpick_string *find_gap(const struct altpick_nop_tables *tables, size_t bytes)
{
    for (size_t i = 0; i < tables->n_gaps; i++) {
        if (tables->gap[i].bytes == bytes)
            return &tables->gap[i];
    }
    return NULL;
}

/* The rule of docs/formats.md, for every gap that a site can have. */
static void put_pads(struct draft *draft, const struct altpick_nop_tables *tables,
                     struct altpick_patch_pad pads[GAPS])
{
    for (size_t n = 0; n < ROWS; n++)
        pads[n] = put_pad(draft, tables->nop[n].code, tables->nop[n].bytes);
    for (size_t n = ROWS; n < GAPS; n++) {
        const struct altpick_string *own = find_gap(tables, n);

        if (own)
            pads[n] = put_pad(draft, own->code, n);
        else if (tables->jump_from_bytes && n >= tables->jump_from_bytes)
            pads[n] = put_jump(draft, n);
        else
            pads[n].pieces =
                (uint8_t) ((n + tables->longest_nop_bytes - 1) / tables->longest_nop_bytes);
    }
}

static void put_all(struct draft *draft, const struct altpick_output *output)
{
    add(draft, "nop.fill.64", KIND_64);
    add(draft, "nop.fill.32", KIND_32);
    put_poke(draft, "nop.text-poke.2", KIND_64, &output->nop64.text_poke2);
    put_poke(draft, "nop.text-poke.5", KIND_64, &output->nop64.text_poke5);
    put_poke(draft, "nop.text-poke.2", KIND_32, &output->nop32.text_poke2);
    put_poke(draft, "nop.text-poke.5", KIND_32, &output->nop32.text_poke5);
    put_bodies(draft, &output->bodies);
    put_pads(draft, &output->nop64, draft->head->pads[0]);
    put_pads(draft, &output->nop32, draft->head->pads[1]);
    append(draft, "", 1, 1);
}

int altpick_patches_build(const struct altpick_output *output, altpick_patches_find *find,
                          struct altpick_patches *ret_patches)
{
    struct head *head = (void *) ret_patches->data;
    struct draft draft = {.patches = ret_patches, .head = head, .find = find};

    altpick_zero(ret_patches, sizeof *ret_patches);
    ret_patches->bytes = sizeof *head;
    put_all(&draft, output);
    if (draft.err < 0)
        return draft.err;
    head->table = (struct altpick_patch_table){
        .magic = "altpick-patches",
        .version = ALTPICK_PATCH_VERSION,
        .bytes = (uint16_t) ret_patches->bytes,
        .entries = offsetof(struct head, entries),
        .n_entries = (uint16_t) draft.n_entries,
        .pads = {offsetof(struct head, pads[0]), offsetof(struct head, pads[1])},
    };
    return ALTPICK_OK;
}
