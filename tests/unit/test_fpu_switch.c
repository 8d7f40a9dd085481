/* SPDX-License-Identifier: MIT */
/* fpu.switch on figures made up for it: sums of terms, and who may win by them. */
#include "state_sample.h"

#include <stdio.h>

enum {
    SAVE_INIT = 120,
    SAVE = 190,
    RESTORE_INIT = 40,
    RESTORE = 60,
    CR0 = 10,
    CLTS = 30,
    NM = 500
};

static const char *const kinds[] = {"int-int", "int-fpu", "fpu-int", "fpu-fpu"};

static struct state_sample s;

static void set_term(const char *name, enum altpick_condition condition, uint32_t cycles)
{
    sample_cost(&s, name, condition, cycles * 1000);
}

/* Saves and restores, warm and ten times as dear cold. */
static int set_up(void **state)
{
    (void) state;
    sample_init(&s, "fpu.switch");
    s.result.components |= 1u << ALTPICK_COMPONENT_YMM;
    set_term("xsaveopt", ALTPICK_INIT, SAVE_INIT);
    set_term("xsaveopt", ALTPICK_WARM, SAVE + 5);
    set_term("xsave", ALTPICK_INIT, SAVE);
    set_term("xsave", ALTPICK_WARM, SAVE);
    set_term("xrstor", ALTPICK_INIT, RESTORE_INIT);
    set_term("xrstor", ALTPICK_WARM, RESTORE);
    set_term("fxsave", ALTPICK_INIT, 1);
    set_term("fxsave", ALTPICK_WARM, 1);
    set_term("xsave", ALTPICK_COLD_INIT, 10 * SAVE_INIT);
    set_term("xsave", ALTPICK_COLD_DATA, 10 * SAVE);
    set_term("xrstor", ALTPICK_COLD_INIT, 10 * RESTORE_INIT);
    set_term("xrstor", ALTPICK_COLD_DATA, 10 * RESTORE);
    return 0;
}

/* As a probe in ring 0 would find them. */
static void set_ring0_terms(void)
{
    set_term("cr0-read", ALTPICK_WARM, CR0);
    set_term("cr0-write", ALTPICK_WARM, CR0);
    set_term("clts", ALTPICK_WARM, CLTS);
    set_term("nm", ALTPICK_WARM, NM);
}

static const struct altpick_cost *cost_of(const char *kind, const char *policy,
                                          enum altpick_condition condition)
{
    const struct altpick_decision *d;
    char item[64];

    snprintf(item, sizeof item, "fpu.switch.%s", kind);
    d = sample_decide(&s, item);
    for (size_t i = 0; i < d->contest.n_entries; i++) {
        if (strcmp(d->contest.entries[i].name, policy) == 0)
            return &d->contest.entries[i].cost[condition];
    }
    fail_msg("no policy %s", policy);
    return NULL;
}

static void assert_cost(const char *kind, const char *policy, uint32_t warm, uint32_t cold,
                        enum altpick_status status)
{
    const struct altpick_cost *cost = cost_of(kind, policy, ALTPICK_WARM);

    assert_int_equal(cost->status, status);
    assert_int_equal(cost->cycles_micro, warm * MICRO);
    assert_true(cost->low_micro <= cost->cycles_micro && cost->cycles_micro <= cost->high_micro);
    assert_int_equal(cost_of(kind, policy, ALTPICK_COLD_DATA)->cycles_micro, cold * MICRO);
}

#define MEASURED  ALTPICK_STATUS_MEASURED
#define ESTIMATED ALTPICK_STATUS_ESTIMATED

