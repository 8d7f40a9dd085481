/* SPDX-License-Identifier: MIT */
/* The hosted session on this CPU: limits, and bytes behind names. */
#include "altpick/clock.h"
#include "machine.h"
#include "session.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct altpick_candidate planted[] = {
    {.name = "nop",  .code = {0x90},       .code_bytes = 1},
    {.name = "90.2", .code = {0x90, 0x90}, .code_bytes = 2},
    {.name = "nop2", .code = {0x66, 0x90}, .code_bytes = 2},
};

static size_t candidates(struct altpick_candidate ret[ALTPICK_CANDIDATES_MAX])
{
    memcpy(ret, planted, sizeof planted);
    return sizeof planted / sizeof *planted;
}

static const struct altpick_question question = {
    .name = "test.session", .conditions = 1u << ALTPICK_HOT, .candidates = candidates};

static void set_up(struct altpick_hosted_session *hosted, struct altpick_cpu *cpu, uint64_t ticks)
{
    *hosted = (struct altpick_hosted_session){
        .question = &question, .cpu = cpu, .seed = 1, .stuck_ms = 100};
    altpick_cpu_read(&altpick_cpuid_native, cpu);
    altpick_plan_init(cpu, false, &hosted->plan);
    hosted->plan.effort[ALTPICK_HOT].layouts = 9;
    hosted->deadline_ticks = altpick_clock_start() + ticks;
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

ALTPICK_TEST_MAIN(cmocka_unit_test(a_deadline_in_the_past_measures_nothing_and_says_so),
                  cmocka_unit_test(shuffled_bytes_stay_with_their_length))
