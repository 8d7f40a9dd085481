/* SPDX-License-Identifier: MIT */
/* From synthetic decisions about code to the bodies of an output. */
#include "altpick/err.h"
#include "altpick/live.h"
#include "altpick/output.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Decisions of one question about its built-in candidates, the first of which wins everything. */
struct fixture {
    struct altpick_decisions decisions;
    struct altpick_measurement measured[ALTPICK_ENTRIES_MAX];
    struct altpick_result result;
    struct altpick_machine machine;
    struct altpick_policy policy;
    struct altpick_output output;
};

static struct fixture fixture;
static struct altpick_candidate built_in[ALTPICK_CANDIDATES_MAX];

static int prepare(void **state)
{
    (void) state;
    memset(&fixture, 0, sizeof fixture);
    altpick_policy_init(&fixture.policy);
    fixture.policy.target = ALTPICK_TARGET_THIS_CPU;
    return 0;
}

static void ask(const char *question, const char *const *items)
{
    const struct altpick_question *asked = altpick_question_find(question);
    size_t n = asked->candidates(asked, built_in);

    for (size_t i = 0; i < n && i < ALTPICK_ENTRIES_MAX; i++)
        fixture.measured[i].candidate = built_in[i];
    fixture.decisions.question = asked;
    fixture.decisions.result = &fixture.result;
    for (; *items; items++) {
        struct altpick_decision *d = &fixture.decisions.decision[fixture.decisions.n_decisions++];

        snprintf(d->contest.item, sizeof d->contest.item, "%s.%s", question, *items);
        for (size_t i = 0; i < n && i < ALTPICK_ENTRIES_MAX; i++)
            altpick_contest_add(&d->contest, built_in[i].name, &fixture.measured[i]);
        d->verdict = ALTPICK_VERDICT_TIE;
    }
}

static void ask_fpu_init(void)
{
    static const char *const items[] = {"body", "warm", NULL};

    ask("fpu.init", items);
}

static void ask_kernel_fpu(void)
{
    static const char *const items[] = {"sse", "x87", "efi", "sse-32", "x87-32", "efi-32", NULL};

    ask("kernel-fpu.begin", items);
}

static int build(void)
{
    struct altpick_output_decisions decisions = {0};

    if (strcmp(fixture.decisions.question->name, "refcount") == 0)
        decisions.refcount = &fixture.decisions;
    else if (strcmp(fixture.decisions.question->name, "fpu.init") == 0)
        decisions.fpu_init = &fixture.decisions;
    else
        decisions.kernel_fpu_begin = &fixture.decisions;
    return altpick_output_build(&fixture.machine, &fixture.policy, &decisions, &fixture.output);
}

static int entry_of(const struct altpick_decision *d, const char *name)
{
    for (size_t i = 0; i < d->contest.n_entries; i++) {
        if (strcmp(d->contest.entries[i].name, name) == 0)
            return (int) i;
    }
    fail_msg("no entry %s", name);
    return ALTPICK_NO_ENTRY;
}

static void assert_body(const struct altpick_body *body, const char *name, const char *candidate,
                        const char *remark)
{
    const struct altpick_question *question =
        altpick_question_find(strncmp(name, "fpu", 3) == 0 ? name : "kernel-fpu.begin");
    size_t n = question->candidates(question, built_in), i = 0;

    while (i < n && strcmp(built_in[i].name, candidate) != 0)
        i++;
    assert_true(i < n);
    assert_string_equal(body->name, name);
    assert_string_equal(body->candidate, candidate);
    assert_string_equal(body->remark, remark);
    assert_int_equal(body->bytes, built_in[i].code_bytes);
    assert_memory_equal(body->code, built_in[i].code, body->bytes);
    assert_int_equal(body->data, built_in[i].data);
    assert_int_equal(body->needs, built_in[i].needs);
}

