/* SPDX-License-Identifier: MIT */
#include "patch_sample.h"

static struct sample sample;

/* @site holds @code, then the decided filling. */
static void assert_holds(struct sample *s, const struct altpick_patch_site *site,
                         const uint8_t *code, size_t bytes)
{
    const struct altpick_patch_pad *pad =
        (const void *) (s->patches.data + table_of(s)->pads[site->flags]);
    const uint8_t *is = code_of_site(site);
    size_t rest = site->bytes - bytes;

    assert_memory_equal(is, code, bytes);
    if (rest <= 15)
        assert_memory_equal(is + bytes, s->patches.data + pad[rest].code, rest);
    for (size_t i = bytes; i + 1 < site->bytes; i++) /* no runs of 90 */
        assert_false(is[i] == 0x90 && is[i + 1] == 0x90);
}

static void sites_get_what_was_decided(void **state)
{
    struct sample *s = &sample;
    const struct altpick_patch_site *count, *gap, *poke, *narrow;
    const struct altpick_patch_entry *entry;

    (void) state;
    sample_init(s);
    count = sample_site(s, "refcount.inc", 40, 0);
    gap = sample_site(s, "nop.fill.64", 255, 0);
    poke = sample_site(s, "nop.text-poke.5", 5, 0);
    narrow = sample_site(s, "kernel-fpu.begin.sse-32", 20, 1);
    assert_int_equal(sample_apply(s), 0);
    assert_int_equal(s->result.n_sites, 4);
    assert_int_equal(s->result.n[ALTPICK_PATCH_APPLIED], 4);
    assert_int_equal(s->n_told[ALTPICK_PATCH_APPLIED], 4);
    assert_int_equal(s->n_pokes, 4);
    assert_null(s->result.site);
    assert_false(s->result.beforehand);
    entry = sample_entry(s, "refcount.inc", 1);
    assert_holds(s, count, s->patches.data + entry->code, entry->code_bytes);
    assert_holds(s, gap, NULL, 0);
    entry = sample_entry(s, "kernel-fpu.begin.sse-32", 2);
    assert_holds(s, narrow, s->patches.data + entry->code, entry->code_bytes);
    assert_memory_equal(code_of_site(poke), "\x0f\x1f\x44\x00\x00", 5);
    assert_int_equal(s->text[s->text_bytes], 0xcc);
}

static void a_dry_run_tells_and_writes_nothing(void **state)
{
    struct sample *s = &sample;

    (void) state;
    sample_init(s);
    sample_site(s, "refcount.inc", 40, 0);
    sample_site(s, "no.such-item", 9, 0);
    s->patcher.poke = NULL;
    assert_int_equal(sample_apply(s), 0);
    assert_int_equal(s->n_told[ALTPICK_PATCH_APPLIED], 1);
    assert_int_equal(s->n_told[ALTPICK_PATCH_UNKNOWN], 1);
    assert_int_equal(s->result.n[ALTPICK_PATCH_UNKNOWN], 1);
    for (size_t i = 0; i < TEXT_MAX; i++)
        assert_int_equal(s->text[i], 0xcc);
}

static void an_unknown_item_keeps_its_default_and_is_counted(void **state)
{
    struct sample *s = &sample;
    const struct altpick_patch_site *unknown, *other_kind;

    (void) state;
    sample_init(s);
    unknown = sample_site(s, "no.such-item", 9, 0);
    other_kind = sample_site(s, "kernel-fpu.begin.sse-32", 30, 0); /* in 64-bit code */
    sample_site(s, "nop.fill.64", 9, 0);
    assert_int_equal(sample_apply(s), 0);
    assert_int_equal(s->result.n[ALTPICK_PATCH_UNKNOWN], 2);
    assert_int_equal(s->result.n[ALTPICK_PATCH_APPLIED], 1);
    assert_int_equal(code_of_site(unknown)[0], 0xcc);
    assert_int_equal(code_of_site(other_kind)[0], 0xcc);
}

static void a_second_table_is_applied_over_the_first(void **state)
{
    struct sample *s = &sample;
    struct altpick_patch_entry *entry;
    const struct altpick_patch_site *count;

    (void) state;
    sample_init(s);
    count = sample_site(s, "refcount.inc", 40, 0);
    assert_int_equal(sample_apply(s), 0);
    entry = sample_entry(s, "refcount.inc", 1);
    memcpy(s->patches.data + entry->code, "\xf0\xff\x07", 3); /* lock inc */
    entry->code_bytes = 3;
    assert_int_equal(sample_apply(s), 0);
    assert_holds(s, count, (const uint8_t *) "\xf0\xff\x07", 3);
}

