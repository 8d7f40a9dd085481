/* SPDX-License-Identifier: MIT */
/* The hosted session on this CPU: what a bad candidate does to the others, and limits. */
#include "altpick/clock.h"
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

static size_t candidates(struct altpick_candidate ret[ALTPICK_CANDIDATES_MAX])
{
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

ALTPICK_TEST_MAIN(cmocka_unit_test(a_bad_candidate_is_named_and_harms_no_other),
                  cmocka_unit_test(a_fault_is_seen_where_the_end_of_children_is_ignored),
                  cmocka_unit_test(a_deadline_in_the_past_measures_nothing_and_says_so),
                  cmocka_unit_test(shuffled_bytes_stay_with_their_length))