static void the_default_is_right_on_every_cpu(void **state)
{
    struct altpick_output output;
    const struct altpick_bodies *bodies = &output.bodies;
    (void) state;

    altpick_output_default(0, &output);
    assert_body(&bodies->fpu_init, "fpu.init", "dispatch", "default");
    assert_int_equal(bodies->fpu_init_xcr0, UINT64_MAX);
    assert_body(&bodies->kernel_fpu64[0], "kernel-fpu.begin.sse", "ldmxcsr", "default");
    assert_body(&bodies->kernel_fpu64[1], "kernel-fpu.begin.x87", "fninit", "default");
    assert_body(&bodies->kernel_fpu64[2], "kernel-fpu.begin.efi", "both", "default");
    assert_body(&bodies->kernel_fpu32[0], "kernel-fpu.begin.sse-32", "ldmxcsr-guarded", "default");
    assert_body(&bodies->kernel_fpu32[1], "kernel-fpu.begin.x87-32", "fninit", "default");
    assert_body(&bodies->kernel_fpu32[2], "kernel-fpu.begin.efi-32", "both-guarded", "default");
}

static void a_question_that_was_not_asked_leaves_the_default(void **state)
{
    (void) state;
    ask_kernel_fpu();
    assert_int_equal(build(), ALTPICK_OK);
    assert_body(&fixture.output.bodies.fpu_init, "fpu.init", "dispatch", "default");
    assert_int_equal(fixture.output.bodies.fpu_init_xcr0, UINT64_MAX);
    assert_body(&fixture.output.bodies.kernel_fpu64[1], "kernel-fpu.begin.x87", "none", "kept");
}

static void the_winner_of_each_item_is_shipped(void **state)
{
    struct altpick_decision *d = fixture.decisions.decision;
    (void) state;

    ask_kernel_fpu();
    d[0].winner = entry_of(&d[0], "both");
    d[0].displaced = true;
    d[4].winner = entry_of(&d[4], "both-guarded");
    d[4].verdict = ALTPICK_VERDICT_PINNED;
    assert_int_equal(build(), ALTPICK_OK);
    assert_body(&fixture.output.bodies.kernel_fpu64[0], "kernel-fpu.begin.sse", "both", "clear");
    assert_body(&fixture.output.bodies.kernel_fpu32[1], "kernel-fpu.begin.x87-32", "both-guarded",
                "pinned");
}

static void what_was_cleared_is_said_unless_it_is_for_any_cpu(void **state)
{
    struct altpick_decision *d = fixture.decisions.decision;
    (void) state;

    ask_fpu_init();
    d->winner = entry_of(d, "clear-avx-mem");
    fixture.result.components =
        1u << ALTPICK_COMPONENT_X87 | 1u << ALTPICK_COMPONENT_XMM | 1u << ALTPICK_COMPONENT_YMM;
    assert_int_equal(build(), ALTPICK_OK);
    assert_body(&fixture.output.bodies.fpu_init, "fpu.init", "clear-avx-mem", "kept");
    assert_int_equal(fixture.output.bodies.fpu_init_xcr0, 0x207); /* x87, SSE, AVX, PKRU */

    fixture.policy.components = 1u << ALTPICK_COMPONENT_X87 | 1u << ALTPICK_COMPONENT_XMM;
    assert_int_equal(build(), ALTPICK_OK);
    assert_int_equal(fixture.output.bodies.fpu_init_xcr0, 0x203);

    fixture.policy.components = 0;
    fixture.result.components |= 1u << ALTPICK_COMPONENT_OTHER;
    assert_int_equal(build(), ALTPICK_OK);
    assert_int_equal(fixture.output.bodies.fpu_init_xcr0, UINT64_MAX);

    fixture.result.components = 1u << ALTPICK_COMPONENT_X87;
    fixture.policy.several = true;
    assert_int_equal(build(), ALTPICK_OK);
    assert_int_equal(fixture.output.bodies.fpu_init_xcr0, UINT64_MAX);

    fixture.policy.several = false;
    fixture.policy.target = ALTPICK_TARGET_ANY_X86_64;
    assert_int_equal(build(), ALTPICK_OK);
    assert_int_equal(fixture.output.bodies.fpu_init_xcr0, UINT64_MAX);
}

static void bytes_are_shipped_under_their_own_name(void **state)
{
    struct altpick_decision *d = fixture.decisions.decision;
    int winner;
    (void) state;

    ask_fpu_init();
    winner = entry_of(d, "xrstor-all");
    d->winner = winner;
    fixture.measured[winner].candidate = fixture.measured[entry_of(d, "clear-2002-mem")].candidate;
    fixture.measured[winner].candidate.data = ALTPICK_DATA_NONE; /* as of a file that is wrong */
    fixture.measured[winner].candidate.needs = 0;
    assert_int_equal(build(), ALTPICK_OK);
    assert_body(&fixture.output.bodies.fpu_init, "fpu.init", "clear-2002-mem", "kept");
}

