/* SPDX-License-Identifier: MIT */
/* Planted candidates that go wrong in every known way: each is named by its kind, none harms
 * another. */
#include "altpick/clock.h"
#include "document.h"
#include "profile_read.h"
#include "session.h"
#include "test.h"
#include "text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { STUCK_MS = 100 };

/* A candidate, and what the profile must say of it. */
struct plant {
    struct altpick_candidate candidate;
    enum altpick_status status;
    const char *reason;
};

#define CODE(...) .code = {__VA_ARGS__}, .code_bytes = sizeof((const uint8_t[]){__VA_ARGS__})
#define GOOD      ALTPICK_STATUS_MEASURED, ""
#define BREACH    ALTPICK_STATUS_UNMEASURED
#define FAULT     ALTPICK_STATUS_FAULTED

/* clang-format off */
static const struct plant plants[] = {
    {{.name = "good-first", CODE(0x90)}, GOOD},
    /* ud2 */
    {{.name = "sigill", CODE(0x0f, 0x0b)}, FAULT, "faulted: SIGILL"},
    /* mov rax, [rbx], where rbx is no address */
    {{.name = "sigsegv", CODE(0x48, 0x8b, 0x03)}, FAULT, "faulted: SIGSEGV"},
    /* hlt */
    {{.name = "privileged", CODE(0xf4)}, FAULT, "faulted: SIGSEGV"},
    /* xor ecx, ecx; div ecx */
    {{.name = "sigfpe", CODE(0x31, 0xc9, 0xf7, 0xf1)}, FAULT, "faulted: SIGFPE"},
    /* mov rax, [rbp+0], where rbp is no address: a stack fault */
    {{.name = "sigbus", CODE(0x48, 0x8b, 0x45, 0x00)}, FAULT, "faulted: SIGBUS"},
    /* int3 */
    {{.name = "sigtrap", CODE(0xcc)}, FAULT, "faulted: SIGTRAP"},
    /* ret, to what lies on the stack */
    {{.name = "return", CODE(0xc3)}, FAULT, "faulted: SIGSEGV"},
    /* jmp to itself */
    {{.name = "forever", CODE(0xeb, 0xfe)}, ALTPICK_STATUS_TIMED_OUT, "did not end within 100 ms"},
    {{.name = "good-middle", CODE(0x66, 0x90)}, GOOD},
    /* xor ebp, ebp: flags, too */
    {{.name = "rbp", CODE(0x31, 0xed)}, BREACH, "clobbered rbp, changed flags"},
    /* mov ebx, ebx: only the upper half */
    {{.name = "rbx-half", CODE(0x89, 0xdb)}, BREACH, "clobbered rbx"},
    /* not r12; not r15 */
    {{.name = "r12-r15", CODE(0x49, 0xf7, 0xd4, 0x49, 0xf7, 0xd7)}, BREACH, "clobbered r12, r15"},
    /* lea rdx, [rdx+1]: a register that may not be changed */
    {{.name = "rdx", CODE(0x48, 0x8d, 0x52, 0x01)}, BREACH, "clobbered rdx"},
    /* lea rsp, [rsp+8] */
    {{.name = "rsp", CODE(0x48, 0x8d, 0x64, 0x24, 0x08)}, BREACH, "clobbered rsp"},
    /* push rax */
    {{.name = "push", CODE(0x50)}, BREACH, "clobbered rsp"},
    /* mov [rsp], rax: where a return address would be */
    {{.name = "return-address", CODE(0x48, 0x89, 0x04, 0x24)}, BREACH, "clobbered stack"},
    /* cmc */
    {{.name = "flags", CODE(0xf5)}, BREACH, "changed flags"},
    /* std */
    {{.name = "df", CODE(0xfd)}, BREACH, "changed DF"},
    /* cld */
    {{.name = "df-clear", CODE(0xfc)}, BREACH, "changed DF"},
    /* push 0x1f80; ldmxcsr [rsp]; lea rsp, [rsp+8] */
    {{.name = "mxcsr", CODE(0x68, 0x80, 0x1f, 0x00, 0x00, 0x0f, 0xae, 0x14, 0x24,
                    0x48, 0x8d, 0x64, 0x24, 0x08)}, BREACH, "changed MXCSR"},
    /* push 0x27f; fldcw [rsp]; lea rsp, [rsp+8] */
    {{.name = "x87-control", CODE(0x68, 0x7f, 0x02, 0x00, 0x00, 0xd9, 0x2c, 0x24,
                          0x48, 0x8d, 0x64, 0x24, 0x08)}, BREACH, "changed x87 control word"},
    /* fninit */
    {{.name = "fninit", CODE(0xdb, 0xe3)}, BREACH, "changed x87 control word, x87 state"},
    /* fincstp */
    {{.name = "x87", CODE(0xd9, 0xf7)}, BREACH, "changed x87 state"},
    /* pxor xmm3, xmm3 */
    {{.name = "xmm", CODE(0x66, 0x0f, 0xef, 0xdb)}, BREACH, "changed xmm0-15"},
    /* the first byte of a longer instruction */
    {{.name = "cut", CODE(0x0f)}, BREACH, "does not decode as whole instructions"},
    {{.name = "good-last", CODE(0x0f, 0x1f, 0x00)}, GOOD},
};
/* clang-format on */

