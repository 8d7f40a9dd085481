/* SPDX-License-Identifier: MIT */
/* An image to be patched, in memory: code, records, names, a mark and a table of decisions. */
#ifndef ALTPICK_TESTS_PATCH_SAMPLE_H
#define ALTPICK_TESTS_PATCH_SAMPLE_H

#include "altpick/patches.h"
#include "patch.h"
#include "test.h"

#include <string.h>

enum { SITES_MAX = 8, TEXT_MAX = 600, NAMES_MAX = 160, POKES_MAX = 32 };

/* What a pretended CPU says. */
struct played_cpu {
    uint32_t leaf1_ecx, leaf1_edx, leaf7_ebx, max_leaf;
    uint32_t extended; /* what leaf 80000000H answers; leaf 80000001H has every bit */
    uint64_t xcr0;
};

struct sample {
    uint8_t text[TEXT_MAX];
    struct altpick_patch_site sites[SITES_MAX];
    char names[NAMES_MAX];
    struct altpick_patch_mark mark;
    struct altpick_patches patches;
    struct altpick_patcher patcher;
    struct altpick_patch_result result;
    struct played_cpu cpu;
    size_t text_bytes, names_bytes, n_sites, n_pokes, n_told[3], poke_fails_at;
};

static inline struct altpick_patch_table *table_of(struct sample *s)
{
    return (struct altpick_patch_table *) (void *) s->patches.data;
}

static inline int sample_poke(void *ctx, void *address, const uint8_t *bytes, size_t n)
{
    struct sample *s = ctx;
    uint8_t *to = address;

    if (++s->n_pokes == s->poke_fails_at)
        return 1;
    assert_true(to >= (const uint8_t *) s->patcher.text &&
                to + n <= (const uint8_t *) s->patcher.text + s->patcher.text_bytes);
    memcpy(to, bytes, n);
    return 0;
}

static inline void sample_tell(void *ctx, const struct altpick_patch_site *site,
                               enum altpick_patch_fate fate, const uint8_t *bytes)
{
    struct sample *s = ctx;

    assert_true(site >= s->sites && site < s->sites + s->n_sites);
    assert_int_equal(s->n_pokes, 0); /* before any is written */
    assert_true((fate == ALTPICK_PATCH_APPLIED) == (bytes != NULL));
    s->n_told[fate]++;
}

static inline void sample_cpuid(void *ctx, uint32_t leaf, uint32_t subleaf, uint32_t r[4])
{
    const struct played_cpu *cpu = &((struct sample *) ctx)->cpu;

    (void) subleaf;
    memset(r, 0, 4 * sizeof *r);
    if (leaf == 0)
        r[0] = cpu->max_leaf;
    if (leaf == 1) {
        r[2] = cpu->leaf1_ecx;
        r[3] = cpu->leaf1_edx;
    }
    if (leaf == 7)
        r[1] = cpu->leaf7_ebx;
    if (leaf == 0x80000000)
        r[0] = cpu->extended;
    if (leaf == 0x80000001)
        memset(r, 0xff, 4 * sizeof *r);
    /* Of leaves beyond the last a CPU of Intel's answers with those of the last. */
    if (leaf > cpu->max_leaf && leaf < 0x40000000)
        memset(r, 0xff, 4 * sizeof *r);
}

static inline uint64_t sample_xgetbv0(void *ctx)
{
    struct sample *s = ctx;

    assert_true(s->cpu.leaf1_ecx >> 27 & 1);
    return s->cpu.xcr0;
}

/* An image without sites, and the default decisions. */
static inline void sample_init(struct sample *s)
{
    static struct altpick_output output;

    memset(s, 0, sizeof *s);
    altpick_output_default(0, &output);
    assert_int_equal(altpick_patches_build(&output, NULL, &s->patches), 0);
    memset(s->text, 0xcc, sizeof s->text);
    strcpy(s->mark.magic, "altpick-mark");
    s->mark.version = 1;
    s->mark.xcr0 = UINT32_MAX;
    s->cpu = (struct played_cpu){
        .leaf1_ecx = ~0u, .leaf1_edx = ~0u, .leaf7_ebx = ~0u, .max_leaf = 0xd, .xcr0 = 0xe7};
    s->patcher = (struct altpick_patcher){
        .table = table_of(s),
        .table_bytes = s->patches.bytes,
        .text = s->text,
        .ctx = s,
        .poke = sample_poke,
        .tell = sample_tell,
        .cpuid = sample_cpuid,
        .xgetbv0 = sample_xgetbv0,
        .sites = s->sites,
        .names = s->names,
        .mark = &s->mark,
    };
}