/* The cheapest save counts, but not FXSAVE where there is more than x87 and SSE. */
static void eager_switching_is_a_save_and_a_restore(void **state)
{
    (void) state;
    assert_cost("int-int", "eager-only", SAVE_INIT + RESTORE_INIT, 10 * (SAVE_INIT + RESTORE_INIT),
                MEASURED);
    assert_cost("int-fpu", "eager-only", SAVE_INIT + RESTORE, 10 * (SAVE_INIT + RESTORE), MEASURED);
    assert_cost("fpu-int", "eager-only", SAVE + RESTORE_INIT, 10 * (SAVE + RESTORE_INIT), MEASURED);
    assert_cost("fpu-fpu", "eager-only", SAVE + RESTORE, 10 * (SAVE + RESTORE), MEASURED);
    assert_cost("fpu-fpu", "eager-deferred", SAVE + RESTORE, 10 * (SAVE + RESTORE), MEASURED);
}

static void fxsave_does_where_there_is_nothing_else(void **state)
{
    (void) state;
    set_term("fxrstor", ALTPICK_WARM, 2);
    assert_cost("fpu-fpu", "eager-only", SAVE + RESTORE, 10 * (SAVE + RESTORE), MEASURED);
    s.result.components &= ~(1u << ALTPICK_COMPONENT_YMM);
    assert_cost("fpu-fpu", "eager-only", 1 + 2, 10 * (SAVE + RESTORE), MEASURED);
}

/* XRSTORS reads nothing but what XSAVES wrote, so that a cheap one of them alone is no gain. */
static void saves_are_paired_with_the_restores_of_their_format(void **state)
{
    (void) state;
    set_term("xsaves", ALTPICK_WARM, 1);
    assert_cost("fpu-fpu", "eager-only", SAVE + RESTORE, 10 * (SAVE + RESTORE), MEASURED);
    set_term("xrstors", ALTPICK_WARM, SAVE + RESTORE);
    assert_cost("fpu-fpu", "eager-only", SAVE + RESTORE, 10 * (SAVE + RESTORE), MEASURED);
    set_term("xrstors", ALTPICK_WARM, RESTORE);
    assert_cost("fpu-fpu", "eager-only", 1 + RESTORE, 10 * (SAVE + RESTORE), MEASURED);
}

/* CR0: read 4, write 208; #NM 1156; CLTS nothing. */
static void what_only_ring_0_can_time_is_estimated(void **state)
{
    (void) state;
    assert_cost("int-int", "lazy", 0, 0, MEASURED);
    assert_cost("int-fpu", "lazy", 1156 + RESTORE, 1156 + 10 * RESTORE, ESTIMATED);
    assert_cost("fpu-int", "lazy", SAVE + 212, 10 * SAVE + 212, ESTIMATED);
    assert_cost("fpu-fpu", "lazy", SAVE + 212 + 1156 + RESTORE, 10 * (SAVE + RESTORE) + 212 + 1156,
                ESTIMATED);
    assert_cost("int-fpu", "mixed", RESTORE, 10 * RESTORE, ESTIMATED);
    assert_cost("fpu-int", "mixed", SAVE + 212, 10 * SAVE + 212, ESTIMATED);
    assert_cost("fpu-fpu", "mixed", SAVE + RESTORE, 10 * (SAVE + RESTORE), MEASURED);
}

static void what_ring_0_has_timed_is_measured(void **state)
{
    (void) state;
    set_ring0_terms();
    assert_cost("int-fpu", "lazy", NM + CLTS + RESTORE, NM + CLTS + 10 * RESTORE, MEASURED);
    assert_cost("fpu-fpu", "lazy", SAVE + 2 * CR0 + NM + CLTS + RESTORE,
                10 * (SAVE + RESTORE) + 2 * CR0 + NM + CLTS, MEASURED);
    assert_cost("fpu-int", "mixed", SAVE + 2 * CR0, 10 * SAVE + 2 * CR0, MEASURED);
}

/* A figure of somebody else in a sum makes it an estimate. */
static void one_published_term_makes_an_estimate(void **state)
{
    (void) state;
    set_ring0_terms();
    sample_find(&s, "nm")->cost[ALTPICK_WARM].status = ALTPICK_STATUS_PUBLISHED;
    assert_cost("fpu-fpu", "lazy", SAVE + 2 * CR0 + NM + CLTS + RESTORE,
                10 * (SAVE + RESTORE) + 2 * CR0 + NM + CLTS, ESTIMATED);
}