enum { N_PLANTS = sizeof plants / sizeof *plants };

static size_t candidates(const struct altpick_question *question,
                         struct altpick_candidate ret[ALTPICK_CANDIDATES_MAX])
{
    (void) question;
    for (size_t i = 0; i < N_PLANTS; i++) {
        ret[i] = plants[i].candidate;
        ret[i].guarantees =
            1u << ALTPICK_GUARANTEE_CANNOT_FAULT | 1u << ALTPICK_GUARANTEE_NO_REGISTER_WRITE;
    }
    return N_PLANTS;
}

static const struct altpick_question question = {
    .name = "test.isolation", .conditions = 1u << ALTPICK_HOT, .candidates = candidates};

struct run {
    struct altpick_hosted_session hosted;
    struct altpick_result result;
    uint8_t fx[512] __attribute__((aligned(16)));
};

static void save_fx(uint8_t *ret_fx)
{
    __asm__ volatile("fxsave64 (%0)" : : "r"(ret_fx) : "memory");
}

static int measure(void **state)
{
    struct run *run = aligned_alloc(16, (sizeof *run + 15) / 16 * 16);
    struct altpick_diag diag;
    struct altpick_cpu cpu;

    if (!run)
        return -1;
    memset(run, 0, sizeof *run);
    altpick_cpu_read(&altpick_cpuid_native, &cpu);
    run->hosted = (struct altpick_hosted_session){
        .question = &question, .cpu = &cpu, .seed = 1, .stuck_ms = STUCK_MS};
    altpick_plan_init(&cpu, false, &run->hosted.plan);
    run->hosted.plan.effort[ALTPICK_HOT].layouts = 9;
    run->hosted.deadline_ticks = altpick_clock_start() + (UINT64_C(1) << 40);
    save_fx(run->fx);
    assert_int_equal(altpick_hosted_session_run(&run->hosted, &diag), 0);
    assert_int_equal(altpick_hosted_session_result(&run->hosted, &run->result, &diag), 0);
    *state = run;
    return 0;
}

static int forget(void **state)
{
    struct run *run = *state;

    free(run->result.candidates);
    altpick_hosted_session_fini(&run->hosted);
    free(run);
    return 0;
}

static void each_is_reported_by_its_kind(void **state)
{
    const struct run *run = *state;

    for (size_t i = 0; i < N_PLANTS; i++) {
        const struct altpick_measurement *m = &run->result.candidates[i];

        if (m->status != plants[i].status || strcmp(m->reason, plants[i].reason) != 0)
            print_error("%s: %s, \"%s\"\n", plants[i].candidate.name,
                        altpick_status_name(m->status), m->reason);
        assert_int_equal(m->status, plants[i].status);
        assert_string_equal(m->reason, plants[i].reason);
    }
}

static void the_others_have_their_costs(void **state)
{
    const struct run *run = *state;

    for (size_t i = 0; i < N_PLANTS; i++) {
        const struct altpick_cost *cost = &run->result.candidates[i].cost[ALTPICK_HOT];

        assert_int_equal(altpick_cost_is_known(cost), plants[i].status == ALTPICK_STATUS_MEASURED);
    }
}

