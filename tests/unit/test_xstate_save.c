/* SPDX-License-Identifier: MIT */
/* xstate.save: saves that lie about what they save are found out on this CPU; decisions. */
#include "planted_run.h"
#include "state_sample.h"

#define SAVES    ALTPICK_GUARANTEE_SAVES_STATE
#define STANDARD ALTPICK_GUARANTEE_STANDARD_LAYOUT
#define BOTH     (BIT(SAVES) | BIT(STANDARD))
#define CODE(...)                                                                                  \
    .code = {__VA_ARGS__}, .code_bytes = sizeof((const uint8_t[]){__VA_ARGS__}),                   \
    .data = ALTPICK_DATA_SAVE_AREA, .guarantees = BOTH
#define NEEDS(id) (BIT(ALTPICK_CPU_OSXSAVE) | BIT(ALTPICK_CPU_##id))
#define AND_EDX   0x31, 0xd2 /* xor edx, edx */

/* clang-format off */
static const struct {
    struct altpick_candidate candidate;
    bool saves, is_standard;
} plants[] = {
    /* mov eax, 7; xsave64 [rdi] */
    {{.name = "honest", .saves = 7, .needs = NEEDS(AVX),
      CODE(0xb8, 7, 0, 0, 0, AND_EDX, 0x48, 0x0f, 0xae, 0x27)}, true, true},
    /* mov eax, 7; and eax, 3; xsave64 [rdi] */
    {{.name = "no-ymm", .saves = 7, .needs = NEEDS(AVX),
      CODE(0xb8, 7, 0, 0, 0, AND_EDX, 0x83, 0xe0, 3, 0x48, 0x0f, 0xae, 0x27)}, false, true},
    /* mov eax, 7; and eax, 6; xsave64 [rdi] */
    {{.name = "no-x87", .saves = 7, .needs = NEEDS(AVX),
      CODE(0xb8, 7, 0, 0, 0, AND_EDX, 0x83, 0xe0, 6, 0x48, 0x0f, 0xae, 0x27)}, false, true},
    /* mov eax, 7; and eax, 5; xsave64 [rdi] */
    {{.name = "no-xmm", .saves = 7, .needs = NEEDS(AVX),
      CODE(0xb8, 7, 0, 0, 0, AND_EDX, 0x83, 0xe0, 5, 0x48, 0x0f, 0xae, 0x27)}, false, true},
    /* mov eax, 0xe7; and eax, 7; xsaveopt64 [rdi] */
    {{.name = "no-avx512", .saves = 0xe7, .needs = NEEDS(AVX512F) | BIT(ALTPICK_CPU_XSAVEOPT),
      CODE(0xb8, 0xe7, 0, 0, 0, AND_EDX, 0x83, 0xe0, 7, 0x48, 0x0f, 0xae, 0x37)}, false, true},
    /* mov eax, 7; xsavec64 [rdi] */
    {{.name = "compacted", .saves = 7, .needs = NEEDS(XSAVEC) | BIT(ALTPICK_CPU_AVX),
      CODE(0xb8, 7, 0, 0, 0, AND_EDX, 0x48, 0x0f, 0xc7, 0x27)}, true, false},
    /* The same, which does not begin with its mask. */
    {{.name = "compacted-edx-first", .saves = 7, .needs = NEEDS(XSAVEC) | BIT(ALTPICK_CPU_AVX),
      CODE(AND_EDX, 0xb8, 7, 0, 0, 0, 0x48, 0x0f, 0xc7, 0x27)}, true, false},
    /* mov eax, 7; and eax, 3; xsavec64 [rdi] */
    {{.name = "compacted-no-ymm", .saves = 7, .needs = NEEDS(XSAVEC) | BIT(ALTPICK_CPU_AVX),
      CODE(0xb8, 7, 0, 0, 0, AND_EDX, 0x83, 0xe0, 3, 0x48, 0x0f, 0xc7, 0x27)}, false, false},
    /* fxsave64 [rdi] */
    {{.name = "fx", .saves = 3, .needs = BIT(ALTPICK_CPU_FXSR), CODE(0x48, 0x0f, 0xae, 0x07)}, true, true},
    /* fxsave64 [rdi]; mov byte [rdi+170], 0: one byte of xmm0 is lost */
    {{.name = "fx-less-a-byte", .saves = 3, .needs = BIT(ALTPICK_CPU_FXSR),
      CODE(0x48, 0x0f, 0xae, 0x07, 0xc6, 0x87, 170, 0, 0, 0, 0)}, false, true},
    /* stmxcsr [rdi+24]: the rest of the area is zero */
    {{.name = "mxcsr-alone", .saves = 3, .needs = BIT(ALTPICK_CPU_FXSR), CODE(0x0f, 0xae, 0x5f, 0x18)},
     false, true},
};
/* clang-format on */

static struct planted_run run;
static struct state_sample s;

static void assert_found(const struct altpick_measurement *m, unsigned guarantee, bool holds)
{
    unsigned expected = holds ? ALTPICK_GUARANTEE_IS_CHECKED : ALTPICK_GUARANTEE_IS_CONTRADICTED;

    if (m->guarantee[guarantee] != expected)
        fail_msg("%s: %s is %s", m->candidate.name, altpick_guarantee_name(guarantee),
                 altpick_guarantee_state_name(m->guarantee[guarantee]));
}