static void without_a_save_there_is_no_sum(void **state)
{
    (void) state;
    for (size_t i = 0; i < s.result.n_candidates; i++)
        s.candidates[i].cost[ALTPICK_INIT].status = ALTPICK_STATUS_UNMEASURED;
    assert_int_equal(cost_of("int-int", "eager-only", ALTPICK_WARM)->status,
                     ALTPICK_STATUS_UNMEASURED);
    assert_int_equal(cost_of("policy", "eager-only", ALTPICK_WARM)->status,
                     ALTPICK_STATUS_UNMEASURED);
    assert_int_equal(cost_of("policy", "eager-only", ALTPICK_WARM)->cycles_micro, 0);
    assert_int_equal(cost_of("policy", "lazy", ALTPICK_WARM)->status, ESTIMATED);
}

static void assert_all_won_by(const char *policy, enum altpick_verdict verdict)
{
    char item[64];

    assert_winner(&s, "fpu.switch.policy", policy, verdict);
    for (size_t k = 0; k < 4; k++) {
        snprintf(item, sizeof item, "fpu.switch.%s", kinds[k]);
        assert_winner(&s, item, policy, verdict);
    }
}

/* Saves a thousand times as dear, with and without leave to leak. */
static void estimates_never_replace_eager_switching(void **state)
{
    (void) state;
    for (unsigned allow = 0; allow < 2; allow++) {
        set_up(NULL);
        s.policy.allow_lazy = allow;
        assert_all_won_by("eager-only", ALTPICK_VERDICT_PINNED);
        set_term("xsave", ALTPICK_INIT, 1000 * SAVE);
        set_term("xsaveopt", ALTPICK_INIT, 1000 * SAVE);
        set_term("xrstor", ALTPICK_INIT, 1000 * SAVE);
        set_term("xrstor", ALTPICK_COLD_INIT, 1000 * SAVE);
        assert_all_won_by("eager-only", ALTPICK_VERDICT_PINNED);
    }
}

/* All terms but one are measured. */
static void one_missing_term_keeps_the_rule(void **state)
{
    static const char *const terms[] = {"cr0-read", "cr0-write", "clts", "nm"};
    (void) state;

    for (size_t i = 0; i < 4; i++) {
        set_up(NULL);
        set_ring0_terms();
        s.policy.allow_lazy = true;
        sample_find(&s, terms[i])->cost[ALTPICK_WARM].status = ALTPICK_STATUS_UNMEASURED;
        assert_all_won_by("eager-only", ALTPICK_VERDICT_PINNED);
    }
}

static void with_all_terms_and_leave_to_leak_the_cheapest_wins(void **state)
{
    (void) state;
    set_ring0_terms();
    s.policy.allow_lazy = true;
    assert_winner(&s, "fpu.switch.int-int", "mixed", ALTPICK_VERDICT_CLEAR);
    assert_winner(&s, "fpu.switch.int-fpu", "mixed", ALTPICK_VERDICT_CLEAR);
    assert_winner(&s, "fpu.switch.fpu-fpu", "eager-only", ALTPICK_VERDICT_TIE);
    assert_winner(&s, "fpu.switch.policy", "mixed", ALTPICK_VERDICT_CLEAR);
    set_term("clts", ALTPICK_WARM, 100000);
    set_term("cr0-write", ALTPICK_WARM, 100000);
    /* A tie with deferred restores, which are the same work. */
    assert_winner(&s, "fpu.switch.int-fpu", "eager-only", ALTPICK_VERDICT_TIE);
    assert_winner(&s, "fpu.switch.policy", "eager-only", ALTPICK_VERDICT_TIE);
}

/* A gain below the margin keeps what leaks on no CPU. */
static void a_small_gain_keeps_eager_switching(void **state)
{
    (void) state;
    set_ring0_terms();
    s.policy.allow_lazy = true;
    s.policy.tie_margin_permille = 500;
    assert_winner(&s, "fpu.switch.fpu-int", "eager-only", ALTPICK_VERDICT_TIE);
    assert_winner(&s, "fpu.switch.int-int", "mixed", ALTPICK_VERDICT_CLEAR);
}