static int32_t displacement(const uint8_t *code)
{
    int32_t value;

    memcpy(&value, code, sizeof value);
    return value;
}

static void displacements_reach_the_same_targets(void **state)
{
    /* jz +2; call 100h; lea rax, [rip-200h]; jne 1000h */
    static const uint8_t code[] = {0x74, 0x02, 0xe8, 0,    0x01, 0,    0, 0x48, 0x8d, 0x05,
                                   0,    0xfe, 0xff, 0xff, 0x0f, 0x85, 0, 0x10, 0,    0};
    static const struct altpick_patch_fixup fixups[] = {
        {3,  4, 7,  0},
        {10, 4, 14, 0},
        {16, 4, 20, 0}
    };
    struct sample *s = &sample;
    const struct altpick_patch_site *site;
    const uint8_t *from, *to;

    (void) state;
    sample_init(s);
    sample_site(s, "nop.fill.64", 7, 0);
    site = sample_site(s, "refcount.inc", 33, 0);
    put_code(s, code, sizeof code, fixups, 3);
    assert_int_equal(sample_apply(s), 0);
    from = s->patches.data + sample_entry(s, "refcount.inc", 1)->code;
    to = code_of_site(site);
    assert_memory_equal(to, code, 3);
    assert_int_equal((intptr_t) to + displacement(to + 3), (intptr_t) from + 0x100);
    assert_int_equal((intptr_t) to + displacement(to + 10), (intptr_t) from - 0x200);
    assert_int_equal((intptr_t) to + displacement(to + 16), (intptr_t) from + 0x1000);
}

/* A jump by @by in the table, @distance bytes before its site. */
static int move_short_jump(struct sample *s, int by, unsigned distance, int8_t *ret_by)
{
    static const struct altpick_patch_fixup fixup = {1, 1, 2, 0};
    uint8_t code[2] = {0xeb, (uint8_t) by}, *to;
    struct altpick_patch_site *site;
    int r;

    sample_init(s);
    site = sample_site(s, "refcount.inc", 10, 0);
    put_code(s, code, sizeof code, &fixup, 1);
    to = s->patches.data + sample_entry(s, "refcount.inc", 1)->code + distance;
    site->site = (int32_t) (to - (uint8_t *) &site->site);
    s->patcher.text = to;
    r = sample_apply(s);
    *ret_by = (int8_t) to[1];
    return r;
}

static void short_displacements_move_within_their_range(void **state)
{
    struct sample *s = &sample;
    int8_t by;

    (void) state;
    assert_int_equal(move_short_jump(s, 100, 30, &by), 0);
    assert_int_equal(by, 70);
    assert_int_equal(move_short_jump(s, 100, 228, &by), 0);
    assert_int_equal(by, -128);
    assert_int_equal(move_short_jump(s, 100, 229, &by), ALTPICK_PATCH_EWRONG);
    assert_string_equal(s->result.why, "what was decided does not reach its target");
    assert_int_equal(s->n_pokes, 0);
    assert_int_equal(move_short_jump(s, -100, 29, &by), ALTPICK_PATCH_EWRONG);
    assert_int_equal(move_short_jump(s, -100, 28, &by), 0);
    assert_int_equal(by, -128);
}

static void a_cpu_that_lacks_something_keeps_the_default(void **state)
{
    struct sample *s = &sample;
    struct altpick_patch_entry *entry;
    const struct altpick_patch_site *site;
    struct altpick_patch_need *need;

    (void) state;
    for (unsigned i = 0; i < 7; i++) {
        sample_init(s);
        site = sample_site(s, "fpu.init.body", 120, 0);
        entry = sample_entry(s, "fpu.init.body", 1);
        assert_int_equal(entry->n_needs, 1); /* fxsr */
        need = (void *) (s->patches.data + entry->needs);
        *need = (struct altpick_patch_need){7, 0, 0xe6, 1, 16, {0}};
        switch (i) {
        case 0:
            break;
        case 1:
            s->cpu.max_leaf = 6;
            break;
        case 2:
            s->cpu.leaf7_ebx = ~(1u << 16);
            break;
        case 3:
            s->cpu.xcr0 = 0x7;
            break;
        case 4:
            s->cpu.leaf1_ecx = 0;
            break; /* no OSXSAVE */
        case 5:
            entry->xcr0 = 0x67;
            break; /* another component is in use */
        case 6:
            s->cpu.xcr0 |= 1ull << 40;
            entry->xcr0 = 0xe7;
            break;
        }
        assert_int_equal(sample_apply(s), 0);
        assert_int_equal(s->result.n[i == 0 ? ALTPICK_PATCH_APPLIED : ALTPICK_PATCH_LACKING], 1);
        assert_true((code_of_site(site)[0] == 0xcc) == (i != 0));
    }
}

