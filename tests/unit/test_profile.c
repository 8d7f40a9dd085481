/* SPDX-License-Identifier: MIT */
/* Profiles: written and read back. */
#include "exits.h"
#include "profile_sample.h"

static const struct altpick_machine machine = {
    .name = "GenuineIntel-6-85-7",
    .cpu =
        {
              .vendor = "GenuineIntel",
              .brand = "A \"quoted\" CPU @ 2.60GHz \xc2\xae",
              .hypervisor = "KVMKVMKVM",
              .signature = 0x50657,
              .family = 6,
              .model = 85,
              .stepping = 7,
              .core_type = 0x40,
              .microcode = 0x5003604,
              .features = {1u << ALTPICK_CPU_FPU | 1u << ALTPICK_CPU_AVX2},
              .xcr0 = 0x2e7,
              .l1i_bytes = 32768,
              .l1d_bytes = 32768,
              .l2_bytes = 1048576,
              .line_bytes = 64,
              },
    .ring = 3,
    .trust = ALTPICK_TRUST_GUEST,
    .tsc_hz = 2593000000,
    .quantum_ticks = 2,
    .altpick_version = "0.1.0",
    .warnings = {"a sibling thread was busy",     "no core could be reserved"                                   },
    .n_warnings = 2,
};

static const struct altpick_condition_facts asked = {true, ALTPICK_STATUS_MEASURED, 2048, ""};
static const struct altpick_condition_facts missing = {true, ALTPICK_STATUS_UNMEASURED, 0,
                                                       "L2 is not known"};

static void the_writer_gives_the_golden_file(void **state)
{
    const struct sample *sample = *state;
    struct altpick_measurement own[] = {
        {.candidate = {.name = "nop.3", .code = {0x0f, 0x1f, 0}, .code_bytes = 3},
         .status = ALTPICK_STATUS_MEASURED,
         .guarantee = {ALTPICK_GUARANTEE_IS_CHECKED},
         .cost = {[ALTPICK_HOT] = {ALTPICK_STATUS_MEASURED, 96, 83400, 83399, 83412}}},
        {.candidate = {.name = "90.3", .code = {0x90, 0x90, 0x90}, .code_bytes = 3},
         .status = ALTPICK_STATUS_FAULTED,
         .reason = "faulted: SIGILL",
         .cost = {[ALTPICK_HOT] = {.status = ALTPICK_STATUS_FAULTED}}                },
        {.candidate = {.name = "later"}                                            },
        {.candidate = {.name = "count", .code = {0xf0, 0xff, 0x07}, .code_bytes = 3},
         .instructions = 1,
         .has_observed = true,
         .observed = {{0, 1, 0, ALTPICK_REPORT_SILENT},
                      {1, 2, 1, ALTPICK_REPORT_SATURATED},
                      {0xffffffff, 0, 0, ALTPICK_REPORT_OVERFLOW},
                      {0x7fffffff, 0x80000000, 0xffffffff, ALTPICK_REPORT_UNDERFLOW},
                      {0xc0000000, 0xc0000001, 0, ALTPICK_REPORT_LEAK}}                                                           },
    };
    struct altpick_measurement other[] = {
        {.candidate = {.name = "from the future", .code = {0xcc}, .code_bytes = 1},
         .status = ALTPICK_STATUS_PUBLISHED,
         .guarantee = {ALTPICK_GUARANTEE_IS_CONTRADICTED},
         .has_observed = true, /* of whatever that counts */
         .cost = {[ALTPICK_HOT] = {ALTPICK_STATUS_PUBLISHED, 1, 999999999999999, 0,
                                   999999999999999},
                  [ALTPICK_CONTENDED] = {ALTPICK_STATUS_ESTIMATED, 0, 1, 1, 1}}},
    };
    struct altpick_result results[] = {
        {.question = "own.question", .batches = 3, .candidates = own,                    .n_candidates = 4},
        {.question = "unknown.question",                          .candidates = other,         .n_candidates = 1},
    };
    struct altpick_machine machines[] = {machine, {.name = "bare"}};
    struct altpick_profile profile = {machines, 2};
    struct altpick_text text;

    results[0].condition[ALTPICK_HOT] = asked;
    results[0].condition[ALTPICK_L1I_MISS] = missing;
    results[1].condition[ALTPICK_HOT] = asked;
    results[1].condition[ALTPICK_CONTENDED] = asked;
    machines[0].results = results;
    machines[0].n_results = 2;

    write_profile(&profile, &text);
    if (getenv("ALTPICK_REBASE")) {
        struct altpick_diag diag;

        assert_int_equal(altpick_file_write(GOLDEN, text.data, text.bytes, &diag), ALTPICK_OK);
    } else {
        assert_string_equal(text.data, sample->text);
    }
    altpick_text_fini(&text);
}

