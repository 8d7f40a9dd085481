/* SPDX-License-Identifier: MIT */
/* altpick_boot_probe() in ring 3: the same code as at boot, less what needs privileges. */
#define _GNU_SOURCE
#include "test.h"

#include "altpick/boot.h"
#include "altpick/err.h"
#include "boot_run.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { US = 20000, TRIES = 60, ALIGN = 64 };

/* A default that loses by far, what beats it, and the same once more under another name. */
static const struct altpick_candidate planted[] = {
  /* imul eax, eax: three cycles each, one after the other */
    {.name = "slow", .code = {0x0f, 0xaf, 0xc0, 0x0f, 0xaf, 0xc0}, .code_bytes = 6},
    {.name = "fast", .code = {0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00}, .code_bytes = 6},
    {.name = "same", .code = {0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00}, .code_bytes = 6},
};

enum { N_PLANTED = sizeof planted / sizeof *planted };

static size_t plant(const struct altpick_question *question,
                    struct altpick_candidate ret[ALTPICK_CANDIDATES_MAX])
{
    (void) question;
    memcpy(ret, planted, sizeof planted);
    return N_PLANTED;
}

static size_t plant_nm(const struct altpick_question *question,
                       struct altpick_candidate ret[ALTPICK_CANDIDATES_MAX])
{
    (void) question;
    ret[0] = (struct altpick_candidate){
        .name = "fnop", .code = {0xd9, 0xd0},
             .code_bytes = 2, .traps = 2, .ring0 = true
    };
    return 1;
}

/* Item 0: the default loses.  Item 1: two that are equal. */
static void contest(const struct altpick_question *question, size_t index,
                    const struct altpick_result *result, const struct altpick_policy *policy,
                    const struct altpick_decision *earlier, struct altpick_contest *ret_contest)
{
    (void) earlier;
    altpick_contest_init(ret_contest, question, index ? "equal" : "loser", result, policy);
    for (size_t i = index; i < 2 + index; i++)
        altpick_contest_add(ret_contest, result->candidates[i].candidate.name,
                            &result->candidates[i])
            ->rank = (uint32_t) i;
}

static const struct altpick_question planted_question = {
    .name = "planted",
    .title = "a loser and two equals",
    .bits = 64,
    .conditions = 1u << ALTPICK_HOT,
    .may_change = 1u << ALTPICK_REGISTER_RAX | 1u << ALTPICK_REGISTER_FLAGS,
    .n_candidates = N_PLANTED,
    .candidates = plant,
    .n_items = 2,
    .item = contest,
};

static const struct altpick_question *const questions[] = {&planted_question};

struct probe {
    struct altpick_boot_options options;
    struct altpick_boot boot;
    int r;
};

