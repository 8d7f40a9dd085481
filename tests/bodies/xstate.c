/* SPDX-License-Identifier: MIT */
/*
 * Runs every save with its restore: all state is filled, saved, overwritten, restored, and compared
 * with what it was.  What this CPU or this ring cannot run is named.
 */
#define _GNU_SOURCE
#include "altpick/xstate.h"
#include "altpick/err.h"
#include "altpick/output.h"
#include "altpick/policy.h"
#include "bytes.h"
#include "check_run.h"
#include "machine.h"
#include "xstate_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { AREA_BYTES = 16384, CODE_BYTES = 4096, FX_STATE = 416, LEGACY = 464, EXTENDED = 576 };

/* Where altpick_xstate_run() puts the instruction pointer that FNSTENV tells. */
enum { ENVIRONMENT_FIP = ALTPICK_FX_ENVIRONMENT + 12 };

/* States: what a task has, what the next one has, and what comes back. */
struct states {
    _Alignas(64) uint8_t own[AREA_BYTES], other[AREA_BYTES], area[AREA_BYTES];
    _Alignas(64) uint8_t before[AREA_BYTES], after[AREA_BYTES], reset[AREA_BYTES];
};

static struct states states;
static struct altpick_xstate xstate;
static struct altpick_cpu cpu;
static uint8_t *code;
static int bad;

static size_t put(size_t at, const void *bytes, size_t n)
{
    memcpy(code + at, bytes, n);
    return at + n;
}

/* movabs rdi, pointer */
static size_t put_rdi(size_t at, const void *pointer)
{
    at = put(at, "\x48\xbf", 2);
    return put(at, &pointer, sizeof pointer);
}

/* Call @body as a site is entered: rdi the area, eax the flag. */
static size_t put_body(size_t at, const uint8_t *body, uint32_t bytes, uint32_t flag)
{
    at = put_rdi(at, states.area);
    at = put(at, "\xb8", 1); /* mov eax, flag */
    at = put(at, &flag, sizeof flag);
    return put(at, body, bytes);
}

/* Restore the other state, all of it: mov eax, mask; mov edx, mask >> 32; xrstor64 [rdi]. */
static size_t put_other(size_t at)
{
    uint32_t low = (uint32_t) xstate.xcr0, high = (uint32_t) (xstate.xcr0 >> 32);

    at = put_rdi(at, states.other);
    at = put(at, "\xb8", 1);
    at = put(at, &low, sizeof low);
    at = put(at, "\xba", 1);
    at = put(at, &high, sizeof high);
    return xstate.has_xsave ? put(at, "\x48\x0f\xae\x2f", 4) : put(at, "\x48\x0f\xae\x0f", 4);
}

/* Run @bytes of code between our own state and a look at what is left. */
static void run(size_t bytes, uint8_t *after)
{
    struct altpick_xstate_call call = {
        .fill = states.own,
        .after = after,
        .reset = states.reset,
        .code = code,
        .mask = xstate.has_xsave ? xstate.xcr0 : 0,
    };

    put(bytes, "\xc3", 1);
    memset(after, 0, AREA_BYTES);
    if (mprotect(code, CODE_BYTES, PROT_READ | PROT_EXEC) < 0)
        abort();
    altpick_xstate_run(&call);
    if (mprotect(code, CODE_BYTES, PROT_READ | PROT_WRITE) < 0)
        abort();
}

/*
 * Whether @save and @restore bring back the first @bytes of state, less the header.  The x87
 * pointers may be gone (AMD's processors save zeroes while no exception is pending), but those that
 * are seen are not the other state's.
 */
static bool brings_back(const struct altpick_body *save, const struct altpick_body *restore,
                        uint32_t flag, size_t bytes)
{
    size_t legacy = bytes < LEGACY ? bytes : LEGACY, at;

    memset(states.area, 0, sizeof states.area);
    run(0, states.before);
    at = put_body(0, save->code, save->bytes, flag);
    at = put_other(at);
    at = put_body(at, restore->code, restore->bytes, flag);
    run(at, states.after);
    if (memcmp(states.after + ENVIRONMENT_FIP, states.other + ALTPICK_FX_INSTRUCTION, 4) == 0)
        return false;
    return memcmp(states.before, states.after, legacy) == 0 &&
           (bytes <= EXTENDED ||
            memcmp(states.before + EXTENDED, states.after + EXTENDED, bytes - EXTENDED) == 0);
}

static void expect(bool is, bool should, const char *save, const char *restore, const char *what)
{
    printf("%s, %s: %s%s\n", save, restore, is ? "" : "does not bring back ", what);
    if (is != should) {
        printf("  and that is wrong\n");
        bad = 1;
    }
}

static bool can_run(const struct altpick_candidate *candidate)
{
    for (unsigned f = 0; f < ALTPICK_N_CPU_FEATURES; f++) {
        if (candidate->needs >> f & 1 && !altpick_cpu_has(&cpu, (enum altpick_cpu_feature) f))
            return false;
    }
    return !candidate->ring0;
}

static void check_decided(const struct altpick_candidate *candidate)
{
    static struct altpick_decisions decisions = {.n_decisions = 1};
    static struct altpick_output output;
    static struct altpick_measurement measured;
    struct altpick_decision *d = &decisions.decision[0];
    const struct altpick_bodies *bodies = &output.bodies;
    struct altpick_policy policy;

    altpick_policy_init(&policy);
    altpick_output_default(0, &output);
    decisions.question = altpick_question_find("xstate.save");
    d->contest.n_entries = 0;
    strcpy(d->contest.item, "xstate.save.all");
    measured.candidate = *candidate;
    altpick_contest_add(&d->contest, candidate->name, &measured);
    if (altpick_output_take(NULL, &policy, &decisions, &output) < 0)
        return; /* of fewer components */
    if (!can_run(candidate)) {
        printf("%s: not run here\n", candidate->name);
        return;
    }
    expect(brings_back(&bodies->xstate_save, &bodies->xstate_restore, 0, xstate.bytes), true,
           candidate->name, bodies->xstate_restore.candidate, "all");
}

/* What is right everywhere: with XSAVE, and told that there is none. */
static void check_default(void)
{
    static struct altpick_output output;
    const struct altpick_body *save = &output.bodies.xstate_save;
    const struct altpick_body *restore = &output.bodies.xstate_restore;

    altpick_output_default(0, &output);
    if (xstate.has_xsave)
        expect(brings_back(save, restore, 1, xstate.bytes), true, "dispatch", "1", "all");
    expect(brings_back(save, restore, 0, FX_STATE), true, "dispatch", "0", "what FXSAVE knows");
    if (xstate.has_avx) /* or the comparison sees nothing */
        expect(brings_back(save, restore, 0, xstate.bytes), false, "dispatch", "0", "all");
}

int main(void)
{
    static struct altpick_candidate all[ALTPICK_CANDIDATES_MAX];
    const struct altpick_question *question = altpick_question_find("xstate.save");
    size_t n = question->candidates(question, all);

    code = mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    altpick_cpu_read(&altpick_cpuid_native, &cpu);
    altpick_xstate_read(&altpick_cpuid_native, &cpu, altpick_machine_xcr0_usable(), &xstate);
    if (code == MAP_FAILED || xstate.bytes == 0 || xstate.bytes > AREA_BYTES)
        return 2;
    altpick_xstate_make_fill(&xstate, 0, states.own);
    altpick_xstate_make_fill(&xstate, 1, states.other);
    altpick_xstate_make_init(&xstate, states.reset);
    check_default();
    for (size_t i = 0; i < n; i++)
        check_decided(&all[i]);
    return bad;
}