static void reading_and_writing_gives_the_same_bytes(void **state)
{
    const struct sample *sample = *state;
    struct altpick_profile profile = {0};
    struct altpick_diag diag;
    struct altpick_text text;

    assert_int_equal(altpick_profile_read(GOLDEN, &profile, &diag), ALTPICK_OK);
    write_profile(&profile, &text);
    assert_int_equal(text.bytes, sample->bytes);
    assert_memory_equal(text.data, sample->text, text.bytes);
    altpick_text_fini(&text);
    altpick_profile_fini(&profile);
}

static void what_was_read_can_be_found(void **state)
{
    const struct sample *sample = *state;
    const struct altpick_result *result;
    const struct altpick_measurement *found;
    struct altpick_profile profile = {0};
    struct altpick_diag diag;

    assert_int_equal(
        altpick_profile_parse("bad.json", sample->text, sample->bytes, &profile, &diag),
        ALTPICK_OK);
    assert_int_equal(profile.n_machines, 2);
    assert_memory_equal(&profile.machines[0].cpu, &machine.cpu, sizeof machine.cpu);
    assert_string_equal(profile.machines[0].warnings[1], machine.warnings[1]);
    assert_null(altpick_machine_result(&profile.machines[0], "nothing"));
    result = altpick_machine_result(&profile.machines[0], "unknown.question");
    assert_non_null(result);
    assert_null(altpick_result_candidate(result, "nothing"));
    found = altpick_result_candidate(result, "from the future");
    assert_non_null(found);
    assert_int_equal(found->cost[ALTPICK_HOT].high_micro, 999999999999999);
    assert_int_equal(found->cost[ALTPICK_CONTENDED].cycles_micro, 1);
    assert_int_equal(found->guarantee[ALTPICK_GUARANTEE_ONE_INSTRUCTION],
                     ALTPICK_GUARANTEE_IS_CONTRADICTED);
    assert_true(found->has_observed);
    assert_int_equal(found->instructions, 0);
    result = altpick_machine_result(&profile.machines[0], "own.question");
    found = altpick_result_candidate(result, "count");
    assert_true(found->has_observed);
    assert_int_equal(found->instructions, 1);
    assert_int_equal(found->observed[ALTPICK_COUNT_MAXIMUM].after, 0x80000000);
    assert_int_equal(found->observed[ALTPICK_COUNT_SATURATED].report, ALTPICK_REPORT_LEAK);
    altpick_profile_fini(&profile);
}

/* Figures that hold a VM exit say so; no other reason stands beside figures (test_profile_bad). */
static void a_marked_exit_is_read_with_its_figures(void **state)
{
    static const char reason[] = ALTPICK_EXITS_REASON ": 2000 cycles beyond nm";
    static const struct edit edit = {
        "\"status\": \"measured\",\n              \"guarantees\"",
        "\"status\": \"measured\",\n              \"reason\": \"" ALTPICK_EXITS_REASON
        ": 2000 cycles beyond nm\",\n              \"guarantees\"",
        ""};
    const struct sample *sample = *state;
    char *marked = edited(sample->text, &edit);
    struct altpick_profile profile = {0};
    struct altpick_diag diag;
    struct altpick_text text;

    assert_int_equal(altpick_profile_parse("bad.json", marked, strlen(marked), &profile, &diag),
                     ALTPICK_OK);
    assert_string_equal(profile.machines[0].results[0].candidates[0].reason, reason);
    assert_int_equal(profile.machines[0].results[0].candidates[0].status, ALTPICK_STATUS_MEASURED);
    write_profile(&profile, &text);
    assert_string_equal(text.data, marked);
    altpick_text_fini(&text);
    altpick_profile_fini(&profile);
    free(marked);
}

ALTPICK_TEST_MAIN(WITH_SAMPLE(the_writer_gives_the_golden_file),
                  WITH_SAMPLE(reading_and_writing_gives_the_same_bytes),
                  WITH_SAMPLE(what_was_read_can_be_found),
                  WITH_SAMPLE(a_marked_exit_is_read_with_its_figures))