static void set_up(struct probe *probe, uint32_t budget_us)
{
    struct altpick_boot_options *options = &probe->options;

    *probe = (struct probe){
        .options = {.budget_us = budget_us,
                    .tsc_hz = 2000000000,
                    .questions = questions,
                    .n_questions = 1,
                    .seed = 1}
    };
    options->memory_bytes = altpick_boot_memory_bytes(options);
    options->memory = aligned_alloc(ALIGN, (options->memory_bytes + ALIGN - 1) / ALIGN * ALIGN);
    options->code_bytes = altpick_boot_code_bytes(options);
    options->code = mmap(NULL, options->code_bytes, PROT_READ | PROT_WRITE | PROT_EXEC,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    assert_non_null(options->memory);
    assert_ptr_not_equal(options->code, MAP_FAILED);
}

static void tear_down(struct probe *probe)
{
    free(probe->options.memory);
    munmap(probe->options.code, probe->options.code_bytes);
}

/* The data of a finished probe. */
static struct altpick_boot_run *data_of(const struct probe *probe)
{
    return probe->options.memory;
}

/* Until a probe came through undisturbed; false where nothing here can be timed. */
static bool run(struct probe *probe, const char *item, const char *expected)
{
    unsigned shared = 0;

    for (unsigned i = 0; i < TRIES; i++) {
        const struct altpick_boot_choice *choice;

        probe->r = altpick_boot_probe(&probe->options, &probe->boot);
        if (probe->r == ALTPICK_EUNTRUSTED && probe->boot.trust.trust != ALTPICK_TRUST_UNSTABLE)
            return false;
        choice = probe->r == ALTPICK_OK ? altpick_boot_find(&probe->boot, item) : NULL;
        if (choice && strcmp(choice->candidate, expected) == 0)
            return true;
        shared += choice && strstr(choice->why, "another thread") != NULL;
    }
    assert_int_equal(probe->r, ALTPICK_OK);
    if (shared > TRIES / 2) {
        print_message("another thread was on this core beside %u of %u probes\n", shared, TRIES);
        return false;
    }
    return true;
}

static void a_default_that_loses_is_replaced(void **state)
{
    struct probe probe;
    const struct altpick_boot_choice *choice;

    (void) state;
    set_up(&probe, US);
    if (run(&probe, "planted.loser", "fast")) {
        choice = altpick_boot_find(&probe.boot, "planted.loser");
        assert_non_null(choice);
        assert_string_equal(choice->candidate, "fast");
        assert_int_equal(choice->verdict, ALTPICK_VERDICT_CLEAR);
        assert_true(choice->displaced);
        assert_string_equal(choice->why, "");
    }
    tear_down(&probe);
}

static void equals_keep_the_default(void **state)
{
    struct probe probe;

    (void) state;
    set_up(&probe, US);
    for (unsigned i = 0; i < TRIES; i++) {
        probe.r = altpick_boot_probe(&probe.options, &probe.boot);
        if (probe.r == ALTPICK_OK && altpick_boot_find(&probe.boot, "planted.equal"))
            assert_string_equal(altpick_boot_find(&probe.boot, "planted.equal")->candidate, "fast");
    }
    tear_down(&probe);
}

static void too_little_memory_is_refused(void **state)
{
    struct altpick_boot before;
    struct probe probe;

    (void) state;
    set_up(&probe, US);
    memset(&probe.boot, 0x5a, sizeof probe.boot);
    memset(&before, 0x5a, sizeof before);
    probe.options.memory_bytes /= 2;
    assert_int_equal(altpick_boot_probe(&probe.options, &probe.boot), ALTPICK_ENOSPACE);
    probe.options.memory_bytes *= 2;
    probe.options.code_bytes -= 4096;
    assert_int_equal(altpick_boot_probe(&probe.options, &probe.boot), ALTPICK_ENOSPACE);
    probe.options.code_bytes += 4096;
    probe.options.code = NULL;
    assert_int_equal(altpick_boot_probe(&probe.options, &probe.boot), ALTPICK_ENOSPACE);
    assert_memory_equal(&probe.boot, &before, sizeof before);
    free(probe.options.memory);
}

static bool never_asked(void *ctx, uint64_t ran_ticks)
{
    (void) ctx;
    (void) ran_ticks;
    return false;
}

/* What would go wrong later, in gates or memory of others. */
static void options_that_cannot_be_are_refused(void **state)
{
    const struct altpick_question too_many = {.name = "planted",
                                              .bits = 64,
                                              .conditions = 1u << ALTPICK_HOT,
                                              .n_candidates = N_PLANTED - 1,
                                              .candidates = plant};
    const struct altpick_question *const asked[] = {&too_many};
    /* XOR behind it would raise #NM, too. */
    const struct altpick_question stepped_with_work = {.name = "planted",
                                                       .bits = 64,
                                                       .conditions = 1u << ALTPICK_HOT |
                                                                     1u << ALTPICK_SSE_512,
                                                       .n_candidates = 1,
                                                       .candidates = plant_nm};
    const struct altpick_question *const asked_stepped[] = {&stepped_with_work};
    struct altpick_boot_options bad[9];
    struct probe probe;

    (void) state;
    set_up(&probe, US);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        bad[i] = probe.options;
    bad[0].n_questions = 0;
    bad[1].deadline_vector = 14;
    bad[1].deadline = never_asked;
    bad[2].deadline_vector = 0x40; /* and nobody to ask */
    bad[3].code = (uint8_t *) bad[3].code + 64;
    bad[4].code_view = (uint8_t *) bad[4].code + 64;
    bad[5].memory = (uint8_t *) bad[5].code + bad[5].code_bytes - 1;
    bad[6].tsc_hz = 999999;
    bad[7].questions = asked;
    bad[8].questions = asked_stepped;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(altpick_boot_probe(&bad[i], &probe.boot), ALTPICK_EUSAGE);
    tear_down(&probe);
}

static void memory_of_any_alignment_does(void **state)
{
    struct probe probe;
    uint8_t *whole;

    (void) state;
    set_up(&probe, US);
    free(probe.options.memory);
    whole = malloc(probe.options.memory_bytes + 1);
    probe.options.memory = whole + 1;
    memset(whole, 0xaa, probe.options.memory_bytes + 1);
    probe.r = altpick_boot_probe(&probe.options, &probe.boot);
    assert_true(probe.r == ALTPICK_OK || probe.r == ALTPICK_EUNTRUSTED);
    assert_int_equal(probe.boot.machine->n_results, 1);
    free(whole);
    munmap(probe.options.code, probe.options.code_bytes);
}

/* Nothing can be measured within no time, and everything keeps its default. */
static void a_budget_of_nothing_keeps_all_defaults(void **state)
{
    struct probe probe;

    (void) state;
    set_up(&probe, 1);
    probe.r = altpick_boot_probe(&probe.options, &probe.boot);
    assert_true(probe.r == ALTPICK_OK || probe.r == ALTPICK_EUNTRUSTED);
    for (size_t i = 0; i < probe.boot.n_choices; i++)
        assert_false(probe.boot.choices[i].displaced);
    assert_string_equal(probe.boot.output->nop64.nop[5].remark, "default");
    tear_down(&probe);
}

/* Decide again on what @probe found. */
static struct altpick_boot_run *decide_again(struct probe *probe)
{
    struct altpick_boot_run *run = data_of(probe);

    run->ret = &probe->boot;
    run->n_choices = 0;
    run->end_ticks = UINT64_MAX;
    assert_int_equal(altpick_boot_decide_defaults(run), ALTPICK_OK);
    assert_int_equal(altpick_boot_decide(run), ALTPICK_OK);
    return run;
}

/* The same as if the CPU had cores of several types. */
static struct altpick_boot_run *run_of(struct probe *probe)
{
    data_of(probe)->machine.cpu.features[ALTPICK_CPU_HYBRID / 32] |= 1u << ALTPICK_CPU_HYBRID % 32;
    return decide_again(probe);
}

/* Within milliseconds a burst covers the samples of some candidates and not those of others. */
static void a_short_probe_of_a_shared_core_decides_nothing(void **state)
{
    struct probe probe;
    struct altpick_session *session;
    const struct altpick_condition_facts *hot;
    const struct altpick_boot_run *again;

    (void) state;
    set_up(&probe, US);
    if (!run(&probe, "planted.loser", "fast"))
        goto out;
    session = data_of(&probe)->questions[0].session;
    session->samples_quiet = 90;
    session->samples_busy = 10;
    assert_string_equal(decide_again(&probe)->choices[0].candidate, "fast");

    session->samples_quiet = 89;
    session->samples_busy = 11;
    again = decide_again(&probe);
    hot = &again->results[0].condition[ALTPICK_HOT];
    assert_string_equal(again->choices[0].candidate, "slow");
    assert_false(again->choices[0].displaced);
    assert_non_null(strstr(again->choices[0].why, "another thread was on this core"));
    assert_int_equal(hot->status, ALTPICK_STATUS_UNMEASURED);
    assert_string_equal(hot->reason, again->choices[0].why);
    assert_false(altpick_cost_is_known(&again->results[0].candidates[0].cost[ALTPICK_HOT]));

    session->plan.brief = false; /* later batches put that right */
    assert_string_equal(decide_again(&probe)->choices[0].candidate, "fast");
out:
    tear_down(&probe);
}

static void one_core_type_decides_nothing_for_others(void **state)
{
    struct probe probe;
    struct altpick_boot other;
    const struct altpick_boot *others[] = {&other};
    struct altpick_boot_choice theirs[2];
    struct altpick_machine their_machine;
    struct altpick_boot_run *hybrid;

    (void) state;
    set_up(&probe, US);
    if (!run(&probe, "planted.loser", "fast"))
        goto out;
    /* The first core is one of several types, too: all of its own choices are defaults. */
    hybrid = run_of(&probe);
    other = probe.boot;
    memcpy(theirs, probe.boot.choices, sizeof theirs);
    other.choices = theirs;
    their_machine = *probe.boot.machine;
    other.machine = &their_machine;
    assert_string_equal(hybrid->choices[0].candidate, "slow");
    assert_string_equal(hybrid->choices[0].here, "fast");
    assert_string_equal(hybrid->choices[0].why, "cores of other types were not measured");

    /* The same type once more is no other. */
    hybrid->options.others = others;
    hybrid->options.n_others = 1;
    hybrid = run_of(&probe);
    assert_string_equal(hybrid->choices[0].candidate, "slow");

    their_machine.cpu.core_type = ALTPICK_CORE_ATOM;
    hybrid = run_of(&probe);
    assert_string_equal(hybrid->choices[0].candidate, "fast");
    assert_true(hybrid->choices[0].displaced);

    strcpy(theirs[0].here, "");
    hybrid = run_of(&probe);
    assert_string_equal(hybrid->choices[0].candidate, "slow");
    assert_string_equal(hybrid->choices[0].why, "cores of other types decide otherwise");
out:
    tear_down(&probe);
}

/* What a probe may be late by is told with what came out. */
static void steps_are_declared(void **state)
{
    struct probe probe;

    (void) state;
    set_up(&probe, US);
    if (run(&probe, "planted.loser", "fast"))
        assert_true(probe.boot.step_ticks > 0);
    tear_down(&probe);
}

static void every_question_says_how_many_candidates_it_has(void **state)
{
    static struct altpick_candidate all[ALTPICK_CANDIDATES_MAX];

    (void) state;
    for (size_t i = 0; i < altpick_question_count; i++)
        assert_int_equal(altpick_questions[i]->candidates(altpick_questions[i], all),
                         altpick_questions[i]->n_candidates);
}

/* A table instead of CPUID: leaves 0, 1, 15H, 16H, 40000000H and 40000010H. */
struct clocks {
    uint32_t max, ratio, numerator, crystal, mhz, hypervisor_max, khz;
    bool hypervisor;
};

static void clocks_cpuid(void *ctx, uint32_t leaf, uint32_t subleaf, uint32_t ret_regs[4])
{
    const struct clocks *clocks = ctx;

    (void) subleaf;
    memset(ret_regs, 0, 4 * sizeof *ret_regs);
    switch (leaf) {
    case 0:
        ret_regs[0] = clocks->max;
        break;
    case 1:
        ret_regs[2] = (uint32_t) clocks->hypervisor << 31;
        break;
    case 0x15:
        ret_regs[0] = clocks->ratio;
        ret_regs[1] = clocks->numerator;
        ret_regs[2] = clocks->crystal;
        break;
    case 0x16:
        ret_regs[0] = clocks->mhz;
        break;
    case 0x40000000:
        ret_regs[0] = clocks->hypervisor_max;
        break;
    case 0x40000010:
        ret_regs[0] = clocks->khz;
        break;
    }
}

static uint64_t hz_of(struct clocks clocks)
{
    const struct altpick_cpuid_source source = {.cpuid = clocks_cpuid, .ctx = &clocks};

    return altpick_boot_tsc_hz(&source);
}

static void the_counters_rate_is_what_cpuid_says(void **state)
{
    (void) state;
    assert_int_equal(
        hz_of((struct clocks){
            .max = 0x16, .ratio = 2, .numerator = 216, .crystal = 24000000, .mhz = 2600}),
        2592000000);
    assert_int_equal(hz_of((struct clocks){.max = 0x16, .mhz = 2600}), 2600000000);
    assert_int_equal(
        hz_of((struct clocks){
            .max = 0xd, .hypervisor = true, .hypervisor_max = 0x40000010, .khz = 2596000}),
        2596000000);
    assert_int_equal(hz_of((struct clocks){.max = 0xd, .hypervisor_max = 0x40000010, .khz = 1}), 0);
    assert_int_equal(hz_of((struct clocks){
                         .max = 0xd, .hypervisor = true, .hypervisor_max = 0x40000001, .khz = 1}),
                     0);
    /* No leaf at all reads as the last one of the CPU. */
    assert_int_equal(
        hz_of((struct clocks){.max = 0xd, .hypervisor = true, .hypervisor_max = ~0u, .khz = 1}), 0);
    /* The counter of a guest that came from a faster host is scaled. */
    assert_int_equal(hz_of((struct clocks){.max = 0x16,
                                           .mhz = 2600,
                                           .hypervisor = true,
                                           .hypervisor_max = 0x40000010,
                                           .khz = 2000000}),
                     2000000000);
}

/* An image has the code of the questions that its program names, and there are none by default. */
static void a_probe_without_questions_is_refused(void **state)
{
    struct probe probe;

    (void) state;
    set_up(&probe, US);
    probe.options.questions = NULL;
    assert_int_equal(altpick_boot_probe(&probe.options, &probe.boot), ALTPICK_EUSAGE);
    free(probe.options.memory);
}

static void all_questions_are_asked_where_none_is_named(void **state)
{
    struct altpick_boot_options all = {0}, own = {.questions = questions, .n_questions = 1};

    (void) state;
    altpick_boot_ask_all(&all);
    assert_ptr_equal(all.questions, altpick_questions);
    assert_int_equal(all.n_questions, altpick_question_count);
    altpick_boot_ask_all(&own);
    assert_ptr_equal(own.questions, questions);
    assert_int_equal(own.n_questions, 1);
}

#define TEST(name) cmocka_unit_test(name)
ALTPICK_TEST_MAIN(TEST(a_default_that_loses_is_replaced), TEST(equals_keep_the_default),
                  TEST(too_little_memory_is_refused), TEST(memory_of_any_alignment_does),
                  TEST(options_that_cannot_be_are_refused),
                  TEST(a_budget_of_nothing_keeps_all_defaults),
                  TEST(a_short_probe_of_a_shared_core_decides_nothing),
                  TEST(one_core_type_decides_nothing_for_others), TEST(steps_are_declared),
                  TEST(every_question_says_how_many_candidates_it_has),
                  TEST(the_counters_rate_is_what_cpuid_says),
                  TEST(a_probe_without_questions_is_refused),
                  TEST(all_questions_are_asked_where_none_is_named))
