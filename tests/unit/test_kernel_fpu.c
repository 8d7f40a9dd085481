/* SPDX-License-Identifier: MIT */
/* kernel-fpu.begin on figures made up for it: nothing is reset wrongly, however cheap it is. */
#include "disassemble.h"
#include "state_sample.h"

enum { CHEAP = 1, DEAR = 1000000, N_USERS = 6, N_BUILT_IN = 6 };

static const char *const users[N_USERS] = {"sse", "x87", "efi", "sse-32", "x87-32", "efi-32"};

static struct state_sample s;

static int set_up(void **state)
{
    static const struct {
        const char *name;
        uint32_t milli;
    } figures[] = {
        {"none",            84   },
        {"ldmxcsr",         2000 },
        {"fninit",          95000},
        {"both",            96000},
        {"ldmxcsr-guarded", 2100 },
        {"both-guarded",    96500},
    };

    (void) state;
    sample_init(&s, "kernel-fpu.begin");
    for (size_t i = 0; i < N_BUILT_IN; i++)
        sample_cost(&s, figures[i].name, ALTPICK_WARM, figures[i].milli);
    return 0;
}

static char item_name[64];

static const char *item(const char *user)
{
    snprintf(item_name, sizeof item_name, "kernel-fpu.begin.%s", user);
    return item_name;
}

static void each_user_gets_what_it_needs_and_no_more(void **state)
{
    (void) state;
    assert_int_equal(s.question->n_items, N_USERS);
    assert_winner(&s, item("sse"), "ldmxcsr", ALTPICK_VERDICT_CLEAR);
    assert_winner(&s, item("x87"), "fninit", ALTPICK_VERDICT_TIE);
    assert_winner(&s, item("efi"), "both", ALTPICK_VERDICT_ONLY_ELIGIBLE);
    assert_winner(&s, item("sse-32"), "ldmxcsr-guarded", ALTPICK_VERDICT_CLEAR);
    assert_winner(&s, item("x87-32"), "fninit", ALTPICK_VERDICT_TIE);
    assert_winner(&s, item("efi-32"), "both-guarded", ALTPICK_VERDICT_ONLY_ELIGIBLE);
}

/* Whether LDMXCSR runs when eax is 0: where nothing before it jumps over it. */
static bool runs_ldmxcsr_without_sse(const struct altpick_candidate *candidate)
{
    for (size_t at = 0; at < candidate->code_bytes;) {
        struct instruction i = decode_at(candidate, at, false);

        at += i.in.length;
        if (i.in.mnemonic == ZYDIS_MNEMONIC_LDMXCSR)
            return true;
        if (i.in.mnemonic == ZYDIS_MNEMONIC_JZ)
            at += (size_t) i.operand[0].imm.value.s; /* after test eax, eax */
    }
    return false;
}

static const struct altpick_candidate *winner_of(const char *name)
{
    const struct altpick_decision *d = sample_decide(&s, name);

    return d->winner == ALTPICK_NO_ENTRY ? NULL
                                         : &d->contest.entries[d->winner].measurement->candidate;
}

static void assert_32_bit_winners_are_guarded(void)
{
    for (size_t u = 3; u < N_USERS; u++) {
        const struct altpick_candidate *winner = winner_of(item(users[u]));

        assert_non_null(winner);
        assert_false(runs_ldmxcsr_without_sse(winner));
    }
}

/* Each candidate made by far the cheapest, in turn: in all conditions, for all targets. */
static void no_figure_makes_32_bit_code_execute_ldmxcsr_unguarded(void **state)
{
    (void) state;
    for (size_t i = 0; i < N_BUILT_IN; i++) {
        for (unsigned target = 0; target < ALTPICK_N_TARGETS; target++) {
            s.policy.target = (enum altpick_target) target;
            for (size_t k = 0; k < N_BUILT_IN; k++)
                sample_cost(&s, s.candidates[k].candidate.name, ALTPICK_WARM,
                            k == i ? CHEAP : DEAR);
            assert_32_bit_winners_are_guarded();
        }
    }
}

static void no_pin_makes_32_bit_code_execute_ldmxcsr_unguarded(void **state)
{
    (void) state;
    s.policy.n_pins = 1;
    for (size_t u = 0; u < N_USERS; u++) {
        for (size_t i = 0; i < N_BUILT_IN; i++) {
            strcpy(s.policy.pins[0].item, item(users[u]));
            strcpy(s.policy.pins[0].candidate, s.candidates[i].candidate.name);
            assert_32_bit_winners_are_guarded();
        }
    }
    strcpy(s.policy.pins[0].item, item("sse-32"));
    strcpy(s.policy.pins[0].candidate, "both");
    assert_winner(&s, item("sse-32"), "ldmxcsr-guarded", ALTPICK_VERDICT_CLEAR);
    strcpy(s.policy.pins[0].candidate, "both-guarded");
    assert_winner(&s, item("sse-32"), "both-guarded", ALTPICK_VERDICT_PINNED);
}

