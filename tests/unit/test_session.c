/* SPDX-License-Identifier: MIT */
/* The hosted session on this CPU: what a bad candidate does to the others, and limits. */
#include "altpick/clock.h"
#include "altpick/decide.h"
#include "altpick/nop.h"
#include "machine.h"
#include "session.h"
#include "test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct altpick_candidate planted[] = {
    {.name = "nop",     .code = {0x90},             .code_bytes = 1},
    {.name = "ud2",     .code = {0x0f, 0x0b},       .code_bytes = 2},
    {.name = "load",    .code = {0x48, 0x8b, 0x03}, .code_bytes = 3}, /* mov rax, [rbx], rbx = 0 */
    {.name = "forever", .code = {0xeb, 0xfe},       .code_bytes = 2}, /* jmp to itself */
    {.name = "nop2",    .code = {0x66, 0x90},       .code_bytes = 2},
};

static size_t candidates(const struct altpick_question *question,
                         struct altpick_candidate ret[ALTPICK_CANDIDATES_MAX])
{
    (void) question;
    memcpy(ret, planted, sizeof planted);
    return sizeof planted / sizeof *planted;
}

static const struct altpick_question question = {
    .name = "test.faults", .conditions = 1u << ALTPICK_HOT, .candidates = candidates};

static void set_up(struct altpick_hosted_session *hosted, struct altpick_cpu *cpu, uint64_t ticks)
{
    *hosted = (struct altpick_hosted_session){
        .question = &question, .cpu = cpu, .seed = 1, .stuck_ms = 100};
    altpick_cpu_read(&altpick_cpuid_native, cpu);
    altpick_plan_init(cpu, false, &hosted->plan);
    hosted->plan.effort[ALTPICK_HOT].layouts = 9;
    hosted->deadline_ticks = altpick_clock_start() + ticks;
}

static void a_bad_candidate_is_named_and_harms_no_other(void **state)
{
    static const enum altpick_status expected[] = {ALTPICK_STATUS_MEASURED, ALTPICK_STATUS_FAULTED,
                                                   ALTPICK_STATUS_FAULTED, ALTPICK_STATUS_TIMED_OUT,
                                                   ALTPICK_STATUS_MEASURED};
    struct altpick_hosted_session hosted;
    struct altpick_result result = {0};
    struct altpick_diag diag = {{0}};
    struct altpick_cpu cpu;
    (void) state;

    set_up(&hosted, &cpu, UINT64_C(1) << 40);
    assert_int_equal(altpick_hosted_session_run(&hosted, &diag), 0);
    assert_int_equal(altpick_hosted_session_result(&hosted, &result, &diag), 0);
    for (size_t i = 0; i < result.n_candidates; i++)
        assert_int_equal(result.candidates[i].status, expected[i]);
    assert_int_equal(hosted.children_lost, 3);
    free(result.candidates);
    altpick_hosted_session_fini(&hosted);
}

/* As a parent that ignores SIGCHLD hands it on: the kernel then keeps no status of a child. */
static void a_fault_is_seen_where_the_end_of_children_is_ignored(void **state)
{
    void (*before)(int) = signal(SIGCHLD, SIG_IGN);

    a_bad_candidate_is_named_and_harms_no_other(state);
    assert_ptr_equal(signal(SIGCHLD, before), SIG_IGN);
}

static void a_deadline_in_the_past_measures_nothing_and_says_so(void **state)
{
    struct altpick_hosted_session hosted;
    struct altpick_result result = {0};
    struct altpick_diag diag = {{0}};
    struct altpick_cpu cpu;
    (void) state;

    set_up(&hosted, &cpu, 0);
    assert_int_equal(altpick_hosted_session_run(&hosted, &diag), 0);
    assert_int_equal(altpick_hosted_session_result(&hosted, &result, &diag), 0);
    assert_int_equal(result.condition[ALTPICK_HOT].status, ALTPICK_STATUS_UNMEASURED);
    assert_string_equal(result.condition[ALTPICK_HOT].reason, "the time limit came first");
    assert_int_equal(result.candidates[0].status, ALTPICK_STATUS_UNMEASURED);
    assert_int_equal(result.batches, 0);
    free(result.candidates);
    altpick_hosted_session_fini(&hosted);
}

