/* SPDX-License-Identifier: MIT */
/* The contests about filling gaps, on figures made for them by a small model of a core. */
#include "altpick/decide.h"
#include "altpick/nop.h"
#include "nop_fill.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOP_MICRO = 250000, JUMP_MICRO = 4000000 };

/* What one NOP costs. */
typedef uint64_t model(const struct altpick_nop *nop);

static uint64_t per_instruction(const struct altpick_nop *nop)
{
    (void) nop;
    return NOP_MICRO;
}

static uint64_t per_byte(const struct altpick_nop *nop)
{
    return nop->bytes * UINT64_C(30000);
}

/* A decoder that stumbles over the third prefix. */
static uint64_t cliff(const struct altpick_nop *nop)
{
    return nop->prefixes > 2 ? 10 * NOP_MICRO : NOP_MICRO;
}

static struct altpick_candidate candidates[ALTPICK_CANDIDATES_MAX];
static struct altpick_measurement measurements[ALTPICK_CANDIDATES_MAX];
static struct altpick_result result;
static struct altpick_policy policy;
static struct altpick_decisions decisions;
static const struct altpick_question *question;

static struct altpick_cost cost_of(uint64_t micro)
{
    return (struct altpick_cost){.status = ALTPICK_STATUS_MEASURED,
                                 .count = 72,
                                 .cycles_micro = micro,
                                 .low_micro = micro - micro / 1000,
                                 .high_micro = micro + micro / 1000};
}

static uint64_t price(const struct altpick_candidate *candidate, model *of)
{
    struct altpick_nop nop;
    uint64_t sum = 0;

    if (candidate->branches)
        return JUMP_MICRO;
    for (size_t at = 0; at < candidate->code_bytes; at += nop.bytes) {
        assert_int_not_equal(
            altpick_nop_decode(candidate->code + at, candidate->code_bytes - at, &nop), 0);
        sum += of(&nop);
    }
    return sum;
}

static void price_all(model *of)
{
    for (size_t i = 0; i < result.n_candidates; i++) {
        struct altpick_measurement *m = &measurements[i];

        *m = (struct altpick_measurement){.candidate = candidates[i]};
        if (!of || candidates[i].code_bytes == 0)
            continue;
        m->status = ALTPICK_STATUS_MEASURED;
        m->cost[ALTPICK_HOT] = m->cost[ALTPICK_L1I_MISS] = cost_of(price(&candidates[i], of));
    }
}

static int set_up(void **state)
{
    (void) state;
    question = altpick_question_find("nop.fill.64");
    assert_non_null(question);
    memset(&result, 0, sizeof result);
    result.batches = 3;
    result.n_candidates = question->candidates(question, candidates);
    result.candidates = measurements;
    result.condition[ALTPICK_HOT].asked = result.condition[ALTPICK_L1I_MISS].asked = true;
    result.condition[ALTPICK_HOT].status = result.condition[ALTPICK_L1I_MISS].status =
        ALTPICK_STATUS_MEASURED;
    altpick_policy_init(&policy);
    policy.target = ALTPICK_TARGET_THIS_CPU;
    return 0;
}

static struct altpick_measurement *find(const char *name)
{
    size_t i = 0;

    while (i < result.n_candidates && strcmp(candidates[i].name, name) != 0)
        i++;
    assert_in_range(i, 0, result.n_candidates - 1);
    return &measurements[i];
}

/* Price @name @percent of what the candidate @like costs, in both conditions. */
static void set(const char *name, unsigned percent, const char *like)
{
    uint64_t micro = find(like)->cost[ALTPICK_HOT].cycles_micro * percent / 100;

    find(name)->status = ALTPICK_STATUS_MEASURED;
    find(name)->cost[ALTPICK_HOT] = find(name)->cost[ALTPICK_L1I_MISS] = cost_of(micro);
}

static void decide(void)
{
    altpick_decide(question, &result, &policy, &decisions);
}

static const struct altpick_decision *item(const char *suffix)
{
    const struct altpick_decision *decision;
    char name[ALTPICK_NAME_MAX + 16];

    snprintf(name, sizeof name, "nop.fill.64.%s", suffix);
    decision = altpick_decision_find(&decisions, name);
    assert_non_null(decision);
    return decision;
}