static void code_that_is_not_built_in_is_refused_and_nothing_is_written(void **state)
{
    struct altpick_decision *d = fixture.decisions.decision;
    (void) state;

    ask_fpu_init();
    d->winner = entry_of(d, "xrstor-all");
    fixture.measured[d->winner].candidate.code[1] ^= 2; /* PKRU would be restored */
    fixture.output.bodies.fpu_init_xcr0 = 77;
    assert_int_equal(build(), ALTPICK_ENOFIT);
    assert_int_equal(fixture.output.bodies.fpu_init_xcr0, 77);
}

static void an_item_without_a_winner_is_refused(void **state)
{
    (void) state;
    ask_kernel_fpu();
    fixture.decisions.decision[5].winner = ALTPICK_NO_ENTRY;
    assert_int_equal(build(), ALTPICK_ENOFIT);
    fixture.decisions.decision[5].winner = ALTPICK_ENTRIES_MAX;
    assert_int_equal(build(), ALTPICK_ENOFIT);
    fixture.decisions.decision[5].winner = 0;
    fixture.decisions.n_decisions = 5;
    assert_int_equal(build(), ALTPICK_ENOFIT);
}

/* Its entries are computed: they have names and no code. */
static void ask_refcount(const char *variant)
{
    struct altpick_decision *d = &fixture.decisions.decision[0];

    fixture.decisions.question = altpick_question_find("refcount");
    fixture.decisions.result = &fixture.result;
    fixture.decisions.n_decisions = 1;
    strcpy(d->contest.item, "refcount.implementation");
    altpick_contest_add(&d->contest, variant, NULL);
}

static void assert_counts(const struct altpick_bodies *bodies, const char *variant,
                          const char *remark)
{
    static const char *const ops[] = {"add", "inc",          "inc_not_zero",
                                      "dec", "dec_and_test", "sub_and_test"};
    size_t n =
        altpick_question_find("refcount")->candidates(altpick_question_find("refcount"), built_in);

    assert_string_equal(bodies->refcount_variant, variant);
    for (size_t i = 0; i < ALTPICK_N_COUNTER_OPS; i++) {
        const struct altpick_body *body = &bodies->refcount[i];
        char name[ALTPICK_NAME_MAX];
        size_t k = 0;

        snprintf(name, sizeof name, "refcount.%s", ops[i]);
        assert_string_equal(body->name, name);
        assert_string_equal(body->remark, remark);
        snprintf(name, sizeof name, "%s.%s", variant, ops[i]);
        assert_string_equal(body->candidate, name);
        while (k < n && strcmp(built_in[k].name, name) != 0)
            k++;
        assert_true(k < n);
        assert_int_equal(body->bytes, built_in[k].code_bytes);
        assert_memory_equal(body->code, built_in[k].code, body->bytes);
    }
}

static void counters_are_of_one_implementation(void **state)
{
    struct altpick_output output;
    (void) state;

    altpick_output_default(0, &output);
    assert_counts(&output.bodies, "xadd", "default");
    ask_refcount("full");
    fixture.decisions.decision[0].displaced = true;
    assert_int_equal(build(), ALTPICK_OK);
    assert_counts(&fixture.output.bodies, "full", "clear");
}

static void an_implementation_that_is_not_built_in_is_refused(void **state)
{
    (void) state;
    ask_refcount("half");
    assert_int_equal(build(), ALTPICK_ENOFIT);
    fixture.decisions.decision[0].winner = ALTPICK_NO_ENTRY;
    assert_int_equal(build(), ALTPICK_ENOFIT);
}

