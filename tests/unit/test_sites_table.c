/* SPDX-License-Identifier: MIT */
/* What is written for a list of sites, read again as `altpick inspect` reads a consumer's file. */
#define _GNU_SOURCE
#include "sites_list.h"
#include "test.h"

#include "elf/table.h"
#include "text.h"

#include "altpick/err.h"

static struct altpick_output output;

/* A table in memory, and its list. */
struct fixture {
    struct altpick_site_list list;
    struct altpick_consumer_site *sites;
    struct altpick_text text;
    struct altpick_image image;
    struct altpick_patch_tables tables;
};

static void make(struct fixture *fixture, const char *layout, const char *flavour, const char *text)
{
    struct altpick_diag diag = {""};
    struct altpick_out out;

    *fixture = (struct fixture){.text = {0}};
    altpick_output_default(0, &output);
    altpick_text_init(&fixture->text, &out);
    assert_int_equal(read_text(layout, text, &fixture->list, &diag), ALTPICK_OK);
    if (altpick_site_list_fill(&fixture->list, &output, strcmp(flavour, "elf32") ? 64 : 32,
                               &fixture->sites, &diag) < 0)
        fail_msg("%s", diag.text);
    assert_int_equal(altpick_generator_find("elf")->emit_sites(
                         layout_of(layout), flavour, fixture->sites, fixture->list.n_lines, &out),
                     ALTPICK_OK);
    if (altpick_image_view("table", (const uint8_t *) fixture->text.data, fixture->text.bytes,
                           &fixture->image, &diag) < 0 ||
        altpick_patch_tables_read(&fixture->image, NULL, &fixture->tables, &diag) < 0)
        fail_msg("%s", diag.text);
}

static void unmake(struct fixture *fixture)
{
    altpick_patch_tables_fini(&fixture->tables);
    altpick_image_close(&fixture->image);
    altpick_text_fini(&fixture->text);
    free(fixture->sites);
    altpick_site_list_fini(&fixture->list);
}

/* One table of this layout, whose records are the sites in their order. */
static void check(const char *layout, const char *flavour, const char *text)
{
    const struct altpick_patch_table *table;
    struct fixture fixture;

    make(&fixture, layout, flavour, text);
    assert_int_equal(fixture.tables.n_tables, 1);
    table = &fixture.tables.tables[0];
    assert_string_equal(table->layout->name, layout);
    assert_int_equal(table->n_entries, fixture.list.n_lines);
    for (size_t i = 0; i < table->n_entries; i++) {
        const struct altpick_record *entry = &table->entries[i];
        const struct altpick_consumer_site *site = &fixture.sites[i];

        assert_string_equal(entry->site.symbol, site->symbol);
        assert_int_equal(entry->site.offset, 0);
        assert_int_equal(entry->site_bytes, site->bytes);
        assert_int_equal(entry->pad_bytes, site->padding_bytes);
        assert_int_equal(entry->feature, site->feature);
        assert_int_equal(entry->inverted, site->inverted);
        assert_int_equal(entry->direct_call, site->direct_call);
        if (strcmp(layout, "altpick") == 0) {
            assert_string_equal(entry->item, site->item);
            continue;
        }
        assert_int_equal(entry->replacement_bytes, site->code.bytes);
        assert_memory_equal(entry->replacement.data, site->code.code, site->code.bytes);
    }
    unmake(&fixture);
}

static void every_layout_is_read_as_it_was_written(void **state)
{
    static const char plain[] = "a 40 refcount.inc 33\nb 254 refcount.dec always\n"
                                "a 40 refcount.add 1023\n";
    static const char inverted[] = "a 40 refcount.inc 33\na 40 refcount.dec 34 not\n";
    static const char padded[] = "a 40 refcount.inc 33 pad=7\nb 254 refcount.dec always pad=254\n";
    static const char own[] = "a 40 refcount.inc - pad=3\nb 50 refcount.dec -\n"
                              "c 255 refcount.inc -\n";
    static const char *const flavours[] = {"elf64", "elf32"};
    (void) state;

    for (size_t i = 0; i < sizeof flavours / sizeof *flavours; i++) {
        check("linux12", flavours[i], plain);
        check("linux12", flavours[i], inverted);
        check("linux13", flavours[i], plain);
        check("linux13", flavours[i], padded);
        check("linux14", flavours[i], plain);
        check("linux14", flavours[i], inverted);
        check("xen14", flavours[i], padded);
        check("xen14", flavours[i], inverted);
        check("altpick", flavours[i], own);
    }
}

ALTPICK_TEST_MAIN(cmocka_unit_test(every_layout_is_read_as_it_was_written))
