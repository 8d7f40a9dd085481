/* SPDX-License-Identifier: MIT */
/* Claims of the 2015 thread about lazy switching of the FPU: true, false and untestable. */
#include "made_up.h"

static const char switching[] = "fpu.switch", saving[] = "xstate.save";
static struct made_up here;

static struct altpick_finding test_claim(const char *id)
{
    return made_up_test(&here, "lazy-fpu-2015", id);
}

static void verdict_is(const char *id, enum altpick_claim_verdict verdict)
{
    assert_int_equal(test_claim(id).verdict, verdict);
}

static void privileged_terms_hold_within_a_tenth(void **state)
{
    static const struct {
        const char *id, *candidate;
        double holds, fails;
    } terms[] = {
        {"cr0-read-4",    "cr0-read",  4.3,  5  },
        {"cr0-write-208", "cr0-write", 190,  100},
        {"nm-1156",       "nm",        1200, 900},
    };
    (void) state;

    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
        made_up_init(&here);
        verdict_is(terms[i].id, ALTPICK_CLAIM_UNTESTABLE);
        assert_non_null(strstr(test_claim(terms[i].id).text, "ring 3 cannot execute it"));
        here.machine.ring = 0;
        assert_non_null(strstr(test_claim(terms[i].id).text, "no figure"));
        made_up_cost(&here, switching, terms[i].candidate, ALTPICK_WARM, terms[i].holds);
        verdict_is(terms[i].id, ALTPICK_CLAIM_TRUE);
        made_up_cost(&here, switching, terms[i].candidate, ALTPICK_WARM, terms[i].fails);
        verdict_is(terms[i].id, ALTPICK_CLAIM_FALSE);
    }
}

static void add(const char *candidate, enum altpick_condition condition, double less, double dirty)
{
    made_up_cost(&here, saving, candidate, condition, less);
    made_up_cost(&here, saving, candidate, ALTPICK_DIRTY, dirty);
}

static void saves_are_compared_with_dirty_ones_instruction_by_instruction(void **state)
{
    static const struct {
        const char *id;
        enum altpick_condition condition;
    } claims[] = {
        {"vzeroall-helps",        ALTPICK_ZEROED    },
        {"init-optimisation",     ALTPICK_INIT      },
        {"modified-optimisation", ALTPICK_UNMODIFIED},
    };
    (void) state;

    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        made_up_init(&here);
        verdict_is(claims[i].id, ALTPICK_CLAIM_UNTESTABLE);
        add("xsave.avx", claims[i].condition, 100, 80); /* XSAVE writes everything anyway */
        verdict_is(claims[i].id, ALTPICK_CLAIM_UNTESTABLE);
        add("xsaveopt.x87-sse", claims[i].condition, 70, 72);
        verdict_is(claims[i].id, ALTPICK_CLAIM_FALSE);
        add("xsaveopt.avx", claims[i].condition, 70, 84);
        verdict_is(claims[i].id, ALTPICK_CLAIM_TRUE);
        assert_non_null(strstr(test_claim(claims[i].id).text, "xsaveopt.avx 70/84"));
        add("xsaveopt.all", claims[i].condition, 100, 84);
        verdict_is(claims[i].id, ALTPICK_CLAIM_FALSE);
    }
}

static void xsavec_does_not_know_what_was_modified(void **state)
{
    (void) state;
    made_up_init(&here);
    add("xsavec.avx", ALTPICK_UNMODIFIED, 70, 84);
    verdict_is("modified-optimisation", ALTPICK_CLAIM_UNTESTABLE);
}

/* Saves and restores, warm with every component in use and with none. */
static void add_switch_terms(void)
{
    made_up_init(&here);
    made_up_cost(&here, switching, "xsaveopt", ALTPICK_WARM, 110);
    made_up_cost(&here, switching, "xsaveopt", ALTPICK_INIT, 80);
    made_up_cost(&here, switching, "xrstor", ALTPICK_WARM, 120);
    made_up_cost(&here, switching, "xrstor", ALTPICK_INIT, 100);
}

static void add_lazy_terms(double cr0_write, double nm)
{
    made_up_cost(&here, switching, "cr0-read", ALTPICK_WARM, 4);
    made_up_cost(&here, switching, "cr0-write", ALTPICK_WARM, cr0_write);
    made_up_cost(&here, switching, "clts", ALTPICK_WARM, 5);
    made_up_cost(&here, switching, "nm", ALTPICK_WARM, nm);
}

static void eager_wins_or_loses_by_measured_terms_only(void **state)
{
    (void) state;
    made_up_init(&here);
    verdict_is("eager-wins", ALTPICK_CLAIM_UNTESTABLE);
    add_switch_terms();
    verdict_is("eager-wins", ALTPICK_CLAIM_UNTESTABLE);
    assert_non_null(strstr(test_claim("eager-wins").text, "estimated"));
    assert_int_equal(test_claim("eager-wins").excess_ppm, 0);
    add_lazy_terms(208, 1156);
    verdict_is("eager-wins", ALTPICK_CLAIM_TRUE);
    add_lazy_terms(5, 10);
    verdict_is("eager-wins", ALTPICK_CLAIM_FALSE);
}

static void no_profile_holds_a_whole_switch(void **state)
{
    (void) state;
    made_up_init(&here);
    verdict_is("integer-5-10", ALTPICK_CLAIM_UNTESTABLE);
    add_switch_terms();
    verdict_is("integer-5-10", ALTPICK_CLAIM_UNTESTABLE);
    assert_non_null(strstr(test_claim("integer-5-10").text, "one of 1800 to 3600 cycles"));
}

ALTPICK_TEST_MAIN(cmocka_unit_test(privileged_terms_hold_within_a_tenth),
                  cmocka_unit_test(saves_are_compared_with_dirty_ones_instruction_by_instruction),
                  cmocka_unit_test(xsavec_does_not_know_what_was_modified),
                  cmocka_unit_test(eager_wins_or_loses_by_measured_terms_only),
                  cmocka_unit_test(no_profile_holds_a_whole_switch))
