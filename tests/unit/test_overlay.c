/* SPDX-License-Identifier: MIT */
/* Whole tables on memory made by hand: order, nesting, overlap, thunks, lock prefixes, and the
 * tables that are only found. */
#include "elf/nop_func.h"
#include "elf/overlay.h"
#include "elf/rewriters.h"
#include "elf/thunks.h"
#include "test.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 0x1000, CODE = 0x2000, DATA = 0x3000, LOCKS = 0x4000, RETURNS = 0x5000 };
enum { RETPOLINES = 0x6000, PART_BYTES = 0x1000, N_PARTS = 6, ENTRIES_MAX = 8 };

/* An image without a file: code, replacements, data and three tables. */
struct bench {
    uint8_t bytes[N_PARTS][PART_BYTES];
    struct altpick_section sections[N_PARTS];
    struct altpick_memory_part parts[N_PARTS];
    struct altpick_image image;
    struct altpick_memory memory;
    struct altpick_record entries[ENTRIES_MAX];
    struct altpick_patch_table table;
    struct altpick_kernel kernel;
    size_t code_used;
    uint32_t present; /* features 0 to 31 */
    struct altpick_overlay overlay;
    struct altpick_diag diag;
};

static void add_part(struct bench *bench, size_t index, const char *name, uint64_t address,
                     bool is_code)
{
    struct altpick_section *section = &bench->sections[index];

    *section = (struct altpick_section){
        .name = name,
        .type = SHT_PROGBITS,
        .flags = SHF_ALLOC | (is_code ? SHF_EXECINSTR : 0),
        .address = address,
        .bytes = PART_BYTES,
        .data = bench->bytes[index],
    };
    bench->parts[index] = (struct altpick_memory_part){
        section, (uint32_t) index, address, PART_BYTES, bench->bytes[index], NULL, index};
}

static void resize(struct bench *bench, size_t index, uint64_t bytes)
{
    bench->sections[index].bytes = bench->parts[index].bytes = bytes;
}

static void set_up(struct bench *bench, const char *release)
{
    uint16_t number = 0;

    memset(bench, 0, sizeof *bench);
    add_part(bench, 0, ".text", TEXT, true);
    add_part(bench, 1, ".altinstr_replacement", CODE, true);
    add_part(bench, 2, ".data", DATA, false);
    add_part(bench, 3, ".smp_locks", LOCKS, false);
    add_part(bench, 4, ".return_sites", RETURNS, false);
    add_part(bench, 5, ".retpoline_sites", RETPOLINES, false);
    bench->image = (struct altpick_image){.path = "bench", .is_64 = true, .code_is_64 = true};
    bench->memory =
        (struct altpick_memory){.image = &bench->image, .parts = bench->parts, .n_parts = N_PARTS};
    assert_true(altpick_release_parse(release, &number));
    bench->kernel = (struct altpick_kernel){.engine = altpick_engine_of(number), .is_64 = true};
    bench->table.entries = bench->entries;
    memset(bench->bytes[0], 0x90, PART_BYTES);
}

static size_t put(struct bench *bench, uint64_t address, const char *hex)
{
    uint8_t *at = &bench->bytes[(address - TEXT) / PART_BYTES][(address - TEXT) % PART_BYTES];
    unsigned value;
    size_t n = 0;
    int used;

    for (; sscanf(hex, " %2x%n", &value, &used) == 1; hex += used)
        at[n++] = (uint8_t) value;
    return n;
}

/* Entry for @feature: @bytes at @site become @hex. */
static struct altpick_record *add_entry(struct bench *bench, unsigned feature, uint64_t site,
                                        unsigned bytes, const char *hex)
{
    struct altpick_record *entry = &bench->entries[bench->table.n_entries++];

    *entry = (struct altpick_record){
        .site = {.address = site},
        .replacement = {.address = CODE + bench->code_used},
        .site_bytes = (uint16_t) bytes,
        .feature = (uint16_t) feature,
    };
    entry->replacement_bytes = (uint16_t) put(bench, CODE + bench->code_used, hex);
    bench->code_used += entry->replacement_bytes;
    return entry;
}

static bool has(void *ctx, unsigned number)
{
    return ((const struct bench *) ctx)->present >> number & 1;
}