static void without_leave_to_leak_lazy_switching_is_out(void **state)
{
    (void) state;
    set_ring0_terms();
    assert_winner(&s, "fpu.switch.policy", "eager-only", ALTPICK_VERDICT_TIE);
    assert_string_equal(why_out(&s, "fpu.switch.policy", "lazy"), "lacks no-lazy-leak");
    assert_string_equal(why_out(&s, "fpu.switch.policy", "mixed"), "lacks no-lazy-leak");
    assert_null(why_out(&s, "fpu.switch.policy", "eager-deferred"));
    strcpy(s.policy.pins[0].item, "fpu.switch.policy");
    strcpy(s.policy.pins[0].candidate, "lazy");
    s.policy.n_pins = 1;
    assert_winner(&s, "fpu.switch.policy", "eager-only", ALTPICK_VERDICT_TIE);
}

static void assert_share(const char *policy, size_t column, uint64_t milli,
                         enum altpick_status status)
{
    const struct altpick_cell *cell = cell_at(&s.derived, policy, column);

    assert_int_equal(cell->unit, ALTPICK_UNIT_CYCLES);
    assert_int_equal(cell->status, status);
    assert_int_equal(cell->value, milli * 1000);
}

/* At a quarter: 9/16 int-int, 3/16 each of the mixed kinds, 1/16 fpu-fpu. */
static void shares_weigh_the_kinds_of_switches(void **state)
{
    const uint32_t quarter = (9 * (SAVE_INIT + RESTORE_INIT) + 3 * (SAVE_INIT + RESTORE) +
                              3 * (SAVE + RESTORE_INIT) + SAVE + RESTORE) *
                             1000 / 16;
    (void) state;

    sample_derive(&s, 0);
    assert_int_equal(s.derived.n_rows, 4);
    assert_string_equal(s.derived.column[0], "0 %");
    assert_string_equal(s.derived.column[5], "100 %");
    assert_share("eager-only", 0, (SAVE_INIT + RESTORE_INIT) * 1000, MEASURED);
    assert_share("eager-only", 2, quarter, MEASURED);
    assert_share("eager-only", 5, (SAVE + RESTORE) * 1000, MEASURED);
    assert_share("lazy", 0, 0, MEASURED);
    assert_share("lazy", 5, (SAVE + RESTORE + 212 + 1156) * 1000, ESTIMATED);
    assert_share("mixed", 3, (RESTORE + SAVE + 212 + SAVE + RESTORE) * 250, ESTIMATED);
    assert_share("mixed", 5, (SAVE + RESTORE) * 1000, MEASURED);
    sample_derive(&s, 1);
    assert_share("eager-only", 5, 10 * (SAVE + RESTORE) * 1000, MEASURED);
    assert_share("lazy", 5, (10 * (SAVE + RESTORE) + 212 + 1156) * 1000, ESTIMATED);
    assert_false(altpick_derive_find(s.question->name)(&s.decisions, 2, &s.derived));
}

#define TEST(test) cmocka_unit_test_setup(test, set_up)

ALTPICK_TEST_MAIN(
    TEST(eager_switching_is_a_save_and_a_restore), TEST(fxsave_does_where_there_is_nothing_else),
    TEST(saves_are_paired_with_the_restores_of_their_format),
    TEST(what_only_ring_0_can_time_is_estimated), TEST(what_ring_0_has_timed_is_measured),
    TEST(one_published_term_makes_an_estimate), TEST(without_a_save_there_is_no_sum),
    TEST(estimates_never_replace_eager_switching), TEST(one_missing_term_keeps_the_rule),
    TEST(with_all_terms_and_leave_to_leak_the_cheapest_wins),
    TEST(a_small_gain_keeps_eager_switching), TEST(without_leave_to_leak_lazy_switching_is_out),
    TEST(shares_weigh_the_kinds_of_switches))
