/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "patch_sample.h"

#include <stdlib.h>

static struct sample sample;

static void a_replacement_that_does_not_fit_is_refused(void **state)
{
    struct sample *s = &sample;
    const struct altpick_patch_site *site;

    (void) state;
    sample_init(s);
    sample_site(s, "nop.fill.64", 9, 0);
    site = sample_site(s, "refcount.inc", 20, 0);
    assert_refused(s, site, "what was decided does not fit into it");
    assert_string_equal(s->result.item, "refcount.inc");
    sample_init(s);
    site = sample_site(s, "nop.text-poke.5", 6, 0); /* would be two instructions */
    assert_refused(s, site, "what was decided does not fit into it");
}

static void sites_that_overlap_are_refused(void **state)
{
    struct sample *s = &sample;
    struct altpick_patch_site *first, *second;

    (void) state;
    for (int by = -9; by <= 9; by++) {
        sample_init(s);
        first = sample_site(s, "nop.fill.64", 10, 0);
        sample_site(s, "nop.fill.64", 30, 0);
        second = sample_site(s, "nop.fill.64", 10, 0);
        first->site += 15; /* inside of the 30, and the last around the first */
        second->site += by - 25;
        assert_refused(s, &s->sites[1], "it overlaps another");
        s->sites[1].bytes = 1;
        assert_refused(s, second, "it overlaps another");
    }
}

static void malformed_records_are_refused(void **state)
{
    struct sample *s = &sample;
    struct altpick_patch_site *site;

    (void) state;
    for (unsigned i = 0; i < 9; i++) {
        static const char *const why[] = {
            "it lies outside of the code", "it lies outside of the code",
            "its name lies elsewhere",     "its name lies elsewhere",
            "its record is malformed",     "its record is malformed",
            "its record is malformed",     "its record is malformed",
            "it lies outside of the code"};

        sample_init(s);
        sample_site(s, "nop.fill.64", 10, 0);
        site = sample_site(s, "nop.fill.64", 10, 0);
        switch (i) {
        case 0:
            site->site += 1;
            break;
        case 1:
            site->site -= 11;
            break;
        case 2:
            site->item += (int32_t) sizeof "nop.fill.64";
            break;
        case 3:
            site->item = INT32_MIN;
            break;
        case 4:
            site->bytes = 0;
            break;
        case 5:
            site->default_bytes = 11;
            break;
        case 6:
            site->flags = 2;
            break;
        case 7:
            site->version = 2;
            break;
        case 8:
            site->site = INT32_MAX;
            break;
        }
        assert_refused(s, site, why[i]);
    }
    sample_init(s);
    sample_site(s, "nop.fill.64", 10, 0);
    s->patcher.sites_end = (const void *) ((const char *) s->patcher.sites_end - 1);
    assert_refused(s, NULL, "the list of sites is malformed");
    s->patcher.sites_end = s->patcher.sites - 1; /* before its start, by a whole record */
    assert_refused(s, NULL, "the list of sites is malformed");
    sample_init(s);
    site = sample_site(s, "nop.fill.64", 10, 0);
    s->names[s->names_bytes - 1] = 'x'; /* no end */
    assert_refused(s, site, "its name lies elsewhere");
}

/* What is read between two writes, or read again by the next call, stays as it was checked. */
static void nothing_that_is_read_is_written_over(void **state)
{
    struct sample *s = &sample;
    struct altpick_patch_site *site;

    (void) state;
    sample_init(s);
    site = sample_site(s, "nop.fill.64", 10, 0);
    s->patcher.text = s;
    s->patcher.text_bytes = sizeof *s;
    for (unsigned i = 0; i < 4; i++) {
        uint8_t *start[] = {(uint8_t *) s->sites, (uint8_t *) s->names, (uint8_t *) &s->mark,
                            s->patches.data};
        size_t bytes[] = {sizeof *s->sites, s->names_bytes, sizeof s->mark, s->patches.bytes};

        for (ptrdiff_t at = -9; at < (ptrdiff_t) bytes[i]; at++) {
            site->site = (int32_t) (start[i] + at - (uint8_t *) &site->site);
            assert_refused(s, site, "it lies outside of the code");
        }
    }
    s->patcher.poke = NULL;
    site->site = (int32_t) (s->text + TEXT_MAX - 10 - (uint8_t *) &site->site); /* beside it */
    assert_int_equal(sample_apply(s), 0);
    site->site = (int32_t) (s->names + s->names_bytes - (char *) &site->site);
    assert_int_equal(sample_apply(s), 0);
}

static void malformed_fixups_are_refused(void **state)
{
    static const uint8_t code[] = {0xe8, 0, 0, 0, 0, 0xeb, 0};
    static const struct altpick_patch_fixup wrong[][2] = {
        {{1, 4, 5, 0}, {4, 1, 7, 0}}, /* inside of the first */
        {{6, 1, 7, 0}, {1, 4, 5, 0}}, /* not in order */
        {{1, 4, 5, 0}, {6, 1, 8, 0}}, /* ends behind the code */
        {{1, 4, 4, 0}, {6, 1, 7, 0}}, /* ends inside of the displacement */
        {{1, 4, 5, 0}, {6, 2, 7, 0}}, /* of 16 bits */
        {{1, 4, 5, 1}, {6, 1, 7, 0}},
    };
    struct sample *s = &sample;

    (void) state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        sample_init(s);
        sample_site(s, "refcount.inc", 40, 0);
        put_code(s, code, sizeof code, wrong[i], 2);
        assert_refused(s, NULL, "the table is malformed or of another version");
    }
    sample_init(s);
    sample_site(s, "nop.fill.64", 9, 0);
    sample_entry(s, "refcount.inc", 1)->fixups = (uint16_t) (table_of(s)->bytes / 4 * 4);
    sample_entry(s, "refcount.inc", 1)->n_fixups = 1;
    assert_refused(s, NULL, "the table is malformed or of another version");
    sample_init(s);
    sample_site(s, "nop.fill.64", 9, 0);
    s->patches.data[s->patches.bytes - 1] = 1;
    assert_refused(s, NULL, "the table is malformed or of another version");
}