static int make(struct bench *bench, const struct altpick_rewrite *rewrites, size_t n)
{
    const struct altpick_overlay_plan plan = {&bench->kernel, has, bench, rewrites, n};

    return altpick_overlay_make(&bench->memory, &bench->table, &plan, &bench->overlay,
                                &bench->diag);
}

static void runs(struct bench *bench, uint64_t address, const char *hex)
{
    uint8_t code[64], expected[64];
    struct bench scratch;
    size_t n;

    add_part(&scratch, 0, "", TEXT, true);
    n = put(&scratch, TEXT, hex);
    memcpy(expected, scratch.bytes[0], n);
    assert_int_equal(altpick_overlay_read(&bench->overlay, address, n, code, NULL, NULL), n);
    assert_memory_equal(code, expected, n);
}

/* --- entries ------------------------------------------------------------------------------------
 */

static void a_later_entry_of_a_site_wins(void **state)
{
    struct bench *bench = *state;

    set_up(bench, "6.1");
    add_entry(bench, 1, TEXT + 16, 3, "0f01cb");
    add_entry(bench, 2, TEXT + 16, 3, "0f01ca");
    bench->present = 2;
    assert_int_equal(make(bench, NULL, 0), ALTPICK_OK);
    runs(bench, TEXT + 16, "0f01cb");
    altpick_overlay_fini(&bench->overlay);
    bench->present = 6;
    assert_int_equal(make(bench, NULL, 0), ALTPICK_OK);
    runs(bench, TEXT + 16, "0f01ca");
    assert_int_equal(bench->overlay.n_sites, 1);
    assert_int_equal(bench->overlay.sites[0].n_entries, 2);
    assert_false(bench->overlay.sites[0].has_neighbour);
}

static void an_inverted_entry_is_applied_without_its_feature(void **state)
{
    struct bench *bench = *state;

    set_up(bench, "6.1");
    add_entry(bench, 1, TEXT, 3, "0f01cb")->inverted = true;
    assert_int_equal(make(bench, NULL, 0), ALTPICK_OK);
    assert_true(bench->overlay.applied[0]);
    runs(bench, TEXT, "0f01cb 90");
}

/* With 6.12 the first entry already pads to the longest; before, it leaves what it does not know.
 */
static void entries_in_a_row_are_widened_since_6_11(void **state)
{
    struct bench *bench = *state;

    for (int is_new = 0; is_new < 2; is_new++) {
        set_up(bench, is_new ? "6.12" : "6.10");
        put(bench, TEXT, "fa fa fa fa fa");
        add_entry(bench, 1, TEXT, 3, "fb");
        add_entry(bench, 2, TEXT, 5, "f4");
        bench->present = 2;
        assert_int_equal(make(bench, NULL, 0), ALTPICK_OK);
        assert_int_equal(bench->overlay.sites[0].bytes, 5);
        runs(bench, TEXT, is_new ? "fb 0f1f4000" : "fb 6690 fa fa");
        altpick_overlay_fini(&bench->overlay);
    }
    set_up(bench, "6.1");
}

static void sites_that_overlap_are_said_and_share_their_bytes(void **state)
{
    struct bench *bench = *state;

    set_up(bench, "6.1");
    put(bench, TEXT, "fa fa fa fa fa fa fa fa");
    add_entry(bench, 1, TEXT, 6, "fb fb fb fb fb fb");
    add_entry(bench, 1, TEXT + 2, 1, "f4");
    add_entry(bench, 1, TEXT + 6, 1, "f5");
    bench->present = 2;
    assert_int_equal(make(bench, NULL, 0), ALTPICK_OK);
    runs(bench, TEXT, "fb fb f4 fb fb fb f5 fa");
    assert_int_equal(bench->overlay.n_sites, 3);
    assert_true(bench->overlay.sites[0].has_neighbour);
    assert_true(bench->overlay.sites[1].has_neighbour);
    assert_false(bench->overlay.sites[2].has_neighbour);
    assert_ptr_equal(altpick_overlay_site(&bench->overlay, TEXT + 2), &bench->overlay.sites[1]);
    assert_ptr_equal(altpick_overlay_site(&bench->overlay, TEXT + 4), &bench->overlay.sites[0]);
    assert_null(altpick_overlay_site(&bench->overlay, TEXT + 7));
}