static void a_broken_promise_is_contradicted(void **state)
{
    const struct run *run = *state;

    for (size_t i = 0; i < N_PLANTS; i++) {
        const struct altpick_measurement *m = &run->result.candidates[i];

        assert_int_equal(m->guarantee[ALTPICK_GUARANTEE_CANNOT_FAULT],
                         m->status == ALTPICK_STATUS_FAULTED ? ALTPICK_GUARANTEE_IS_CONTRADICTED
                                                             : ALTPICK_GUARANTEE_IS_DECLARED);
        if (m->status == ALTPICK_STATUS_MEASURED)
            assert_int_equal(m->guarantee[ALTPICK_GUARANTEE_NO_REGISTER_WRITE],
                             ALTPICK_GUARANTEE_IS_CHECKED);
        if (run->hosted.session->checked[i] && m->status == ALTPICK_STATUS_UNMEASURED)
            assert_int_equal(m->guarantee[ALTPICK_GUARANTEE_NO_REGISTER_WRITE],
                             ALTPICK_GUARANTEE_IS_CONTRADICTED);
    }
}

/* Rounds of candidate @i with a cost in it; an interrupted round may have none. */
static unsigned count_samples(const struct run *run, size_t i)
{
    struct altpick_session *session = run->hosted.session;
    unsigned n = 0;

    for (uint32_t l = 0; l < session->layouts_done[ALTPICK_HOT]; l++) {
        const uint64_t *round = altpick_session_layout(session, i, ALTPICK_HOT, l);

        for (uint32_t k = 0; k < session->plan.effort[ALTPICK_HOT].rounds; k++)
            n += round[k] != 0;
    }
    return n;
}

/* Not one sample of anything that went wrong: it ran once or twice, never in the timed loop. */
static void what_breaches_is_never_timed(void **state)
{
    const struct run *run = *state;

    for (size_t i = 0; i < N_PLANTS; i++)
        assert_int_equal(count_samples(run, i) > 0, plants[i].status == ALTPICK_STATUS_MEASURED);
}

static void the_parent_is_as_it_was(void **state)
{
    uint8_t now[512] __attribute__((aligned(16)));
    const struct run *run = *state;
    uint64_t flags;

    save_fx(now);
    assert_memory_equal(now, run->fx, 2); /* x87 control word */
    now[24] &= 0xc0;                      /* MXCSR without its sticky flags */
    assert_int_equal(now[24], run->fx[24] & 0xc0);
    assert_int_equal(now[25], run->fx[25]);
    __asm__ volatile("pushfq\n\tpopq %0" : "=r"(flags));
    assert_int_equal(flags & 0x40400, 0); /* AC, DF */
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD); /* no zombie, nothing left running */
}

static void reasons_survive_the_profile(void **state)
{
    struct run *run = *state;
    struct altpick_machine machine = {
        .name = "test", .results = &run->result, .n_results = 1, .trust = ALTPICK_TRUST_NATIVE};
    struct altpick_profile profile = {&machine, 1}, again = {0};
    struct altpick_text first, second;
    struct altpick_out out;
    struct altpick_diag diag;

    altpick_text_init(&first, &out);
    assert_int_equal(altpick_profile_write(&profile, &out), 0);
    assert_int_equal(altpick_profile_parse("p", first.data, first.bytes, &again, &diag), 0);
    for (size_t i = 0; i < N_PLANTS; i++)
        assert_string_equal(again.machines[0].results[0].candidates[i].reason,
                            run->result.candidates[i].reason);
    altpick_text_init(&second, &out);
    assert_int_equal(altpick_profile_write(&again, &out), 0);
    assert_string_equal(second.data, first.data);
    altpick_text_fini(&first);
    altpick_text_fini(&second);
    altpick_profile_fini(&again);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_is_reported_by_its_kind),
    cmocka_unit_test(the_others_have_their_costs),
    cmocka_unit_test(a_broken_promise_is_contradicted),
    cmocka_unit_test(what_breaches_is_never_timed),
    cmocka_unit_test(the_parent_is_as_it_was),
    cmocka_unit_test(reasons_survive_the_profile),
};

int main(int argc, char **argv)
{
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, measure, forget);
}