static void the_constants_are_those_that_code_was_checked_with(void **state)
{
    static const enum altpick_data kinds[] = {ALTPICK_DATA_MXCSR, ALTPICK_DATA_FX_IMAGE,
                                              ALTPICK_DATA_XSAVE_IMAGE};
    static struct altpick_xstate xstate = {.has_xsave = true, .bytes = 576, .xcr0 = 3};
    struct altpick_live live = {.xstate = &xstate};
    uint8_t data[ALTPICK_BODY_DATA_MAX];
    (void) state;

    live.data = calloc(1, altpick_live_data_bytes());
    assert_non_null(live.data);
    altpick_live_data_init(&live);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        uint32_t bytes = altpick_body_data(kinds[i], data);

        assert_int_equal(bytes, altpick_data_bytes(kinds[i]));
        assert_memory_equal(data, altpick_live_data(&live, kinds[i]), bytes);
    }
    assert_int_equal(altpick_body_data(ALTPICK_DATA_NONE, data), 0);
    assert_int_equal(altpick_body_data(ALTPICK_DATA_COUNTER, data), 0);
    free(live.data);
}

/* The item for all components; entry 0 is what saves by @name. */
static void ask_xstate(const char *name)
{
    static const char *const items[] = {"all", NULL};
    static struct altpick_candidate all[ALTPICK_CANDIDATES_MAX];
    const struct altpick_question *question = altpick_question_find("xstate.save");
    size_t n = question->candidates(question, all), i = 0;

    memset(&fixture.decisions, 0, sizeof fixture.decisions);
    ask("xstate.save", items);
    while (i < n && strcmp(all[i].name, name) != 0)
        i++;
    assert_true(i < n);
    fixture.measured[0].candidate = all[i];
}

static int build_xstate(void)
{
    const struct altpick_output_decisions decisions = {.xstate_save = &fixture.decisions};

    return altpick_output_build(&fixture.machine, &fixture.policy, &decisions, &fixture.output);
}

static void assert_code(const struct altpick_body *body, const char *candidate, const void *code,
                        uint32_t bytes)
{
    assert_string_equal(body->candidate, candidate);
    assert_int_equal(body->bytes, bytes);
    assert_memory_equal(body->code, code, bytes);
    assert_int_equal(body->data, ALTPICK_DATA_SAVE_AREA);
}

static void a_save_comes_with_what_reads_it(void **state)
{
    static const char xrstor[] = "\xb8\xff\xfd\xff\xff\x31\xd2\x48\x0f\xae\x2f";
    static const char xrstors[] = "\xb8\xff\xfd\xff\xff\x31\xd2\x48\x0f\xc7\x1f";
    static const struct {
        const char *name, *restore, *code;
    } cases[] = {
        {"xsavec.all", "xrstor",  xrstor },
        {"xsaves.all", "xrstors", xrstors},
    };
    const struct altpick_bodies *bodies = &fixture.output.bodies;
    (void) state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ask_xstate(cases[i].name);
        assert_int_equal(build_xstate(), ALTPICK_OK);
        assert_string_equal(bodies->xstate_save.name, "xstate.save");
        assert_string_equal(bodies->xstate_save.candidate, cases[i].name);
        assert_string_equal(bodies->xstate_restore.name, "xstate.restore");
        assert_code(&bodies->xstate_restore, cases[i].restore, cases[i].code, 11);
        assert_int_equal(bodies->xstate_save.needs, bodies->xstate_restore.needs);
        assert_string_equal(bodies->xstate_restore.remark, "kept");
        assert_int_equal(bodies->xstate_xcr0, 0x7fffffff);
    }
}

/* AMD before family 17h, which has no XSAVEC: another task's x87 pointers would stay. */
static void pointers_are_our_own_where_a_restore_may_leave_them(void **state)
{
    static const char own[] = "\xdb\xe3\xdb\x47\x18\xb8\xff\xfd\xff\xff\x31\xd2\x48\x0f\xae\x2f";
    static const char *const names[] = {"xsave.all", "xsaveopt.all"};
    const struct altpick_bodies *bodies = &fixture.output.bodies;
    (void) state;

    for (size_t i = 0; i < 2; i++) {
        memset(&fixture.machine, 0, sizeof fixture.machine);
        ask_xstate(names[i]);
        assert_int_equal(build_xstate(), ALTPICK_OK);
        assert_code(&bodies->xstate_restore, "xrstor-own-pointers", own, 16);
        assert_int_equal(bodies->xstate_save.needs & UINT64_C(1) << ALTPICK_CPU_XSAVEC, 0);
        fixture.machine.cpu.features[ALTPICK_CPU_LM / 32] |= 1u << ALTPICK_CPU_LM % 32;
        fixture.machine.cpu.features[ALTPICK_CPU_XSAVEC / 32] |= 1u << ALTPICK_CPU_XSAVEC % 32;
        assert_int_equal(build_xstate(), ALTPICK_OK);
        assert_code(&bodies->xstate_restore, "xrstor", own + 5, 11);
        assert_true(bodies->xstate_save.needs & UINT64_C(1) << ALTPICK_CPU_XSAVEC);
        assert_int_equal(bodies->xstate_save.needs, bodies->xstate_restore.needs);
    }
}