static void a_replacement_that_was_patched_is_copied_as_patched(void **state)
{
    struct bench *bench = *state;

    set_up(bench, "6.1");
    add_entry(bench, 1, CODE + 0x100, 1, "f4");
    add_entry(bench, 1, TEXT, 2, "")->replacement_bytes = 2;
    put(bench, CODE + 0x100, "fa fb");
    bench->entries[1].replacement.address = CODE + 0x100;
    bench->present = 2;
    assert_int_equal(make(bench, NULL, 0), ALTPICK_OK);
    runs(bench, TEXT, "f4 fb 90");
}

static void a_failure_names_the_entry_and_leaves_nothing(void **state)
{
    struct bench *bench = *state;

    set_up(bench, "6.1");
    add_entry(bench, 1, TEXT, 3, "0f01cb");
    add_entry(bench, 1, TEXT + 8, 2, "0f01cb");
    bench->present = 2;
    assert_int_equal(make(bench, NULL, 0), ALTPICK_EFORMAT);
    assert_non_null(strstr(bench->diag.text, "bench: entry 1 (site 0x1008)"));
    assert_null(bench->overlay.sites);
}

static void a_site_at_the_end_of_its_section_must_fit(void **state)
{
    struct bench *bench = *state;

    set_up(bench, "6.1");
    add_entry(bench, 1, TEXT + PART_BYTES - 2, 3, "0f01cb");
    assert_int_equal(make(bench, NULL, 0), ALTPICK_EFORMAT);
}

/* --- lock prefixes ------------------------------------------------------------------------------
 */

static void lock_prefixes_of_text_are_taken_away(void **state)
{
    struct bench *bench = *state;
    uint8_t code[3], origin[3];
    uint32_t by[3];

    set_up(bench, "6.1");
    resize(bench, 3, 16);
    put(bench, TEXT + 0x10, "f0 ff 07 f0 ff 07");
    put(bench, CODE + 0x80, "f0 ff 07");
    add_entry(bench, 1, TEXT + 0x13, 3, "ff 07"); /* patched away */
    put(bench, LOCKS, "10 d0 ff ff  7c e0 ff ff  00 00 00 00  07 d0 ff ff");
    bench->present = 2;
    assert_int_equal(make(bench, NULL, 0), ALTPICK_OK);
    assert_int_equal(altpick_overlay_unlock(&bench->overlay, &bench->diag), ALTPICK_OK);
    assert_int_equal(bench->overlay.n_locks, 1);
    runs(bench, TEXT + 0x0f, "90 3e ff 07 ff 07 90");
    runs(bench, CODE + 0x80, "f0 ff 07");
    assert_int_equal(altpick_overlay_read(&bench->overlay, TEXT + 0x10, 3, code, origin, by), 3);
    assert_int_equal(origin[0], ALTPICK_FROM_LOCK);
    assert_int_equal(origin[1], ALTPICK_FROM_FILE);
}

/* --- thunks -------------------------------------------------------------------------------------
 */

/* A relative record at @at for @address. */
static void put_record(struct bench *bench, uint64_t at, uint64_t address)
{
    char hex[16];
    uint32_t value = (uint32_t) (address - at);

    snprintf(hex, sizeof hex, "%02x%02x%02x%02x", value & 0xff, value >> 8 & 0xff,
             value >> 16 & 0xff, value >> 24);
    put(bench, at, hex);
}

/* Three jumps to a thunk at TEXT + 0x100 and one elsewhere. */
static void put_returns(struct bench *bench)
{
    put(bench, TEXT + 0x10, "e9 eb 00 00 00");
    put(bench, TEXT + 0x20, "e9 db 00 00 00");
    put(bench, TEXT + 0x30, "e9 cb 00 00 00");
    put(bench, TEXT + 0x40, "e9 00 00 00 00");
    for (unsigned i = 0; i < 4; i++)
        put_record(bench, RETURNS + 4 * i, TEXT + 0x10 + 0x10 * i);
    resize(bench, 4, 16);
    resize(bench, 5, 0);
}

static int thunks(struct bench *bench, const struct altpick_thunks_plan *plan)
{
    struct altpick_rewriters rewriters = {.n_tables = 0};
    struct altpick_rewrite *rewrites = NULL;
    size_t n = 0;
    int r = altpick_rewriters_find(&bench->memory, &rewriters, &bench->diag);

    assert_int_equal(r, ALTPICK_OK);
    r = altpick_thunks_make(&bench->memory, &rewriters, &bench->kernel, plan, &rewrites, &n,
                            &bench->diag);
    assert_int_equal(r, ALTPICK_OK);
    r = make(bench, rewrites, n);
    free(rewrites);
    altpick_rewriters_fini(&rewriters);
    return r;
}

