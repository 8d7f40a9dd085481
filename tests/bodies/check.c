/* SPDX-License-Identifier: MIT */
/*
 * Loads a module made of an emitted header, and holds what it ships to what was checked: the bytes
 * are those of a candidate, and both they and the function made of them leave the state that the
 * candidate leaves.  argv: MODULE [decided]; "decided": what fpu.init requires holds here, too.
 */
#include "check.h"
#include "altpick/err.h"
#include "altpick/live.h"
#include "altpick/look.h"
#include "arena.h"
#include "fpu_init.h"
#include "guard.h"
#include "machine.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 3, CANDIDATE = 0, SHIPPED = 1, FUNCTION = 2, TRIES = 3, RETURN = 0xc3 };

#define G(id) (UINT64_C(1) << ALTPICK_GUARANTEE_##id)

static void complain(struct check *check, const struct emitted_body *body, const char *what)
{
    printf("%s: %s\n", body->name, what);
    check->bad = 1;
}

static int prepare(struct check *check)
{
    struct altpick_diag diag;

    altpick_cpu_read(&altpick_cpuid_native, &check->cpu);
    altpick_xstate_read(&altpick_cpuid_native, &check->cpu, altpick_machine_xcr0_usable(),
                        &check->xstate);
    altpick_plan_init(&check->cpu, false, &check->plan);
    check->live.xstate = &check->xstate;
    check->session = calloc(1, altpick_session_bytes(&check->plan, RUNS));
    if (!check->session ||
        altpick_arena_init(&check->live, altpick_live_arena_bytes(&check->plan, 1), &diag) < 0 ||
        altpick_arena_data(&check->live, &diag) < 0 ||
        altpick_live_init(&check->live, &check->cpu, &check->plan, &check->timer) < 0) {
        printf("nothing can be run here\n");
        return -1;
    }
    return 0;
}

bool find_candidate(const char *question, const char *name, const unsigned char *code,
                    struct altpick_candidate *ret)
{
    static struct altpick_candidate all[ALTPICK_CANDIDATES_MAX];
    const struct altpick_question *asked = altpick_question_find(question);
    size_t n = asked->candidates(asked, all);

    for (size_t i = 0; i < n; i++) {
        if (name ? strcmp(all[i].name, name) == 0
                 : memcmp(all[i].code, code, all[i].code_bytes) == 0 &&
                       code[all[i].code_bytes] == RETURN) {
            *ret = all[i];
            return true;
        }
    }
    return false;
}

static bool has_all(const struct altpick_cpu *cpu, uint64_t needs)
{
    for (unsigned f = 0; f < ALTPICK_N_CPU_FEATURES; f++) {
        if (needs >> f & 1 && !altpick_cpu_has(cpu, (enum altpick_cpu_feature) f))
            return false;
    }
    return true;
}

/* A jump to a function, whose return is the caller's. */
static void make_jump(void (*function)(void), struct altpick_candidate *ret)
{
    static const uint8_t jump[] = {0x49, 0xbb, 0, 0, 0, 0, 0, 0, 0, 0, 0x41, 0xff, 0xe3};

    memset(ret, 0, sizeof *ret);
    memcpy(ret->code, jump, sizeof jump); /* movabs r11, function; jmp r11 */
    memcpy(ret->code + 2, &function, sizeof function);
    ret->code_bytes = sizeof jump;
}

/* What is left of two states by @candidate; the results are those of run @index. */
static void look(struct check *check, const struct altpick_candidate *candidate, uint32_t index)
{
    struct altpick_looking looking = {
        .session = check->session, .live = &check->live, .timer = &check->timer};

    check->session->candidates[index] = *candidate;
    check->session->looked[index] = check->session->held[index] = 0;
    if (altpick_look_state(&looking, index) < 0) {
        printf("a look failed\n");
        check->bad = 1;
    }
}

static uint64_t differing(const struct altpick_session *session, uint32_t index)
{
    return (session->looked[index] ^ session->looked[CANDIDATE]) |
           (session->held[index] ^ session->held[CANDIDATE]);
}

/*
 * Whether run @index finds what the candidate's run finds; what it does not is named.  When the
 * system switches tasks in between, XINUSE may be set afterwards: such a run is made again.
 */
static bool same(struct check *check, const struct altpick_candidate *candidate,
                 const struct altpick_candidate *other, uint32_t index)
{
    const struct altpick_session *session = check->session;

    for (unsigned i = 0; i < TRIES; i++) {
        look(check, candidate, CANDIDATE);
        look(check, other, index);
        if (differing(session, index) == 0)
            return true;
    }
    for (unsigned g = 0; g < ALTPICK_N_GUARANTEES; g++) {
        if (differing(session, index) >> g & 1)
            printf("%s: %s\n", altpick_guarantee_name(g),
                   session->held[index] >> g & 1 ? "only here" : "not here");
    }
    return false;
}

bool holds(const struct altpick_session *session, uint32_t index, uint64_t requires)
{
    return !(requires & session->looked[index] & ~session->held[index]) &&
           requires & session->looked[index];
}