static void only_a_candidate_that_resets_mxcsr_is_for_sse(void **state)
{
    (void) state;
    sample_cost(&s, "fninit", ALTPICK_WARM, CHEAP);
    sample_cost(&s, "none", ALTPICK_WARM, CHEAP);
    assert_winner(&s, item("sse"), "ldmxcsr", ALTPICK_VERDICT_CLEAR);
    assert_string_equal(why_out(&s, item("sse"), "fninit"), "lacks exact-init:mxcsr");
    strcpy(s.policy.pins[0].item, item("sse"));
    strcpy(s.policy.pins[0].candidate, "fninit");
    s.policy.n_pins = 1;
    assert_winner(&s, item("sse"), "ldmxcsr", ALTPICK_VERDICT_CLEAR);
}

/* Code of no user: a look that finds a promise broken ends it for all of them. */
static void a_broken_promise_is_for_nobody(void **state)
{
    (void) state;
    sample_find(&s, "both")->guarantee[ALTPICK_GUARANTEE_INIT_MXCSR] =
        ALTPICK_GUARANTEE_IS_CONTRADICTED;
    sample_decide(&s, item("efi"));
    assert_null(winner_of(item("efi")));
    assert_string_equal(why_out(&s, item("x87"), "both"), "breaks a guarantee that it declares");
}

/* As in a thread that published what workloads lose, and no call. */
static void workloads_decide_where_no_call_was_timed(void **state)
{
    (void) state;
    sample_init(&s, "kernel-fpu.begin");
    for (size_t i = 0; i < N_BUILT_IN; i++)
        sample_cost(&s, s.candidates[i].candidate.name, ALTPICK_SSE_4096, 200000);
    sample_cost(&s, "both", ALTPICK_SSE_4096, 100000);
    assert_winner(&s, item("sse"), "both", ALTPICK_VERDICT_CLEAR);
    sample_cost(&s, "ldmxcsr", ALTPICK_WARM, 2000);
    sample_cost(&s, "both", ALTPICK_WARM, 96000);
    assert_winner(&s, item("sse"), "ldmxcsr", ALTPICK_VERDICT_CLEAR);
}

static void guarded_code_is_the_same_in_32_and_64_bit_mode(void **state)
{
    static const char *const names[] = {"ldmxcsr-guarded", "both-guarded"};
    (void) state;

    for (size_t k = 0; k < 2; k++) {
        const struct altpick_candidate *candidate = &sample_find(&s, names[k])->candidate;
        struct listing wide, narrow;

        disassemble(candidate, true, &wide);
        disassemble(candidate, false, &narrow);
        assert_int_equal(wide.n, 3 + k);
        assert_int_equal(narrow.n, wide.n);
        for (size_t i = 0; i + 1 < wide.n; i++)
            assert_string_equal(narrow.line[i], wide.line[i]);
        assert_string_equal(wide.line[wide.n - 1], "ldmxcsr [rdi]");
        assert_string_equal(narrow.line[wide.n - 1], "ldmxcsr [edi]");
        assert_string_equal(wide.line[k], "test eax, eax");
        assert_string_equal(wide.line[k + 1], k ? "jz 0x9" : "jz 0x7"); /* the end */
        assert_int_equal(candidate->code_bytes, k ? 9 : 7);
    }
}

/* All of the twelve: 200 cycles without a reset, and half and an eighth of the speed with one. */
static void set_workloads(void)
{
    for (unsigned c = ALTPICK_SSE_512; c <= ALTPICK_AVX512_65536; c++) {
        sample_cost(&s, "none", c, 200000);
        sample_cost(&s, "ldmxcsr", c, 200000);
        sample_cost(&s, "fninit", c, c % 2 ? 400000 : 1600000);
        sample_cost(&s, "both", c, 800000);
    }
}

static void assert_percent(const struct altpick_cell *cell, uint64_t milli)
{
    assert_int_equal(cell->unit, ALTPICK_UNIT_PERCENT);
    assert_in_range(cell->value, milli * 1000 - milli / 100, milli * 1000 + milli / 100);
    assert_true(cell->low <= cell->value && cell->value <= cell->high);
}

