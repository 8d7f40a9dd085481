/* SPDX-License-Identifier: MIT */
/* From an output to the table that is applied to sites, with and without a decoder. */
#include "altpick/err.h"
#include "altpick/patches.h"
#include "elf/fixup.h"
#include "patch.h"
#include "test.h"

#include <string.h>

static struct altpick_output output;
static struct altpick_patches with, without;

static int prepare(void **state)
{
    (void) state;
    altpick_output_default(0, &output);
    memset(&with, 0xa5, sizeof with);
    memset(&without, 0x5a, sizeof without);
    return 0;
}

static void no_decoder_is_needed_for_built_in_code(void **state)
{
    (void) state;
    assert_int_equal(altpick_patches_build(&output, altpick_fixups_find, &with), ALTPICK_OK);
    assert_int_equal(altpick_patches_build(&output, NULL, &without), ALTPICK_OK);
    assert_memory_equal(&with, &without, sizeof with);
}

static void the_runtime_takes_it(void **state)
{
    static const struct altpick_patch_site none;
    struct altpick_patcher patcher = {
        .table = (const void *) without.data, .sites = &none, .sites_end = &none, .names = ""};
    struct altpick_patch_result result;
    (void) state;

    assert_int_equal(altpick_patches_build(&output, NULL, &without), ALTPICK_OK);
    patcher.table_bytes = without.bytes;
    assert_int_equal(altpick_patch_apply(&patcher, &result), 0);
    patcher.table_bytes = without.bytes - 1;
    assert_int_equal(altpick_patch_apply(&patcher, &result), ALTPICK_PATCH_EWRONG);
}

static void what_refers_to_something_outside_of_the_table_is_refused(void **state)
{
    struct altpick_body *body = &output.bodies.fpu_init;
    (void) state;

    memcpy(body->code, "\xe8\0\0\0\x7f", 5); /* call */
    body->bytes = 5;
    assert_int_equal(altpick_patches_build(&output, altpick_fixups_find, &with), ALTPICK_ENOFIT);
    assert_int_not_equal(with.data[0], 'a'); /* no table */
    body->bytes = 4;                         /* no instruction */
    assert_int_equal(altpick_patches_build(&output, altpick_fixups_find, &with), ALTPICK_EFORMAT);
    assert_int_not_equal(with.data[0], 'a');
}

static void what_refers_to_the_table_is_moved_with_it(void **state)
{
    struct altpick_body *body = &output.bodies.fpu_init;
    const struct altpick_patch_table *table = (const void *) with.data;
    const struct altpick_patch_entry *entry = (const void *) (with.data + sizeof *table);
    const struct altpick_patch_fixup *fixup;
    (void) state;

    memcpy(body->code, "\x90\xe8\xf0\xff\xff\xff", 6); /* call: the start of its own data */
    body->bytes = 6;
    assert_int_equal(altpick_patches_build(&output, altpick_fixups_find, &with), ALTPICK_OK);
    while (strcmp((const char *) with.data + entry->name, "fpu.init.body") != 0)
        entry++;
    assert_int_equal(entry->n_fixups, 1);
    fixup = (const void *) (with.data + entry->fixups);
    assert_int_equal(fixup->at, 2);
    assert_int_equal(fixup->bytes, 4);
    assert_int_equal(fixup->end, 6);
}

#define CASE(name) cmocka_unit_test_setup(name, prepare)

ALTPICK_TEST_MAIN(CASE(no_decoder_is_needed_for_built_in_code), CASE(the_runtime_takes_it),
                  CASE(what_refers_to_something_outside_of_the_table_is_refused),
                  CASE(what_refers_to_the_table_is_moved_with_it))