/* Add a site of @bytes, behind those there are; its default is CC. */
static inline struct altpick_patch_site *sample_site(struct sample *s, const char *item,
                                                     unsigned bytes, unsigned flags)
{
    struct altpick_patch_site *site = &s->sites[s->n_sites++];

    assert_true(s->n_sites <= SITES_MAX && s->text_bytes + bytes <= TEXT_MAX);
    assert_true(s->names_bytes + strlen(item) + 1 <= NAMES_MAX);
    *site = (struct altpick_patch_site){
        .site = (int32_t) (s->text + s->text_bytes - (uint8_t *) &site->site),
        .item = (int32_t) (s->names + s->names_bytes - (char *) &site->item),
        .bytes = (uint8_t) bytes,
        .flags = (uint8_t) flags,
        .version = 1,
    };
    strcpy(s->names + s->names_bytes, item);
    s->names_bytes += strlen(item) + 1;
    s->text_bytes += bytes;
    s->patcher.sites_end = s->sites + s->n_sites;
    s->patcher.names_end = s->names + s->names_bytes;
    s->patcher.text_bytes = s->text_bytes;
    return site;
}

static inline int sample_apply(struct sample *s)
{
    s->n_pokes = 0;
    memset(s->n_told, 0, sizeof s->n_told);
    return altpick_patch_apply(&s->patcher, &s->result);
}

static inline uint8_t *code_of_site(const struct altpick_patch_site *site)
{
    return (uint8_t *) (uintptr_t) ((intptr_t) &site->site + site->site);
}

/* The entry for @item, to be changed. */
static inline struct altpick_patch_entry *sample_entry(struct sample *s, const char *item,
                                                       unsigned kind)
{
    struct altpick_patch_entry *entry = (void *) (s->patches.data + table_of(s)->entries);

    for (size_t i = 0; i < table_of(s)->n_entries; i++) {
        if (entry[i].kinds & kind && strcmp((char *) s->patches.data + entry[i].name, item) == 0)
            return &entry[i];
    }
    fail_msg("no entry %s", item);
    return NULL;
}

/* Nothing was written, and this is why. */
static inline void assert_refused(struct sample *s, const struct altpick_patch_site *site,
                                  const char *why)
{
    assert_int_equal(sample_apply(s), ALTPICK_PATCH_EWRONG);
    assert_string_equal(s->result.why, why);
    assert_ptr_equal(s->result.site, site);
    assert_int_equal(s->n_pokes, 0);
    for (size_t i = 0; i < TEXT_MAX; i++)
        assert_int_equal(s->text[i], 0xcc);
}

/* Let a replacement for refcount.inc stand at the end of the table, behind its fixups. */
static inline void put_code(struct sample *s, const uint8_t *code, unsigned bytes,
                            const struct altpick_patch_fixup *fixups, unsigned n)
{
    struct altpick_patch_entry *entry = sample_entry(s, "refcount.inc", 1);
    size_t at = (s->patches.bytes + 3) / 4 * 4;

    memcpy(s->patches.data + at, fixups, n * sizeof *fixups);
    entry->fixups = (uint16_t) at;
    entry->n_fixups = (uint8_t) n;
    at += n * sizeof *fixups;
    memcpy(s->patches.data + at, code, bytes);
    entry->code = (uint16_t) at;
    entry->code_bytes = (uint16_t) bytes;
    s->patches.bytes = at + bytes + 1;
    s->patches.data[at + bytes] = 0;
    table_of(s)->bytes = (uint16_t) s->patches.bytes;
    s->patcher.table_bytes = s->patches.bytes;
}

#endif