static const char *winner(const char *suffix)
{
    const struct altpick_decision *decision = item(suffix);

    assert_int_not_equal(decision->winner, ALTPICK_NO_ENTRY);
    return decision->contest.entries[decision->winner].name;
}

static const struct altpick_entry *entry(const char *suffix, const char *name)
{
    const struct altpick_decision *decision = item(suffix);

    for (size_t i = 0; i < decision->contest.n_entries; i++) {
        if (strcmp(decision->contest.entries[i].name, name) == 0)
            return &decision->contest.entries[i];
    }
    fail_msg("%s: no entry %s", suffix, name);
    return NULL;
}

static void names_and_bytes_of_candidates_are_what_they_say(void **state)
{
    (void) state;
    for (size_t i = 0; i < result.n_candidates; i++) {
        const char *dot = strrchr(candidates[i].name, '.');

        assert_non_null(dot);
        if (candidates[i].code_bytes) {
            assert_int_equal(candidates[i].code_bytes, strtoul(dot + 1, NULL, 10));
            assert_true(question->accepts(question, candidates[i].code, candidates[i].code_bytes));
        }
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(candidates[i].name, candidates[k].name);
    }
}

static void ties_keep_the_recommended_forms(void **state)
{
    (void) state;
    price_all(per_byte);
    decide();
    for (uint32_t bytes = 2; bytes <= 11; bytes++) {
        uint8_t code[ALTPICK_NOP_LONGEST];
        char suffix[4];

        snprintf(suffix, sizeof suffix, "%u", bytes);
        altpick_nop_recommended(code, bytes);
        assert_memory_equal(entry(suffix, winner(suffix))->measurement->candidate.code, code,
                            bytes);
        assert_int_equal(item(suffix)->verdict, ALTPICK_VERDICT_TIE);
    }
    /* From 12 bytes on one NOP needs more than three prefixes: two are preferred. */
    assert_string_equal(winner("12"), "split.12");
    assert_string_equal(winner("15"), "split.15");
    assert_string_equal(winner("longest"), "11");
    assert_string_equal(winner("32"), "even-3.32");
    assert_string_equal(winner("jump-from"), "never");
}

static void a_core_that_counts_instructions_takes_long_nops(void **state)
{
    (void) state;
    price_all(per_instruction);
    decide();
    assert_string_equal(winner("15"), "0f1f.15");
    assert_string_equal(winner("longest"), "14"); /* 15 gains less than the margin more */
    assert_string_equal(winner("prefix-limit"), "7");
    assert_string_equal(winner("64"), "even-5.64");
}

static void a_cliff_ends_prefixes_and_the_longest_nop(void **state)
{
    (void) state;
    price_all(cliff);
    decide();
    assert_string_equal(winner("prefix-limit"), "2");
    assert_int_equal(item("prefix-limit")->verdict, ALTPICK_VERDICT_CLEAR);
    assert_string_equal(winner("longest"), "10");
    assert_non_null(entry("longest", "11")->out);
    assert_non_null(entry("longest", "15")->out);
    assert_null(entry("longest", "10")->out);
    assert_string_equal(winner("11"), "split.11");
    assert_string_equal(winner("64"), "even-7.64");
}

static void without_figures_the_preferred_forms_stay(void **state)
{
    (void) state;
    price_all(NULL);
    decide();
    assert_string_equal(winner("9"), "0f1f.9");
    assert_int_equal(item("9")->verdict, ALTPICK_VERDICT_UNMEASURED);
    assert_string_equal(winner("longest"), "11");
    assert_int_equal(item("longest")->verdict, ALTPICK_VERDICT_UNMEASURED);
    assert_string_equal(winner("prefix-limit"), "3");
    assert_int_equal(item("prefix-limit")->verdict, ALTPICK_VERDICT_UNMEASURED);
    assert_string_equal(winner("jump-from"), "never");
}

static void a_general_target_ends_where_other_cpus_suffer(void **state)
{
    (void) state;
    price_all(per_instruction);
    policy.target = ALTPICK_TARGET_ANY_X86_64;
    decide();
    assert_string_equal(winner("longest"), "10");
    assert_int_equal(item("longest")->verdict, ALTPICK_VERDICT_VETOED);
    assert_string_equal(winner("prefix-limit"), "2");
    assert_int_equal(item("prefix-limit")->verdict, ALTPICK_VERDICT_VETOED);
    assert_string_equal(winner("11"), "split.11");
    assert_int_equal(item("11")->verdict, ALTPICK_VERDICT_VETOED);
    assert_true(entry("5", "6690.5")->vetoed);
    assert_false(entry("4", "6690.4")->vetoed);
}

