/* SPDX-License-Identifier: MIT */
/* Results of sessions in which nothing was timed: reasons, states of guarantees, names. */
#include "altpick/err.h"
#include "altpick/result.h"
#include "altpick/xstate.h"
#include "test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_CANDIDATES = 3, CANNOT_FAULT = 1u << ALTPICK_GUARANTEE_CANNOT_FAULT };

static const struct altpick_question question = {
    .name = "own.question",
    .bits = 64,
    .conditions = 1u << ALTPICK_HOT | 1u << ALTPICK_LEGACY_DECODE | 1u << ALTPICK_STREAMED,
};

static const struct altpick_candidate built_in[N_CANDIDATES] = {
    {.name = "first",  .code = {0x90},  .code_bytes = 1, .guarantees = CANNOT_FAULT},
    {.name = "second", .code = {0x90},  .code_bytes = 1},
    {.name = "third",  .code = {0x90}, .code_bytes = 1,   .ring0 = true                          },
};

static struct altpick_session *session;
static uint32_t percent[ALTPICK_N_CONDITIONS];
static struct altpick_cpu cpu;
static struct altpick_measurement measurements[N_CANDIDATES];
static struct altpick_result result;
static struct altpick_result_source source;

static int set_up(void **state)
{
    struct altpick_plan plan;
    (void) state;

    memset(&cpu, 0, sizeof cpu);
    memset(percent, 0, sizeof percent);
    altpick_plan_init(&cpu, false, &plan);
    plan.effort[ALTPICK_STREAMED].block_bytes = 0;
    session = calloc(1, altpick_session_bytes(&plan, N_CANDIDATES));
    assert_non_null(session);
    altpick_session_init(session, &plan, built_in, N_CANDIDATES, 1);
    memset(measurements, 0xa5, sizeof measurements);
    memset(&result, 0xa5, sizeof result);
    source = (struct altpick_result_source){
        .question = &question,
        .cpu = &cpu,
        .session = session,
        .conditions = question.conditions,
        .reached_percent = percent,
        .stuck_ms = 250,
    };
    return 0;
}

static int tear_down(void **state)
{
    (void) state;
    free(session);
    return 0;
}

static void make(void)
{
    assert_int_equal(altpick_result_make(&source, measurements, N_CANDIDATES, &result), ALTPICK_OK);
}

static void memory_for_fewer_candidates_is_refused(void **state)
{
    struct altpick_result before;
    (void) state;

    memcpy(&before, &result, sizeof before);
    assert_int_equal(altpick_result_make(&source, measurements, N_CANDIDATES - 1, &result),
                     ALTPICK_ENOSPACE);
    assert_memory_equal(&before, &result, sizeof before);
}

static void a_result_lies_in_the_callers_memory_whatever_was_there(void **state)
{
    (void) state;
    session->batch = 2;
    make();
    assert_string_equal(result.question, "own.question");
    assert_int_equal(result.batches, 2);
    assert_ptr_equal(result.candidates, measurements);
    assert_int_equal(result.n_candidates, N_CANDIDATES);
    for (size_t i = 0; i < N_CANDIDATES; i++) {
        assert_string_equal(measurements[i].candidate.name, built_in[i].name);
        assert_string_equal(measurements[i].reason, "");
        assert_int_equal(measurements[i].status, ALTPICK_STATUS_UNMEASURED);
        assert_false(measurements[i].has_observed);
        for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++)
            assert_int_equal(measurements[i].cost[c].status, ALTPICK_STATUS_UNMEASURED);
    }
}

static void conditions_without_figures_say_why(void **state)
{
    (void) state;
    source.unreached = 1u << ALTPICK_LEGACY_DECODE;
    percent[ALTPICK_LEGACY_DECODE] = 104;
    session->plan.effort[ALTPICK_LEGACY_DECODE].block_bytes = 24576;
    make();
    assert_string_equal(result.condition[ALTPICK_HOT].reason, "the time limit came first");
    assert_string_equal(result.condition[ALTPICK_LEGACY_DECODE].reason,
                        "code in 24576 bytes costs 104 % of the condition before: not reached by "
                        "most candidates");
    assert_string_equal(result.condition[ALTPICK_STREAMED].reason, "not measured");
    assert_false(result.condition[ALTPICK_WARM].asked);
    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++)
        assert_int_equal(result.condition[c].status, ALTPICK_STATUS_UNMEASURED);
}