/* What each user of the FPU is promised, written here a second time (docs/guarantees.md). */
static uint64_t required(const struct check *check, const struct emitted_body *body)
{
    const uint64_t sse = G(INIT_MXCSR), x87 = G(INIT_X87_CONTROL) | G(X87_EMPTY);

    if (strcmp(body->name, "fpu.init") == 0)
        return altpick_fpu_init_requires(altpick_cpu_components(&check->cpu));
    if (strstr(body->name, ".sse"))
        return sse;
    return strstr(body->name, ".x87") ? x87 : sse | x87;
}

/* Told that there is no XSAVE, the dispatch does what FXRSTOR can, pointers included. */
static void check_without(struct check *check, const struct emitted_body *body,
                          const struct altpick_candidate *candidate)
{
    const uint64_t legacy = G(NO_LEAK_X87) | G(NO_LEAK_X87_POINTERS) | G(NO_LEAK_X87_CONTROL) |
                            G(NO_LEAK_MXCSR) | G(NO_LEAK_XMM) | G(INIT_MXCSR) | G(INIT_X87_CONTROL);
    struct altpick_candidate jump;

    if (!body->run_without || strcmp(candidate->name, "dispatch") != 0)
        return;
    make_jump(body->run_without, &jump);
    look(check, &jump, FUNCTION);
    if (!holds(check->session, FUNCTION, legacy))
        complain(check, body, "without XSAVE it leaks");
}

static void check_body(struct check *check, const struct emitted_body *body)
{
    struct altpick_candidate candidate, shipped, jump;
    const char *question = strcmp(body->name, "fpu.init") == 0 ? body->name : "kernel-fpu.begin";

    if (!find_candidate(question, body->candidate, body->code, &candidate)) {
        complain(check, body, "it is no candidate");
        return;
    }
    shipped = candidate;
    if (body->bytes && (body->bytes != candidate.code_bytes ||
                        memcmp(body->code, candidate.code, body->bytes) != 0)) {
        complain(check, body, "its bytes are not those of the candidate");
        return;
    }
    memcpy(shipped.code, body->code, candidate.code_bytes);
    if (!has_all(&check->cpu, candidate.needs)) {
        printf("%s: %s is not for this CPU\n", body->name, candidate.name);
        return;
    }
    if (!same(check, &candidate, &shipped, SHIPPED))
        complain(check, body, "its bytes leave another state than the candidate");
    if (check->decided && !holds(check->session, SHIPPED, required(check, body)))
        complain(check, body, "what is required does not hold");
    if (!body->run)
        return;
    make_jump(body->run, &jump);
    if (!same(check, &candidate, &jump, FUNCTION))
        complain(check, body, "the function leaves another state than the candidate");
    check_without(check, body, &candidate);
}

/* 32-bit bodies are the same in 64-bit code; told that there is no SSE, they leave MXCSR alone. */
static void check_guard(struct check *check, const struct emitted_body *body)
{
    static const uint8_t xor_eax[] = {0x31, 0xc0};
    struct altpick_candidate candidate = {.data = ALTPICK_DATA_MXCSR};

    if (!guard_holds(32, body->code, body->bytes))
        complain(check, body, "executes LDMXCSR where SSE may be missing");
    memcpy(candidate.code, xor_eax, sizeof xor_eax);
    memcpy(candidate.code + sizeof xor_eax, body->code, body->bytes);
    candidate.code_bytes = (uint32_t) (sizeof xor_eax + body->bytes);
    look(check, &candidate, SHIPPED);
    if (check->session->held[SHIPPED] & G(INIT_MXCSR))
        complain(check, body, "it loads MXCSR where SSE may be missing");
}

/* The guard's own check: what loads MXCSR at once is seen. */
static bool guard_sees(void)
{
    static const uint8_t bare[] = {0x0f, 0xae, 0x17};
    static const uint8_t wrong[] = {0x85, 0xc0, 0x75, 0x03, 0x0f, 0xae, 0x17};
    static const uint8_t late[] = {0x85, 0xc0, 0x74, 0x00, 0x0f, 0xae, 0x17};
    static const uint8_t right[] = {0x85, 0xc0, 0x74, 0x03, 0x0f, 0xae, 0x17};

    return !guard_holds(32, bare, sizeof bare) && !guard_holds(32, wrong, sizeof wrong) &&
           !guard_holds(32, late, sizeof late) && guard_holds(32, right, sizeof right);
}

/* The list that the module's function @name gives; NULL where it has none. */
static const void *load(void *module, const char *name)
{
    const void *(*function)(void) = NULL;
    void *symbol = dlsym(module, name);

    memcpy(&function, &symbol, sizeof function);
    return symbol ? function() : NULL;
}

int main(int argc, char **argv)
{
    struct check check = {.decided = argc > 2 && strcmp(argv[2], "decided") == 0};
    void *module = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    const struct emitted_body *wide, *narrow;
    const struct emitted_count *count;

    if (!module) {
        printf("%s\n", argc > 1 ? dlerror() : "usage: check MODULE [decided]");
        return 2;
    }
    wide = load(module, "bodies64");
    narrow = load(module, "bodies32");
    count = load(module, "counts");
    if (!wide || !count || !guard_sees() || prepare(&check) < 0)
        return 2;
    for (; wide->name; wide++)
        check_body(&check, wide);
    for (; narrow && narrow->name; narrow++) {
        check_body(&check, narrow);
        check_guard(&check, narrow);
    }
    for (; count->name; count++)
        check_count(&check, count);
    altpick_arena_fini(&check.live);
    free(check.session);
    return check.bad;
}