static void a_save_that_lies_is_contradicted_where_it_lies(void **state)
{
    (void) state;
    planted_n = sizeof plants / sizeof *plants;
    for (size_t i = 0; i < planted_n; i++)
        planted_list[i] = plants[i].candidate;
    planted_measure(&run, "xstate.save", ALTPICK_DIRTY);
    for (size_t i = 0; i < planted_n; i++) {
        const struct altpick_measurement *m = &run.result.candidates[i];

        if (m->status == ALTPICK_STATUS_UNSUPPORTED) {
            print_message("skipped: %s: %s\n", m->candidate.name, m->reason);
            continue;
        }
        assert_string_equal(m->reason, "");
        assert_found(m, SAVES, plants[i].saves);
        assert_found(m, STANDARD, plants[i].is_standard);
    }
    planted_fini(&run);
}

static void built_in_saves_do_what_they_promise(void **state)
{
    const struct altpick_question *question = altpick_question_find("xstate.save");
    size_t n_saves = 0;
    (void) state;

    planted_n = question->candidates(question, planted_list);
    planted_measure(&run, "xstate.save", ALTPICK_DIRTY);
    for (size_t i = 0; i < planted_n; i++) {
        const struct altpick_measurement *m = &run.result.candidates[i];

        if (m->status == ALTPICK_STATUS_UNSUPPORTED)
            continue;
        n_saves++;
        assert_found(m, SAVES, true);
        if (planted_list[i].guarantees >> STANDARD & 1)
            assert_found(m, STANDARD, true);
        else
            assert_int_equal(m->guarantee[STANDARD], ALTPICK_GUARANTEE_IS_NONE);
    }
    assert_true(n_saves > 0);
    assert_string_equal(altpick_result_candidate(&run.result, "xsaves.all")->reason,
                        "needs ring 0");
    planted_fini(&run);
}

/* Of a machine without AVX: what is not here is in no contest that could be won. */
static void set_old_machine(void)
{
    sample_init(&s, "xstate.save");
    for (size_t i = 0; i < s.result.n_candidates; i++)
        s.candidates[i].status = ALTPICK_STATUS_UNSUPPORTED;
    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
        if (s.result.condition[c].asked)
            sample_cost(&s, "fxsave", (enum altpick_condition) c, 80000);
    }
}

static void without_xsave_fxsave_is_all_there_is(void **state)
{
    (void) state;
    set_old_machine();
    assert_winner(&s, "xstate.save.x87-sse", "fxsave", ALTPICK_VERDICT_ONLY_ELIGIBLE);
    assert_int_equal(sample_decide(&s, "xstate.save.avx512")->winner, ALTPICK_NO_ENTRY);
    assert_int_equal(altpick_decision_find(&s.decisions, "xstate.save.avx512")->verdict,
                     ALTPICK_VERDICT_UNMEASURED);
}

static void set_all(const char *name, uint64_t milli)
{
    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
        if (s.result.condition[c].asked)
            sample_cost(&s, name, (enum altpick_condition) c, milli);
    }
}

static void a_set_is_saved_by_what_saves_this_set(void **state)
{
    (void) state;
    sample_init(&s, "xstate.save");
    set_all("fxsave", 10000);
    set_all("xsave.avx", 200000);
    set_all("xsavec.avx", 150000);
    set_all("xsaveopt.avx", 151000);
    assert_winner(&s, "xstate.save.avx", "xsaveopt.avx", ALTPICK_VERDICT_TIE);
    set_all("xsavec.avx", 100000);
    assert_winner(&s, "xstate.save.avx", "xsavec.avx", ALTPICK_VERDICT_CLEAR);
    assert_int_equal(sample_decide(&s, "xstate.save.avx")->contest.n_entries, 3);
    assert_int_equal(sample_decide(&s, "xstate.save.x87-sse")->contest.n_entries, 4);
    assert_int_equal(sample_decide(&s, "xstate.save.all")->contest.n_entries, 4);
}

/* A reader of signal frames needs offsets that it knows. */
static void a_policy_may_ask_for_the_standard_layout(void **state)
{
    (void) state;
    sample_init(&s, "xstate.save");
    set_all("xsave.all", 200000);
    set_all("xsavec.all", 100000);
    set_all("xsaveopt.all", 150000);
    strcpy(s.policy.requires[0].question, "xstate.save");
    s.policy.requires[0].guarantee = STANDARD;
    s.policy.n_requires = 1;
    assert_winner(&s, "xstate.save.all", "xsaveopt.all", ALTPICK_VERDICT_CLEAR);
    assert_string_equal(why_out(&s, "xstate.save.all", "xsavec.all"), "lacks standard-layout");
}

static void what_does_not_save_is_never_chosen(void **state)
{
    (void) state;
    sample_init(&s, "xstate.save");
    set_all("xsave.all", 200000);
    set_all("xsavec.all", 1000);
    set_all("xsaveopt.all", 150000);
    sample_find(&s, "xsavec.all")->guarantee[SAVES] = ALTPICK_GUARANTEE_IS_CONTRADICTED;
    assert_winner(&s, "xstate.save.all", "xsaveopt.all", ALTPICK_VERDICT_CLEAR);
}

ALTPICK_TEST_MAIN(cmocka_unit_test(a_save_that_lies_is_contradicted_where_it_lies),
                  cmocka_unit_test(built_in_saves_do_what_they_promise),
                  cmocka_unit_test(without_xsave_fxsave_is_all_there_is),
                  cmocka_unit_test(a_set_is_saved_by_what_saves_this_set),
                  cmocka_unit_test(a_policy_may_ask_for_the_standard_layout),
                  cmocka_unit_test(what_does_not_save_is_never_chosen))