static void the_default_saves_by_what_there_is(void **state)
{
    struct altpick_output output;
    (void) state;

    altpick_output_default(0, &output);
    assert_string_equal(output.bodies.xstate_save.candidate, "dispatch");
    assert_string_equal(output.bodies.xstate_restore.candidate, "dispatch");
    assert_int_equal(output.bodies.xstate_save.needs, output.bodies.xstate_restore.needs);
    assert_int_equal(output.bodies.xstate_xcr0, UINT64_MAX);

    /* A CPU without XSAVE decides nothing. */
    ask_xstate("xsave.all");
    for (size_t i = 0; i < ALTPICK_ENTRIES_MAX; i++)
        fixture.measured[i].status = ALTPICK_STATUS_UNSUPPORTED;
    fixture.decisions.decision[0].winner = ALTPICK_NO_ENTRY;
    assert_int_equal(build_xstate(), ALTPICK_OK);
    assert_memory_equal(&fixture.output.bodies, &output.bodies, sizeof output.bodies);

    /* One that has it, and a policy that nothing meets. */
    fixture.measured[0].status = ALTPICK_STATUS_MEASURED;
    assert_int_equal(build_xstate(), ALTPICK_ENOFIT);
}

static void a_save_that_leaves_something_out_is_never_taken_for_one_of_all(void **state)
{
    (void) state;
    ask_xstate("fxsave");
    assert_int_equal(build_xstate(), ALTPICK_ENOFIT);
    ask_xstate("xsave.avx");
    assert_int_equal(build_xstate(), ALTPICK_ENOFIT);
}

static void an_output_begins_with_bodies_of_its_questions_only(void **state)
{
    const struct altpick_question *const questions[] = {altpick_question_find("nop.fill.64"),
                                                        altpick_question_find("refcount")};
    struct altpick_output output, all;
    (void) state;

    altpick_output_begin(questions, 2, 0, &output);
    altpick_output_default(0, &all);
    assert_string_equal(output.bodies.refcount_variant, all.bodies.refcount_variant);
    assert_string_equal(output.bodies.refcount[0].candidate, all.bodies.refcount[0].candidate);
    assert_null(output.bodies.fpu_init.name);
    assert_null(output.bodies.xstate_save.name);
    for (unsigned user = 0; user < ALTPICK_N_FPU_USERS; user++)
        assert_null(output.bodies.kernel_fpu64[user].name);
    assert_int_equal(output.nop64.longest_nop_bytes, all.nop64.longest_nop_bytes);
    assert_int_equal(output.bodies.fpu_init_xcr0, all.bodies.fpu_init_xcr0);
}

#define CASE(name) cmocka_unit_test_setup(name, prepare)

ALTPICK_TEST_MAIN(CASE(the_default_is_right_on_every_cpu),
                  CASE(a_question_that_was_not_asked_leaves_the_default),
                  CASE(the_winner_of_each_item_is_shipped),
                  CASE(what_was_cleared_is_said_unless_it_is_for_any_cpu),
                  CASE(bytes_are_shipped_under_their_own_name),
                  CASE(code_that_is_not_built_in_is_refused_and_nothing_is_written),
                  CASE(an_item_without_a_winner_is_refused), CASE(a_save_comes_with_what_reads_it),
                  CASE(pointers_are_our_own_where_a_restore_may_leave_them),
                  CASE(the_default_saves_by_what_there_is),
                  CASE(a_save_that_leaves_something_out_is_never_taken_for_one_of_all),
                  CASE(an_output_begins_with_bodies_of_its_questions_only),
                  CASE(counters_are_of_one_implementation),
                  CASE(an_implementation_that_is_not_built_in_is_refused),
                  CASE(the_constants_are_those_that_code_was_checked_with))