static void shuffled_bytes_stay_with_their_length(void **state)
{
    struct altpick_hosted_session hosted;
    struct altpick_diag diag = {{0}};
    struct altpick_cpu cpu;
    bool moved = false;
    (void) state;

    for (uint32_t seed = 1; seed < 20 && !moved; seed++) {
        set_up(&hosted, &cpu, 0);
        hosted.shuffle = seed;
        assert_int_equal(altpick_hosted_session_run(&hosted, &diag), 0);
        for (size_t i = 0; i < sizeof planted / sizeof *planted; i++) {
            const struct altpick_candidate *candidate = &hosted.session->candidates[i];

            assert_string_equal(candidate->name, planted[i].name);
            assert_int_equal(candidate->code_bytes, planted[i].code_bytes);
            moved = moved || memcmp(candidate->code, planted[i].code, ALTPICK_CODE_MAX) != 0;
        }
        altpick_hosted_session_fini(&hosted);
    }
    assert_true(moved);
}

/* 32-bit code: a NOP, one that is only valid there, three that are not, and LEA. */
static const struct altpick_candidate planted_32[] = {
    {.name = "nop",     .code = {0x90},                                                .code_bytes = 1},
    {.name = "aaa",     .code = {0x37},                                                .code_bytes = 1},
    {.name = "ud2",     .code = {0x0f, 0x0b},                                          .code_bytes = 2},
    {.name = "load",    .code = {0x8b, 0x03},                                          .code_bytes = 2}, /* mov eax, [ebx], ebx = 0 */
    {.name = "forever", .code = {0xeb, 0xfe},                                          .code_bytes = 2},
    {.name = "all",
     .code = {0x31, 0xc0, 0x31, 0xc9, 0x31, 0xdb, 0x31, 0xf6, 0x31, 0xff, 0x31, 0xd2},
     .code_bytes = 12                                                                                 }, /* xor of all but ebp, esp */
    {.name = "lea",     .code = {0x8d, 0x76, 0x00},                                    .code_bytes = 3},
};

static size_t candidates_32(const struct altpick_question *self,
                            struct altpick_candidate ret[ALTPICK_CANDIDATES_MAX])
{
    (void) self;
    memcpy(ret, planted_32, sizeof planted_32);
    return sizeof planted_32 / sizeof *planted_32;
}

static const struct altpick_question question_32 = {.name = "test.faults.32",
                                                    .bits = 32,
                                                    .conditions = 1u << ALTPICK_HOT,
                                                    .candidates = candidates_32};

static void a_bad_32_bit_candidate_is_named_and_harms_no_other(void **state)
{
    static const enum altpick_status expected[] = {
        ALTPICK_STATUS_MEASURED, ALTPICK_STATUS_MEASURED,  ALTPICK_STATUS_FAULTED,
        ALTPICK_STATUS_FAULTED,  ALTPICK_STATUS_TIMED_OUT, ALTPICK_STATUS_MEASURED,
        ALTPICK_STATUS_MEASURED};
    struct altpick_hosted_session hosted;
    struct altpick_result result = {0};
    struct altpick_diag diag = {{0}};
    struct altpick_cpu cpu;
    (void) state;

    set_up(&hosted, &cpu, UINT64_C(1) << 40);
    hosted.question = &question_32;
    assert_int_equal(altpick_hosted_session_run(&hosted, &diag), 0);
    assert_int_equal(altpick_hosted_session_result(&hosted, &result, &diag), 0);
    if (hosted.unsupported[0]) {
        print_message("%s\n", hosted.unsupported);
        skip();
    }
    for (size_t i = 0; i < result.n_candidates; i++)
        assert_int_equal(result.candidates[i].status, expected[i]);
    assert_int_equal(hosted.children_lost, 3);
    free(result.candidates);
    altpick_hosted_session_fini(&hosted);
}