static void the_speed_kept_is_exact(void **state)
{
    (void) state;
    set_workloads();
    assert_int_equal(sample_derive(&s, 0)->n_rows, 12);
    assert_int_equal(cell_at(&s.derived, "sse-512", 0)->value, 200 * MICRO);
    assert_int_equal(cell_at(&s.derived, "sse-512", 1)->value, 100 * MICRO);
    assert_int_equal(cell_at(&s.derived, "sse-512", 1)->low, 98019801); /* .99 / 1.01 */
    assert_int_equal(cell_at(&s.derived, "sse-512", 1)->high, 102020202);
    assert_int_equal(cell_at(&s.derived, "avx512-65536", 3)->value, 25 * MICRO);
}

/* The mean of 1/2 and 1/8 is 1/4. */
static void the_mean_is_geometric(void **state)
{
    (void) state;
    set_workloads();
    sample_derive(&s, 1);
    assert_percent(cell_at(&s.derived, "none", 0), 100000);
    assert_percent(cell_at(&s.derived, "ldmxcsr", 0), 100000);
    assert_percent(cell_at(&s.derived, "fninit", 0), 25000);
    assert_percent(cell_at(&s.derived, "both", 0), 25000);
    assert_int_equal(cell_at(&s.derived, "both", 1)->value, 12);
    assert_false(altpick_derive_find(s.question->name)(&s.decisions, 2, &s.derived));
}

/* Means of other workloads than those of the rest would compare nothing. */
static void a_workload_without_one_of_the_figures_is_in_no_mean(void **state)
{
    (void) state;
    set_workloads();
    sample_cost(&s, "ldmxcsr", ALTPICK_SSE_512, 800000);
    sample_find(&s, "both")->cost[ALTPICK_SSE_512].status = ALTPICK_STATUS_UNMEASURED;
    sample_derive(&s, 1);
    assert_int_equal(cell_at(&s.derived, "ldmxcsr", 1)->value, 11);
    assert_percent(cell_at(&s.derived, "ldmxcsr", 0), 100000);
    assert_int_equal(cell_at(&s.derived, "none", 1)->value, 11);
}

/* A share that is too large for the table is 0 in it, and a logarithm of 0 there is none. */
static void figures_that_are_far_apart_are_in_no_mean(void **state)
{
    struct altpick_cost *none, *both;
    (void) state;

    set_workloads();
    none = &sample_find(&s, "none")->cost[ALTPICK_SSE_512];
    both = &sample_find(&s, "both")->cost[ALTPICK_SSE_512];
    none->low_micro = both->low_micro = both->cycles_micro = both->high_micro = 1;
    none->cycles_micro = none->high_micro = UINT64_C(1) << 40;
    sample_derive(&s, 1);
    assert_int_equal(cell_at(&s.derived, "both", 1)->value, 11);
    assert_percent(cell_at(&s.derived, "both", 0), 25000);
}

static void a_candidate_without_any_figure_takes_none_from_the_others(void **state)
{
    (void) state;
    set_workloads();
    for (unsigned c = ALTPICK_SSE_512; c <= ALTPICK_AVX512_65536; c++)
        sample_find(&s, "both")->cost[c].status = ALTPICK_STATUS_UNMEASURED;
    sample_derive(&s, 1);
    assert_int_equal(cell_at(&s.derived, "ldmxcsr", 1)->value, 12);
    assert_int_equal(cell_at(&s.derived, "both", 0)->unit, ALTPICK_UNIT_NONE);
}

#define TEST(test) cmocka_unit_test_setup(test, set_up)

ALTPICK_TEST_MAIN(TEST(each_user_gets_what_it_needs_and_no_more),
                  TEST(no_figure_makes_32_bit_code_execute_ldmxcsr_unguarded),
                  TEST(no_pin_makes_32_bit_code_execute_ldmxcsr_unguarded),
                  TEST(only_a_candidate_that_resets_mxcsr_is_for_sse),
                  TEST(a_broken_promise_is_for_nobody),
                  TEST(workloads_decide_where_no_call_was_timed),
                  TEST(guarded_code_is_the_same_in_32_and_64_bit_mode),
                  TEST(the_speed_kept_is_exact), TEST(the_mean_is_geometric),
                  TEST(a_workload_without_one_of_the_figures_is_in_no_mean),
                  TEST(figures_that_are_far_apart_are_in_no_mean),
                  TEST(a_candidate_without_any_figure_takes_none_from_the_others))
