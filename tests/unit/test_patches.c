/* SPDX-License-Identifier: MIT */
/* From an output to the table that is applied to sites, with and without a decoder. */
#include "altpick/err.h"
#include "altpick/patches.h"
#include "altpick/policy.h"
#include "elf/fixup.h"
#include "patch_sample.h"

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

/* Whether @output gets what saves by candidate @name. */
static bool take_save(const char *name)
{
    const struct altpick_question *question = altpick_question_find("xstate.save");
    static struct altpick_candidate all[ALTPICK_CANDIDATES_MAX];
    static struct altpick_decisions decisions;
    static struct altpick_measurement measured;
    struct altpick_decision *d = &decisions.decision[0];
    size_t n = question->candidates(question, all), i = 0;
    struct altpick_policy policy;

    while (i < n && strcmp(all[i].name, name) != 0)
        i++;
    assert_true(i < n);
    altpick_policy_init(&policy);
    memset(&decisions, 0, sizeof decisions);
    decisions.question = question;
    decisions.n_decisions = 1;
    strcpy(d->contest.item, "xstate.save.all");
    measured.candidate = all[i];
    altpick_contest_add(&d->contest, name, &measured);
    return altpick_output_take(NULL, &policy, &decisions, &output) == ALTPICK_OK;
}

/* All pairs of a save and a restore, none of which is a candidate with a look of its own. */
static void no_decoder_is_needed_for_any_save_and_restore(void **state)
{
    static const char *const names[] = {"xsave.all", "xsaveopt.all", "xsavec.all", "xsaves.all"};
    (void) state;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_true(take_save(names[i]));
        assert_int_equal(altpick_patches_build(&output, altpick_fixups_find, &with), ALTPICK_OK);
        assert_int_equal(altpick_patches_build(&output, NULL, &without), ALTPICK_OK);
        assert_memory_equal(&with, &without, sizeof with);
    }
}

/* What a mask of 32 bits leaves out keeps both from being put in, and never one alone. */
static void a_save_that_leaves_a_component_out_is_not_applied(void **state)
{
    static struct sample s;
    static const struct {
        uint64_t xcr0;
        bool is_applied;
    } cases[] = {
        {0x207,                   true },
        {0xe7,                    true },
        {0x602e7,                 true },
        {0x7 | UINT64_C(1) << 31, false},
        {0x7 | UINT64_C(1) << 62, false},
    };
    (void) state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned fate = cases[i].is_applied ? ALTPICK_PATCH_APPLIED : ALTPICK_PATCH_LACKING;

        sample_init(&s);
        take_save("xsave.all");
        assert_int_equal(altpick_patches_build(&output, NULL, &s.patches), ALTPICK_OK);
        s.patcher.table_bytes = s.patches.bytes;
        sample_site(&s, "xstate.save", 32, 0);
        sample_site(&s, "xstate.restore", 32, 0);
        s.cpu.xcr0 = cases[i].xcr0;
        assert_int_equal(sample_apply(&s), 0);
        assert_int_equal(s.result.n[fate], 2);
    }
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

ALTPICK_TEST_MAIN(CASE(no_decoder_is_needed_for_built_in_code),
                  CASE(no_decoder_is_needed_for_any_save_and_restore),
                  CASE(a_save_that_leaves_a_component_out_is_not_applied),
                  CASE(the_runtime_takes_it),
                  CASE(what_refers_to_something_outside_of_the_table_is_refused),
                  CASE(what_refers_to_the_table_is_moved_with_it))
