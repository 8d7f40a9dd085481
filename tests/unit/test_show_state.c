/* SPDX-License-Identifier: MIT */
/* What show and why print of questions about state, of a committed profile, against golden text. */
#include "choices.h"
#include "golden.h"
#include "profile_read.h"
#include "show.h"
#include "test.h"
#include "why.h"

#include <string.h>

struct shown {
    struct altpick_profile profile;
    struct altpick_policy policy;
    struct altpick_choices choices;
    struct altpick_text text;
    struct altpick_out out;
};

static struct shown shown;

static void decide_for(enum altpick_target target)
{
    struct altpick_diag diag;

    altpick_choices_fini(&shown.choices);
    shown.policy.target = target;
    assert_int_equal(
        altpick_choices_make(&shown.profile.machines[0], &shown.policy, &shown.choices, &diag),
        ALTPICK_OK);
}

static int set_up(void **state)
{
    struct altpick_diag diag;

    (void) state;
    memset(&shown, 0, sizeof shown);
    if (altpick_profile_read(GOLDEN("state-profile.json"), &shown.profile, &diag) != ALTPICK_OK)
        fail_msg("%s", diag.text);
    altpick_policy_init(&shown.policy);
    altpick_text_init(&shown.text, &shown.out);
    decide_for(ALTPICK_TARGET_THIS_CPU);
    return 0;
}

static int tear_down(void **state)
{
    (void) state;
    altpick_choices_fini(&shown.choices);
    altpick_profile_fini(&shown.profile);
    altpick_text_fini(&shown.text);
    return 0;
}

static void show_prints_states_and_what_follows_from_them(void **state)
{
    (void) state;
    altpick_show_text(&shown.choices, false, &shown.out);
    assert_int_equal(shown.out.err, 0);
    assert_pastes_into_mail(&shown.text);
    assert_golden(&shown.text, GOLDEN("show-state.txt"));
}

/* One question of them, that the file stays readable. */
static void show_prints_them_as_json(void **state)
{
    struct altpick_machine machine = shown.profile.machines[0];
    struct altpick_choices choices = {
        .machine = &machine, .policy = &shown.policy, .n_questions = 1};
    struct altpick_json json;
    (void) state;

    for (size_t i = 0; i < machine.n_results; i++) {
        if (strcmp(shown.choices.questions[i].question->name, "fpu.switch") == 0) {
            choices.questions = &shown.choices.questions[i];
            machine.results = &shown.profile.machines[0].results[i];
        }
    }
    machine.n_results = 1;
    altpick_json_init(&json, &shown.out);
    altpick_show_json(&choices, &json);
    assert_int_equal(altpick_json_finish(&json), 0);
    assert_golden(&shown.text, GOLDEN("show-state.json"));
}

static void why(const char *question, const char *item)
{
    const struct altpick_decisions *decisions = altpick_choices_find(&shown.choices, question);

    assert_non_null(decisions);
    altpick_why_item(decisions, altpick_decision_find(decisions, item), &shown.policy, &shown.out);
    altpick_printf(&shown.out, "\n");
}

static void why_names_the_rule_that_decided(void **state)
{
    (void) state;
    why("fpu.init", "fpu.init.body");
    why("kernel-fpu.begin", "kernel-fpu.begin.sse-32");
    why("xstate.save", "xstate.save.all");
    why("fpu.switch", "fpu.switch.policy");
    decide_for(ALTPICK_TARGET_ANY_X86_64);
    why("fpu.init", "fpu.init.body");
    assert_int_equal(shown.out.err, 0);
    assert_pastes_into_mail(&shown.text);
    assert_golden(&shown.text, GOLDEN("why-state.txt"));
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

ALTPICK_TEST_MAIN(TEST(show_prints_states_and_what_follows_from_them),
                  TEST(show_prints_them_as_json), TEST(why_names_the_rule_that_decided))