static const char *left_out(unsigned condition)
{
    return condition == ALTPICK_STREAMED ? "no memory to stream" : "wrong condition";
}

static void whoever_left_a_condition_out_says_why(void **state)
{
    (void) state;
    source.left_out = left_out;
    make();
    assert_string_equal(result.condition[ALTPICK_STREAMED].reason, "no memory to stream");
}

static void a_condition_that_the_cpu_cannot_do_is_unsupported(void **state)
{
    (void) state;
    source.conditions = 1u << ALTPICK_AVX2_512;
    session->lacking = 1u << ALTPICK_AVX2_512;
    make();
    assert_int_equal(result.condition[ALTPICK_AVX2_512].status, ALTPICK_STATUS_UNSUPPORTED);
    assert_string_equal(result.condition[ALTPICK_AVX2_512].reason,
                        "needs avx2, which this CPU lacks");
}

static void where_nothing_can_run_everything_is_unsupported(void **state)
{
    (void) state;
    source.unsupported = "no such code here";
    make();
    assert_string_equal(result.condition[ALTPICK_HOT].reason, "no such code here");
    assert_int_equal(measurements[0].status, ALTPICK_STATUS_UNSUPPORTED);
    assert_int_equal(measurements[0].cost[ALTPICK_HOT].status, ALTPICK_STATUS_UNSUPPORTED);
}

static void what_a_candidate_did_wrong_is_told(void **state)
{
    (void) state;
    session->state[0] = ALTPICK_CELL_FAULTED;
    session->fault[0] = ALTPICK_FAULT_VECTOR | 6;
    session->state[1] = ALTPICK_CELL_TIMED_OUT;
    session->state[2] = ALTPICK_CELL_BREACHED;
    make();
    assert_string_equal(measurements[0].reason, "faulted: #UD");
    assert_int_equal(measurements[0].guarantee[ALTPICK_GUARANTEE_CANNOT_FAULT],
                     ALTPICK_GUARANTEE_IS_CONTRADICTED);
    assert_string_equal(measurements[1].reason, "did not end within 250 ms");
    assert_int_equal(measurements[1].guarantee[ALTPICK_GUARANTEE_CANNOT_FAULT],
                     ALTPICK_GUARANTEE_IS_NONE);
    assert_string_equal(measurements[2].reason, "does not decode as whole instructions");
    session->checked[2] = 1;
    session->changed[2] = 1u << ALTPICK_REGISTER_RBP;
    make();
    assert_string_equal(measurements[2].reason, "clobbered rbp");
}

static void what_a_candidate_lacks_is_told(void **state)
{
    (void) state;
    session->state[1] = session->state[2] = ALTPICK_CELL_LACKING;
    session->candidates[1].needs = UINT64_C(1) << ALTPICK_CPU_XSAVEC;
    make();
    assert_int_equal(measurements[1].status, ALTPICK_STATUS_UNSUPPORTED);
    assert_string_equal(measurements[1].reason, "needs xsavec, which this CPU lacks");
    assert_string_equal(measurements[2].reason, "needs ring 0");
}

static void what_was_not_measured_says_so_of_every_candidate(void **state)
{
    (void) state;
    altpick_result_unmeasured(&question, &cpu, "the clock stands still", built_in, N_CANDIDATES,
                              measurements, &result);
    assert_string_equal(result.question, "own.question");
    assert_int_equal(result.batches, 0);
    assert_string_equal(result.condition[ALTPICK_HOT].reason, "the clock stands still");
    assert_true(result.condition[ALTPICK_STREAMED].asked);
    assert_false(result.condition[ALTPICK_WARM].asked);
    assert_int_equal(result.n_candidates, N_CANDIDATES);
    assert_ptr_equal(result.candidates, measurements);
    assert_int_equal(measurements[0].guarantee[ALTPICK_GUARANTEE_CANNOT_FAULT],
                     ALTPICK_GUARANTEE_IS_DECLARED);
    assert_int_equal(measurements[2].status, ALTPICK_STATUS_UNMEASURED);
}