static void jumps_to_the_return_thunk_become_returns(void **state)
{
    struct bench *bench = *state;

    set_up(bench, "6.1");
    put_returns(bench);
    assert_int_equal(thunks(bench, &(struct altpick_thunks_plan){.returns = true}), ALTPICK_OK);
    runs(bench, TEXT + 0x10, "c3 cc cc cc cc 90");
    runs(bench, TEXT + 0x30, "c3 cc cc cc cc 90");
    runs(bench, TEXT + 0x40, "e9 00 00 00 00"); /* goes elsewhere: left alone */
}

static void returns_of_replacements_arrive_at_their_sites(void **state)
{
    struct bench *bench = *state;

    set_up(bench, "6.1");
    put_returns(bench);
    /* a jump in a replacement to TEXT + 0x100, too */
    add_entry(bench, 1, TEXT + 0x80, 6, "fa e9 fa f0 ff ff");
    put_record(bench, RETURNS + 12, CODE + 1);
    bench->present = 2;
    assert_int_equal(thunks(bench, &(struct altpick_thunks_plan){.returns = true}), ALTPICK_OK);
    runs(bench, TEXT + 0x80, "fa c3 cc cc cc cc");
}

/* A retpoline thunk for r11 at TEXT + 0x200 and one for rax at TEXT + 0x220; branches to them. */
static void put_retpolines(struct bench *bench)
{
    put(bench, TEXT + 0x200, "e8 01 00 00 00 cc 4c 89 1c 24 c3");
    put(bench, TEXT + 0x220, "e8 01 00 00 00 cc 48 89 04 24 c3");
    put(bench, TEXT + 0x10, "e8 0b 02 00 00");    /* call rax */
    put(bench, TEXT + 0x20, "2e e8 da 01 00 00"); /* call r11 */
    put(bench, TEXT + 0x30, "e9 eb 01 00 00");    /* jmp rax */
    put(bench, TEXT + 0x40, "0f 84 da 01 00 00"); /* je rax */
    put(bench, TEXT + 0x50, "e8 ab 01 00 00");    /* call r11, in 5 bytes */
    for (unsigned i = 0; i < 5; i++)
        put_record(bench, RETPOLINES + 4 * i, TEXT + 0x10 + 0x10 * i);
    resize(bench, 4, 0);
    resize(bench, 5, 20);
}

static void retpolines_become_indirect_branches(void **state)
{
    struct bench *bench = *state;

    set_up(bench, "6.12");
    put_retpolines(bench);
    assert_int_equal(thunks(bench, &(struct altpick_thunks_plan){.retpolines = true}), ALTPICK_OK);
    runs(bench, TEXT + 0x10, "ff d0 0f1f00");
    runs(bench, TEXT + 0x20, "41 ff d3 0f1f00");
    runs(bench, TEXT + 0x30, "ff e0 cc 6690");
    runs(bench, TEXT + 0x40, "75 04 ff e0 cc 90");
    runs(bench, TEXT + 0x50, "41 ff d3 6690");
}

static void an_lfence_goes_before_them_where_it_fits(void **state)
{
    struct bench *bench = *state;

    set_up(bench, "6.12");
    put_retpolines(bench);
    assert_int_equal(
        thunks(bench, &(struct altpick_thunks_plan){.retpolines = true, .lfence = true}),
        ALTPICK_OK);
    runs(bench, TEXT + 0x10, "0f ae e8 ff d0");
    runs(bench, TEXT + 0x20, "0f ae e8 41 ff d3");
    runs(bench, TEXT + 0x30, "0f ae e8 ff e0");
    runs(bench, TEXT + 0x40, "0f 84 da 01 00 00"); /* does not fit */
    runs(bench, TEXT + 0x50, "e8 ab 01 00 00");
}

