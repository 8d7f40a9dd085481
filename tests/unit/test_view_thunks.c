/* SPDX-License-Identifier: MIT */
/* What the features say of returns and indirect branches, and when they say nothing. */
#include "elf/view.h"

#include "test.h"

#include <string.h>

enum {
    RETPOLINE = 11 * 32 + 12,
    LFENCE = 11 * 32 + 13,
    RETHUNK = 11 * 32 + 14,
    CALL_DEPTH = 11 * 32 + 19,
};

/* What is known of an empty kernel of @release on a CPU with these features (0: none more). */
static struct altpick_running run(const char *release, bool is_partial, unsigned a, unsigned b)
{
    struct altpick_view view = {.kernel = {.is_64 = true}};
    struct altpick_features features = {.is_partial = is_partial};
    struct altpick_running running = {.is_up = false};
    struct altpick_diag diag;
    uint16_t number = 0;

    strcpy(view.release, release);
    assert_true(altpick_release_parse(release, &number));
    view.kernel.engine = altpick_engine_of(number);
    view.image.code_is_64 = true;
    view.memory.image = &view.image;
    if (a)
        altpick_features_set(&features, a, true);
    if (b)
        altpick_features_set(&features, b, true);
    assert_int_equal(altpick_view_run(&view, &features, NULL, false, &running, &diag), ALTPICK_OK);
    altpick_overlay_fini(&running.overlay);
    return running;
}

static void without_features_there_are_no_thunks(void **state)
{
    struct altpick_running running = run("6.1.0-57-amd64", false, 0, 0);

    (void) state;
    assert_true(running.returns_are_known && running.plan.returns);
    assert_true(running.retpolines_are_known && running.plan.retpolines);
    assert_false(running.plan.lfence || running.calls_are_counted);
}

static void which_return_thunk_is_not_known(void **state)
{
    (void) state;
    assert_false(run("6.12.0", false, RETHUNK, 0).returns_are_known);
    assert_false(run("6.12.0", false, RETHUNK, 0).plan.returns);
}

static void retpolines_stay_unless_calls_are_counted(void **state)
{
    struct altpick_running kept = run("6.12.0", false, RETPOLINE, 0);

    (void) state;
    assert_true(kept.retpolines_are_known && !kept.plan.retpolines);
    assert_false(run("6.12.0", false, RETPOLINE, CALL_DEPTH).retpolines_are_known);
    assert_true(run("6.1.0", false, RETPOLINE, CALL_DEPTH).retpolines_are_known);
    assert_true(run("6.12.0", false, RETPOLINE, LFENCE).plan.lfence);
}

/* Linux then sends the branches of one half of each cache line elsewhere. */
static void thunks_against_its_are_not_known(void **state)
{
    static const struct {
        const char *release;
        unsigned number;
    } its[] = {
        {"6.1.0-57-amd64", 21 * 32 + 5 },
        {"6.12.117",       21 * 32 + 6 },
        {"6.15.0",         21 * 32 + 10}
    };

    (void) state;
    for (size_t i = 0; i < sizeof its / sizeof *its; i++) {
        struct altpick_running without = run(its[i].release, false, its[i].number, 0);

        assert_false(without.retpolines_are_known || without.plan.retpolines);
        assert_false(run(its[i].release, false, its[i].number, LFENCE).plan.retpolines);
        /* With retpolines they change nothing. */
        assert_true(run(its[i].release, false, its[i].number, RETPOLINE).retpolines_are_known);
    }
    assert_true(run("6.12.117", false, 21 * 32 + 5, 0).retpolines_are_known);
}

static void what_nobody_told_is_not_known(void **state)
{
    struct altpick_running running = run("6.12.0", true, RETPOLINE, 0);

    (void) state;
    assert_false(running.returns_are_known || running.retpolines_are_known);
    assert_false(running.plan.returns || running.plan.retpolines);
}

static void before_5_19_these_numbers_meant_something_else(void **state)
{
    struct altpick_running running = run("5.15.0", false, 0, 0);

    (void) state;
    assert_false(running.returns_are_known || running.retpolines_are_known);
}

ALTPICK_TEST_MAIN(cmocka_unit_test(without_features_there_are_no_thunks),
                  cmocka_unit_test(which_return_thunk_is_not_known),
                  cmocka_unit_test(retpolines_stay_unless_calls_are_counted),
                  cmocka_unit_test(thunks_against_its_are_not_known),
                  cmocka_unit_test(what_nobody_told_is_not_known),
                  cmocka_unit_test(before_5_19_these_numbers_meant_something_else))