static void an_extended_leaf_counts_only_where_there_are_such(void **state)
{
    /* The last leaf; none beyond the first; and what CPUs answer that have none at all. */
    static const uint32_t answers[] = {0x80000008, 0x80000000, 0, 0x0d, 0xfffffff0};
    struct sample *s = &sample;
    struct altpick_patch_entry *entry;

    (void) state;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        sample_init(s);
        sample_site(s, "fpu.init.body", 255, 0);
        entry = sample_entry(s, "fpu.init.body", 1);
        *(struct altpick_patch_need *) (void *) (s->patches.data + entry->needs) =
            (struct altpick_patch_need){0x80000001, 0, 0, 3, 0, {0}};
        s->cpu.extended = answers[i];
        assert_int_equal(sample_apply(s), 0);
        assert_int_equal(s->result.n[ALTPICK_PATCH_LACKING], i != 0);
    }
}

static void an_image_patched_beforehand_is_checked_and_left_alone(void **state)
{
    struct sample *s = &sample;

    (void) state;
    sample_init(s);
    sample_site(s, "nop.fill.64", 9, 0);
    s->mark.applied = 1;
    s->mark.n_needs = 1;
    s->mark.needs[0] = (struct altpick_patch_need){7, 0, 0xe6, 1, 16, {0}};
    assert_int_equal(sample_apply(s), 0);
    assert_true(s->result.beforehand);
    assert_int_equal(s->result.n_sites, 0);
    assert_int_equal(s->text[0], 0xcc);
    s->cpu.leaf7_ebx = 0;
    assert_int_equal(sample_apply(s), ALTPICK_PATCH_ECPU);
    assert_false(s->result.beforehand);
    s->patcher.table = NULL;
    assert_int_equal(sample_apply(s), ALTPICK_PATCH_ECPU);
    s->cpu.leaf7_ebx = 1u << 16;
    s->mark.xcr0 = 3;
    assert_int_equal(sample_apply(s), ALTPICK_PATCH_ECPU);
    s->mark.xcr0 = 0xe7;
    assert_int_equal(sample_apply(s), 0);
    s->mark.applied = 2;
    assert_int_equal(sample_apply(s), ALTPICK_PATCH_EWRONG);
    s->mark.applied = 1;
    s->mark.n_needs = ALTPICK_PATCH_NEEDS_MAX + 1;
    assert_int_equal(sample_apply(s), ALTPICK_PATCH_EWRONG);
    s->mark.n_needs = 1;
    s->mark.magic[3]++;
    assert_int_equal(sample_apply(s), ALTPICK_PATCH_EWRONG);
}

static void a_poke_that_fails_stops_and_is_named(void **state)
{
    struct sample *s = &sample;

    (void) state;
    sample_init(s);
    sample_site(s, "nop.fill.64", 9, 0);
    sample_site(s, "nop.fill.64", 8, 0);
    sample_site(s, "nop.fill.64", 7, 0);
    s->poke_fails_at = 2;
    assert_int_equal(sample_apply(s), ALTPICK_PATCH_EPOKE);
    assert_ptr_equal(s->result.site, &s->sites[1]);
    assert_int_equal(s->n_pokes, 2);
}

static void an_image_without_sites_is_fine(void **state)
{
    struct sample *s = &sample;

    (void) state;
    sample_init(s);
    s->patcher.sites = s->patcher.sites_end = NULL;
    s->patcher.names = NULL;
    s->patcher.mark = NULL;
    assert_int_equal(sample_apply(s), 0);
    assert_int_equal(s->result.n_sites, 0);
}

ALTPICK_TEST_MAIN(cmocka_unit_test(sites_get_what_was_decided),
                  cmocka_unit_test(a_dry_run_tells_and_writes_nothing),
                  cmocka_unit_test(an_unknown_item_keeps_its_default_and_is_counted),
                  cmocka_unit_test(a_second_table_is_applied_over_the_first),
                  cmocka_unit_test(displacements_reach_the_same_targets),
                  cmocka_unit_test(short_displacements_move_within_their_range),
                  cmocka_unit_test(a_cpu_that_lacks_something_keeps_the_default),
                  cmocka_unit_test(an_extended_leaf_counts_only_where_there_are_such),
                  cmocka_unit_test(an_image_patched_beforehand_is_checked_and_left_alone),
                  cmocka_unit_test(a_poke_that_fails_stops_and_is_named),
                  cmocka_unit_test(an_image_without_sites_is_fine))