static void without_anybody_to_ask_nothing_is_vetoed(void **state)
{
    (void) state;
    price_all(per_instruction);
    policy.target = ALTPICK_TARGET_ANY_X86_64;
    policy.elsewhere = NULL;
    decide();
    for (size_t i = 0; i < decisions.n_decisions; i++) {
        const struct altpick_decision *d = &decisions.decision[i];

        assert_int_not_equal(d->verdict, ALTPICK_VERDICT_VETOED);
        for (size_t e = 0; e < d->contest.n_entries; e++)
            assert_false(d->contest.entries[e].vetoed);
    }
    assert_string_not_equal(winner("longest"), "10");
}

static void max_nop_limits_every_item(void **state)
{
    (void) state;
    price_all(per_instruction);
    policy.max_nop_bytes = 8;
    decide();
    assert_string_equal(winner("longest"), "8");
    assert_string_equal(winner("9"), "split.9");
    assert_non_null(entry("9", "0f1f.9")->out);
    assert_string_equal(winner("64"), "even-8.64");
    assert_string_equal(winner("16"), "even-2.16");
}

static void the_incumbent_breaks_the_last_tie(void **state)
{
    static struct altpick_decisions previous;
    (void) state;

    price_all(per_instruction);
    decide();
    assert_string_equal(winner("13"), "0f1f.13");

    policy.n_pins = 1;
    snprintf(policy.pins[0].item, sizeof policy.pins[0].item, "nop.fill.64.13");
    snprintf(policy.pins[0].candidate, ALTPICK_NAME_MAX, "0f1f-66.13");
    altpick_decide(question, &result, &policy, &previous);
    policy.n_pins = 0;
    policy.previous = &previous;
    policy.n_previous = 1;
    decide();
    assert_string_equal(winner("13"), "0f1f-66.13");
    assert_string_equal(winner("12"), "0f1f.12");

    set("0f1f.13", 80, "0f1f.13"); /* no tie any more */
    decide();
    assert_string_equal(winner("13"), "0f1f.13");
}

static void another_sequence_must_win_by_twice_the_margin(void **state)
{
    (void) state;
    price_all(per_byte);
    set("even-4.32", 92, "even-3.32");
    decide();
    assert_string_equal(winner("32"), "even-3.32");
    assert_int_equal(item("32")->verdict, ALTPICK_VERDICT_TIE);
    set("even-4.32", 88, "even-3.32");
    decide();
    assert_string_equal(winner("32"), "even-4.32");
    assert_true(item("32")->displaced);
}

static void a_jump_wins_from_the_gap_where_no_larger_one_keeps_nops(void **state)
{
    (void) state;
    price_all(per_byte);
    for (size_t i = 0; i < NOP_GAPS; i++) {
        char jump[ALTPICK_NAME_MAX], fill[ALTPICK_NAME_MAX];
        uint32_t bytes = altpick_nop_gaps[i];

        snprintf(jump, sizeof jump, "jmp.%u", bytes);
        snprintf(fill, sizeof fill, "even-%u.%u", (bytes + 10) / 11, bytes);
        set(jump, bytes >= 40 || bytes == 24 ? 80 : 100, fill);
    }
    decide();
    assert_string_equal(winner("24"), "jmp.24");
    assert_string_equal(winner("jump-from"), "40");
    assert_int_equal(item("jump-from")->verdict, ALTPICK_VERDICT_CLEAR);

    /* Not where it loses in one weighted condition, whatever it gains in the other. */
    find("jmp.64")->cost[ALTPICK_HOT] = cost_of(1);
    find("jmp.64")->cost[ALTPICK_L1I_MISS] = find("even-6.64")->cost[ALTPICK_L1I_MISS];
    decide();
    assert_string_equal(winner("jump-from"), "never");
    assert_string_equal(winner("48"), "jmp.48");
}