static void malformed_requirements_are_refused(void **state)
{
    static const struct altpick_patch_need wrong[] = {
        {1, 0, 0, 4, 0,  {0}   },
        {1, 0, 0, 0, 32, {0}   },
        {1, 0, 0, 0, 0,  {1, 0}},
        {1, 0, 0, 0, 0,  {0, 1}}
    };
    struct sample *s = &sample;

    (void) state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        sample_init(s);
        sample_site(s, "nop.fill.64", 9, 0);
        memcpy(s->patches.data + sample_entry(s, "fpu.init.body", 1)->needs, &wrong[i],
               sizeof wrong[i]);
        assert_refused(s, NULL, "the table is malformed or of another version");
    }
}

static void fill_image(struct sample *s)
{
    sample_init(s);
    sample_site(s, "refcount.inc", 40, 0);
    sample_site(s, "nop.fill.64", 70, 0);
    sample_site(s, "fpu.init.body", 130, 0);
    sample_site(s, "nop.text-poke.5", 5, 0);
    sample_site(s, "kernel-fpu.begin.sse-32", 40, 1);
}

/* Each byte in turn gets each of some values: no write but into text, and no read that ASan sees.
 */
static void corrupt(struct sample *s, uint8_t *bytes, size_t n)
{
    static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};

    for (size_t i = 0; i < n; i++) {
        uint8_t was = bytes[i];

        for (size_t v = 0; v < sizeof values + 8; v++) {
            uint8_t flipped = (uint8_t) (was ^ (1u << v % 8));

            bytes[i] = v < 8 ? flipped : values[v - 8];
            memset(s->text, 0xcc, sizeof s->text);
            if (sample_apply(s) != 0)
                assert_int_equal(s->n_pokes, 0);
            for (size_t at = s->text_bytes; at < TEXT_MAX; at++)
                assert_int_equal(s->text[at], 0xcc);
        }
        bytes[i] = was;
    }
}

static void no_byte_of_a_table_can_make_it_write_elsewhere(void **state)
{
    struct sample *s = &sample;
    static const struct altpick_patch_fixup fixup = {1, 4, 5, 0};
    /* Of just its size, so that what is read beyond it is seen. */
    uint8_t *table;

    (void) state;
    fill_image(s);
    put_code(s, (const uint8_t *) "\xe8\0\0\0\0", 5, &fixup, 1);
    table = aligned_alloc(64, (s->patches.bytes + 63) / 64 * 64);
    memcpy(table, s->patches.data, s->patches.bytes);
    s->patcher.table = (void *) table;
    corrupt(s, table, s->patches.bytes);
    free(table);
}

static void a_table_that_is_cut_off_is_refused(void **state)
{
    struct sample *s = &sample;

    (void) state;
    fill_image(s);
    for (size_t n = 0; n < s->patches.bytes; n++) {
        void *table = NULL;

        assert_int_equal(posix_memalign(&table, 64, n + !n), 0);
        memcpy(table, s->patches.data, n);
        s->patcher.table = table;
        s->patcher.table_bytes = n;
        assert_int_equal(sample_apply(s), ALTPICK_PATCH_EWRONG);
        free(table);
    }
}

/* What rdi points to in it is read by instructions that want it aligned. */
static void a_table_that_is_not_aligned_is_refused(void **state)
{
    struct sample *s = &sample;
    void *room;

    (void) state;
    fill_image(s);
    assert_int_equal(posix_memalign(&room, 64, s->patches.bytes + 64), 0);
    for (size_t n = 0; n <= 64; n += 4) {
        memcpy((uint8_t *) room + n, s->patches.data, s->patches.bytes);
        s->patcher.table = (void *) ((uint8_t *) room + n);
        assert_int_equal(sample_apply(s), n % 64 ? ALTPICK_PATCH_EWRONG : 0);
    }
    free(room);
}

static void no_byte_of_a_site_can_make_it_write_elsewhere(void **state)
{
    struct sample *s = &sample;

    (void) state;
    fill_image(s);
    corrupt(s, (uint8_t *) s->sites, s->n_sites * sizeof *s->sites);
    corrupt(s, (uint8_t *) s->names, s->names_bytes);
    corrupt(s, (uint8_t *) &s->mark, sizeof s->mark);
}

ALTPICK_TEST_MAIN(cmocka_unit_test(a_replacement_that_does_not_fit_is_refused),
                  cmocka_unit_test(sites_that_overlap_are_refused),
                  cmocka_unit_test(malformed_records_are_refused),
                  cmocka_unit_test(nothing_that_is_read_is_written_over),
                  cmocka_unit_test(malformed_fixups_are_refused),
                  cmocka_unit_test(malformed_requirements_are_refused),
                  cmocka_unit_test(no_byte_of_a_table_can_make_it_write_elsewhere),
                  cmocka_unit_test(a_table_that_is_cut_off_is_refused),
                  cmocka_unit_test(a_table_that_is_not_aligned_is_refused),
                  cmocka_unit_test(no_byte_of_a_site_can_make_it_write_elsewhere))