/* Selectors of no segment, of a 64-bit code segment and of a data segment. */
static void a_system_without_32_bit_code_is_a_reason_and_no_error(void **state)
{
    static const uint16_t selectors[] = {0xfff3, 0x33, 0x2b};
    (void) state;

    for (size_t i = 0; i < sizeof selectors / sizeof *selectors; i++) {
        struct altpick_hosted_session hosted;
        struct altpick_result result = {0};
        struct altpick_diag diag = {{0}};
        struct altpick_cpu cpu;

        set_up(&hosted, &cpu, UINT64_C(1) << 40);
        hosted.question = &question_32;
        hosted.selector_32 = selectors[i];
        assert_int_equal(altpick_hosted_session_run(&hosted, &diag), 0);
        assert_int_equal(altpick_hosted_session_result(&hosted, &result, &diag), 0);
        assert_int_equal(result.condition[ALTPICK_HOT].status, ALTPICK_STATUS_UNMEASURED);
        assert_non_null(strstr(result.condition[ALTPICK_HOT].reason,
                               "this kernel runs no 32-bit code (a trial"));
        for (size_t k = 0; k < result.n_candidates; k++) {
            assert_int_equal(result.candidates[k].status, ALTPICK_STATUS_UNSUPPORTED);
            assert_int_equal(result.candidates[k].cost[ALTPICK_HOT].status,
                             ALTPICK_STATUS_UNSUPPORTED);
        }
        assert_int_equal(hosted.children_lost, 0);
        free(result.candidates);
        altpick_hosted_session_fini(&hosted);
    }
}

/* What cannot be run says nothing against a form: the one that a tie keeps is kept. */
static void where_32_bit_code_cannot_run_the_recommended_forms_are_kept(void **state)
{
    const struct altpick_question *fill_32 = altpick_question_find("nop.fill.32");
    struct altpick_decisions *decisions = calloc(1, sizeof *decisions);
    struct altpick_hosted_session hosted;
    struct altpick_result result = {0};
    struct altpick_diag diag = {{0}};
    struct altpick_policy policy;
    struct altpick_cpu cpu;
    (void) state;

    set_up(&hosted, &cpu, UINT64_C(1) << 40);
    hosted.question = fill_32;
    hosted.selector_32 = 0xfff3;
    assert_int_equal(altpick_hosted_session_run(&hosted, &diag), 0);
    assert_int_equal(altpick_hosted_session_result(&hosted, &result, &diag), 0);
    altpick_policy_init(&policy);
    altpick_decide(fill_32, &result, &policy, decisions);
    for (uint32_t bytes = 2; bytes <= 10; bytes++) {
        const struct altpick_decision *decision = &decisions->decision[bytes - 1];
        uint8_t code[ALTPICK_NOP_LONGEST];

        altpick_nop_recommended(code, bytes);
        assert_int_equal(decision->verdict, ALTPICK_VERDICT_UNMEASURED);
        assert_int_not_equal(decision->winner, ALTPICK_NO_ENTRY);
        assert_memory_equal(decision->contest.entries[decision->winner].measurement->candidate.code,
                            code, bytes);
    }
    free(decisions);
    free(result.candidates);
    altpick_hosted_session_fini(&hosted);
}

ALTPICK_TEST_MAIN(cmocka_unit_test(a_bad_candidate_is_named_and_harms_no_other),
                  cmocka_unit_test(a_fault_is_seen_where_the_end_of_children_is_ignored),
                  cmocka_unit_test(a_deadline_in_the_past_measures_nothing_and_says_so),
                  cmocka_unit_test(a_bad_32_bit_candidate_is_named_and_harms_no_other),
                  cmocka_unit_test(a_system_without_32_bit_code_is_a_reason_and_no_error),
                  cmocka_unit_test(where_32_bit_code_cannot_run_the_recommended_forms_are_kept),
                  cmocka_unit_test(shuffled_bytes_stay_with_their_length))