static void a_lone_return_is_nop_func(void **state)
{
    struct bench *bench = *state;
    struct altpick_rewriters rewriters = {.n_tables = 0};
    uint64_t address = 0;

    set_up(bench, "6.12");
    put_returns(bench);
    assert_int_equal(altpick_rewriters_find(&bench->memory, &rewriters, &bench->diag), ALTPICK_OK);
    /* slots: a function with a body, and ENDBR with a jump to the thunk */
    put(bench, DATA, "00 13 00 00 00 00 00 00  10 13 00 00 00 00 00 00");
    put(bench, TEXT + 0x300, "31 c0 c3");
    put(bench, TEXT + 0x310, "f3 0f 1e fa e9 e7 fd ff ff");
    put(bench, TEXT + 0x80, "ff 15 7a 1f 00 00");
    put(bench, TEXT + 0x90, "ff 15 72 1f 00 00");
    add_entry(bench, 1, TEXT + 0x80, 6, "e8 00 00 00 00")->direct_call = true;
    add_entry(bench, 1, TEXT + 0x90, 6, "e8 00 00 00 00")->direct_call = true;
    assert_true(altpick_nop_func_find(&bench->memory, &bench->table, &rewriters, &address));
    assert_int_equal(address, TEXT + 0x310);
    put(bench, TEXT + 0x300, "c3 90 90"); /* now there are two */
    assert_false(altpick_nop_func_find(&bench->memory, &bench->table, &rewriters, &address));
    altpick_rewriters_fini(&rewriters);
}

/* --- tables that are only found -----------------------------------------------------------------
 */

static void a_table_without_a_section_is_found_by_its_shape(void **state)
{
    struct bench *bench = *state;
    struct altpick_rewriters rewriters = {.n_tables = 0};
    const struct altpick_rewriter_table *table;
    const struct altpick_rewriter_mark *mark;

    set_up(bench, "6.1");
    for (size_t i = 3; i < N_PARTS; i++)
        resize(bench, i, 0);
    for (unsigned i = 0; i < 20; i++) { /* jump labels: code, target, key */
        uint64_t at = DATA + 0x40 + 16 * i;

        put_record(bench, at, TEXT + 8 * i);
        put_record(bench, at + 4, TEXT + 0x200);
        put_record(bench, at + 8, DATA + 0x801); /* low bits of keys are flags */
    }
    assert_int_equal(altpick_rewriters_find(&bench->memory, &rewriters, &bench->diag), ALTPICK_OK);
    table = altpick_rewriters_table(&rewriters, ALTPICK_REWRITER_JUMP_LABELS);
    assert_non_null(table);
    assert_true(table->by_shape);
    assert_int_equal(table->n_records, 20);
    assert_int_equal(table->address, DATA + 0x40);
    mark = altpick_rewriters_at(&rewriters, TEXT + 5, 4);
    assert_non_null(mark);
    assert_int_equal(mark->address, TEXT + 8);
    assert_null(altpick_rewriters_at(&rewriters, TEXT + 9, 4));
    altpick_rewriters_fini(&rewriters);
}

static void a_table_that_is_no_whole_number_of_records_is_refused(void **state)
{
    struct bench *bench = *state;
    struct altpick_rewriters rewriters = {.n_tables = 0};

    set_up(bench, "6.1");
    resize(bench, 4, 6);
    assert_int_equal(altpick_rewriters_find(&bench->memory, &rewriters, &bench->diag),
                     ALTPICK_EFORMAT);
    assert_non_null(strstr(bench->diag.text, ".return_sites"));
}

static int start(void **state)
{
    *state = calloc(1, sizeof(struct bench));
    return *state ? 0 : -1;
}

static int finish(void **state)
{
    struct bench *bench = *state;

    altpick_overlay_fini(&bench->overlay);
    free(bench);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, finish)

ALTPICK_TEST_MAIN(TEST(a_later_entry_of_a_site_wins),
                  TEST(an_inverted_entry_is_applied_without_its_feature),
                  TEST(entries_in_a_row_are_widened_since_6_11),
                  TEST(sites_that_overlap_are_said_and_share_their_bytes),
                  TEST(a_replacement_that_was_patched_is_copied_as_patched),
                  TEST(a_failure_names_the_entry_and_leaves_nothing),
                  TEST(a_site_at_the_end_of_its_section_must_fit),
                  TEST(lock_prefixes_of_text_are_taken_away),
                  TEST(jumps_to_the_return_thunk_become_returns),
                  TEST(returns_of_replacements_arrive_at_their_sites),
                  TEST(retpolines_become_indirect_branches),
                  TEST(an_lfence_goes_before_them_where_it_fits), TEST(a_lone_return_is_nop_func),
                  TEST(a_table_without_a_section_is_found_by_its_shape),
                  TEST(a_table_that_is_no_whole_number_of_records_is_refused))