static void assert_fault(uint8_t fault, const char *expected)
{
    char text[16] = "";

    altpick_fault_text(fault, text, sizeof text);
    assert_string_equal(text, expected);
}

/* SDM vol. 3, table 6-1, and APM vol. 2, 8.2. */
static void faults_have_the_names_of_the_manuals(void **state)
{
    static const struct {
        uint8_t vector;
        const char *name;
    } named[] = {
        {0,  "#DE"      },
        {1,  "#DB"      },
        {2,  "NMI"      },
        {3,  "#BP"      },
        {4,  "#OF"      },
        {5,  "#BR"      },
        {6,  "#UD"      },
        {7,  "#NM"      },
        {8,  "#DF"      },
        {9,  "vector 9" },
        {10, "#TS"      },
        {11, "#NP"      },
        {12, "#SS"      },
        {13, "#GP"      },
        {14, "#PF"      },
        {15, "vector 15"},
        {16, "#MF"      },
        {17, "#AC"      },
        {18, "#MC"      },
        {19, "#XM"      },
        {20, "#VE"      },
        {21, "#CP"      },
        {28, "#HV"      },
        {29, "#VC"      },
        {30, "#SX"      },
    };
    (void) state;

    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        assert_fault(ALTPICK_FAULT_VECTOR | named[i].vector, named[i].name);
    for (unsigned vector = 22; vector < 128; vector++) {
        char expected[16];

        snprintf(expected, sizeof expected, "vector %u", vector);
        if (vector < 28 || vector > 30)
            assert_fault((uint8_t) (ALTPICK_FAULT_VECTOR | vector), expected);
    }
}

static void signals_have_their_own_names(void **state)
{
    (void) state;
    assert_fault(SIGILL, "SIGILL");
    assert_fault(SIGTRAP, "SIGTRAP");
    assert_fault(SIGBUS, "SIGBUS");
    assert_fault(SIGFPE, "SIGFPE");
    assert_fault(SIGSEGV, "SIGSEGV");
    assert_fault(SIGKILL, "signal 9");
    assert_fault(0, "signal 0");
}

static void a_machine_is_named_after_its_cpu(void **state)
{
    struct altpick_machine machine = {0};
    (void) state;

    memcpy(machine.cpu.vendor, "GenuineIntel", 13);
    machine.cpu.family = 6;
    machine.cpu.model = 151;
    machine.cpu.stepping = 2;
    altpick_machine_describe(&machine, 0);
    assert_string_equal(machine.name, "GenuineIntel-6-151-2");
    assert_string_equal(machine.altpick_version, ALTPICK_VERSION);
    assert_int_equal(machine.ring, 0);
    machine.cpu.core_type = ALTPICK_CORE_ATOM;
    altpick_machine_describe(&machine, 3);
    assert_string_equal(machine.name, "GenuineIntel-6-151-2-atom");
    assert_int_equal(machine.ring, 3);
    machine.cpu.core_type = ALTPICK_CORE_CORE;
    altpick_machine_describe(&machine, 3);
    assert_string_equal(machine.name, "GenuineIntel-6-151-2-core");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

ALTPICK_TEST_MAIN(TEST(memory_for_fewer_candidates_is_refused),
                  TEST(a_result_lies_in_the_callers_memory_whatever_was_there),
                  TEST(conditions_without_figures_say_why),
                  TEST(whoever_left_a_condition_out_says_why),
                  TEST(a_condition_that_the_cpu_cannot_do_is_unsupported),
                  TEST(where_nothing_can_run_everything_is_unsupported),
                  TEST(what_a_candidate_did_wrong_is_told), TEST(what_a_candidate_lacks_is_told),
                  TEST(what_was_not_measured_says_so_of_every_candidate),
                  cmocka_unit_test(faults_have_the_names_of_the_manuals),
                  cmocka_unit_test(signals_have_their_own_names),
                  cmocka_unit_test(a_machine_is_named_after_its_cpu))