static void never_is_open_where_the_longest_gap_is(void **state)
{
    (void) state;
    price_all(per_byte);
    set("jmp.64", 80, "even-6.64");
    /* It may win or not: its interval reaches up to what it must beat. */
    find("jmp.64")->cost[ALTPICK_HOT].high_micro = find("even-6.64")->cost[ALTPICK_HOT].high_micro;
    decide();
    assert_int_equal(item("64")->verdict, ALTPICK_VERDICT_UNDECIDED);
    assert_string_equal(winner("jump-from"), "never");
    assert_int_equal(item("jump-from")->verdict, ALTPICK_VERDICT_UNDECIDED);

    set("jmp.64", 100, "even-6.64");
    decide();
    assert_int_equal(item("jump-from")->verdict, ALTPICK_VERDICT_TIE);
}

static void thresholds_of_each_condition_are_told(void **state)
{
    const struct altpick_contest *contest;
    size_t found = 0;
    (void) state;

    price_all(per_byte);
    find("jmp.64")->cost[ALTPICK_HOT] = cost_of(1);
    find("jmp.56")->cost[ALTPICK_HOT] = cost_of(1);
    decide();
    contest = &item("jump-from")->contest;
    for (size_t i = 0; i < contest->n_trace; i++) {
        if (strcmp(contest->trace[i].rule, "threshold") != 0)
            continue;
        found++;
        assert_string_equal(contest->entries[contest->trace[i].entry].name,
                            strcmp(contest->trace[i].text, "hot") == 0 ? "56" : "never");
    }
    assert_int_equal(found, 2);
}

static void the_optimum_is_the_cheapest_sum_and_fills_its_gap(void **state)
{
    struct altpick_candidate refined[ALTPICK_CANDIDATES_MAX];
    (void) state;

    price_all(cliff);
    set("0f1f.7", 10, "0f1f.7"); /* 7 bytes for a tenth */
    memcpy(refined, candidates, sizeof refined);
    question->refine(question, &result, refined, result.n_candidates);
    for (size_t i = 0; i < result.n_candidates; i++) {
        struct altpick_padding padding;
        uint32_t bytes = (uint32_t) strtoul(strrchr(candidates[i].name, '.') + 1, NULL, 10);

        if (candidates[i].code_bytes) {
            assert_memory_equal(&refined[i], &candidates[i], sizeof refined[i]);
            continue;
        }
        assert_int_equal(refined[i].code_bytes, bytes);
        assert_true(altpick_padding_scan(refined[i].code, bytes, &padding));
        if (bytes == 28 || bytes == 56) {
            assert_int_equal(padding.instructions, bytes / 7);
            assert_int_equal(padding.longest_bytes, 7);
        }
    }
}

static void decisions_follow_bytes_not_names(void **state)
{
    struct altpick_measurement *one, *two, keep;
    (void) state;

    price_all(cliff);
    one = find("0f1f.11");
    two = find("split.11");
    keep = *one;
    *one = *two;
    *two = keep;
    snprintf(one->candidate.name, ALTPICK_NAME_MAX, "0f1f.11");
    snprintf(two->candidate.name, ALTPICK_NAME_MAX, "split.11");
    decide();
    assert_string_equal(winner("11"), "0f1f.11");
    assert_string_equal(winner("prefix-limit"), "2");
    assert_string_equal(winner("longest"), "10");
}

#define TEST(name) cmocka_unit_test_setup(name, set_up)

ALTPICK_TEST_MAIN(
    TEST(names_and_bytes_of_candidates_are_what_they_say), TEST(ties_keep_the_recommended_forms),
    TEST(a_core_that_counts_instructions_takes_long_nops),
    TEST(a_cliff_ends_prefixes_and_the_longest_nop), TEST(without_figures_the_preferred_forms_stay),
    TEST(a_general_target_ends_where_other_cpus_suffer),
    TEST(without_anybody_to_ask_nothing_is_vetoed), TEST(max_nop_limits_every_item),
    TEST(the_incumbent_breaks_the_last_tie), TEST(another_sequence_must_win_by_twice_the_margin),
    TEST(a_jump_wins_from_the_gap_where_no_larger_one_keeps_nops),
    TEST(never_is_open_where_the_longest_gap_is), TEST(thresholds_of_each_condition_are_told),
    TEST(the_optimum_is_the_cheapest_sum_and_fills_its_gap), TEST(decisions_follow_bytes_not_names))
