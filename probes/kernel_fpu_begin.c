/* SPDX-License-Identifier: MIT */
/*
 * kernel-fpu.begin: what must be reset before kernel code uses the FPU, after the state of the task
 * was saved.
 */
#include "kernel_fpu_begin.h"
#include "altpick/output.h"

#include "bytes.h"
#include "code_bytes.h"

/*
 * What each user needs (docs/guarantees.md): SSE and AVX code rounds and faults by MXCSR; x87 and
 * MMX code by the control word, and it must find an empty register stack; EFI firmware is promised
 * both (UEFI, calling conventions).
 */
#define NEEDS_SSE GUARANTEE(INIT_MXCSR)
#define NEEDS_X87 (GUARANTEE(INIT_X87_CONTROL) | GUARANTEE(X87_EMPTY))

/* clang-format off */
static const struct altpick_code built_in[] = {
    /* nop: a candidate has code */
    {.name = "none", BYTES(0x90)},
    /* ldmxcsr [rdi] */
    {.name = "ldmxcsr", BYTES(0x0f, 0xae, 0x17),
     .guarantees = NEEDS_SSE, .data = ALTPICK_DATA_MXCSR, .needs = FEATURE(SSE)},
    /* fninit */
    {.name = "fninit", BYTES(0xdb, 0xe3), .guarantees = NEEDS_X87},
    /* fninit; ldmxcsr [rdi] */
    {.name = "both", BYTES(0xdb, 0xe3, 0x0f, 0xae, 0x17),
     .guarantees = NEEDS_SSE | NEEDS_X87, .data = ALTPICK_DATA_MXCSR, .needs = FEATURE(SSE)},
    /*
     * eax: whether the CPU has SSE, for CPUs without 64-bit mode, some of which do not: a K7 did
     * not boot (2021 thread).  test eax, eax; jz to the end; ldmxcsr [edi]: the same bytes in
     * 32-bit and in 64-bit code.
     */
    {.name = "ldmxcsr-guarded", BYTES(0x85, 0xc0, 0x74, 0x03, 0x0f, 0xae, 0x17),
     .guarantees = NEEDS_SSE, .data = ALTPICK_DATA_MXCSR,
     .needs = FEATURE(SSE)},
    /* fninit; test eax, eax; jz to the end; ldmxcsr [edi] */
    {.name = "both-guarded", BYTES(0xdb, 0xe3, 0x85, 0xc0, 0x74, 0x03, 0x0f, 0xae, 0x17),
     .guarantees = NEEDS_SSE | NEEDS_X87, .data = ALTPICK_DATA_MXCSR,
     .needs = FEATURE(SSE)},
};

const uint8_t altpick_kernel_fpu_xor[KERNEL_FPU_KERNELS][KERNEL_FPU_SIZES] = {
    {ALTPICK_SSE_512, ALTPICK_SSE_4096, ALTPICK_SSE_65536},
    {ALTPICK_PREFETCH_512, ALTPICK_PREFETCH_4096, ALTPICK_PREFETCH_65536},
    {ALTPICK_AVX2_512, ALTPICK_AVX2_4096, ALTPICK_AVX2_65536},
    {ALTPICK_AVX512_512, ALTPICK_AVX512_4096, ALTPICK_AVX512_65536},
};

/* The cost of a call decides; what it leaves of a workload's speed is shown. */
static const uint8_t weights[ALTPICK_N_CONDITIONS] = {[ALTPICK_WARM] = 1};

static const struct {
    const char *name;
    uint64_t needs;
    bool wide; /* 64-bit code */
} users[] = {
    {"sse", NEEDS_SSE, true},
    {"x87", NEEDS_X87, true},
    {"efi", NEEDS_SSE | NEEDS_X87, true},
    {"sse-32", NEEDS_SSE, false},
    {"x87-32", NEEDS_X87, false},
    {"efi-32", NEEDS_SSE | NEEDS_X87, false},
};
/* clang-format on */

enum { N_BUILT_IN = sizeof built_in / sizeof *built_in, N_USERS = sizeof users / sizeof *users };

static bool candidate(const struct altpick_question *question, size_t index,
                      struct altpick_candidate *ret)
{
    (void) question;
    return altpick_code_copy_one(built_in, N_BUILT_IN, index, ret);
}

static size_t candidates(const struct altpick_question *question,
                         struct altpick_candidate ret[ALTPICK_CANDIDATES_MAX])
{
    (void) question;
    return altpick_code_copy(built_in, N_BUILT_IN, ret);
}

/* Whether @candidate executes LDMXCSR, and whether only where there is SSE. */
static void find_ldmxcsr(const struct altpick_candidate *candidate, bool *ret_loads,
                         bool *ret_guarded)
{
    static const uint8_t ldmxcsr[] = {0x0f, 0xae, 0x17}, test[] = {0x85, 0xc0};

    *ret_loads = *ret_guarded = false;
    for (uint32_t at = 0; at + sizeof ldmxcsr <= candidate->code_bytes; at++) {
        *ret_loads =
            *ret_loads || altpick_equal_bytes(candidate->code + at, ldmxcsr, sizeof ldmxcsr);
        *ret_guarded = *ret_guarded || altpick_equal_bytes(candidate->code + at, test, sizeof test);
    }
}

/* Why @candidate is not for this kind of code; NULL where it is. */
static const char *unfit(const struct altpick_candidate *candidate, bool wide)
{
    bool loads, guarded;

    find_ldmxcsr(candidate, &loads, &guarded);
    if (wide && guarded)
        return "every CPU with 64-bit mode has SSE: the guard is for 32-bit code";
    if (!wide && loads && !guarded)
        return "executes LDMXCSR where SSE may be missing";
    return NULL;
}

/* Ties keep the one that resets least of what the user does not need. */
static uint32_t rank_of(const struct altpick_candidate *candidate, size_t order)
{
    return candidate->code_bytes * ALTPICK_ENTRIES_MAX + (uint32_t) order;
}

/* Where nobody timed a call, as in the 2021 thread, workloads decide. */
static void weigh_workloads(const struct altpick_result *result, struct altpick_contest *contest)
{
    for (size_t i = 0; i < result->n_candidates; i++) {
        if (altpick_cost_is_known(&result->candidates[i].cost[ALTPICK_WARM]))
            return;
    }
    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
        if (c != ALTPICK_WARM && result->condition[c].asked && contest->weight[c] == 0)
            contest->weight[c] = 1;
    }
}

static void item(const struct altpick_question *question, size_t index,
                 const struct altpick_result *result, const struct altpick_policy *policy,
                 const struct altpick_decision *earlier, struct altpick_contest *ret_contest)
{
    (void) earlier;
    altpick_contest_init(ret_contest, question, users[index].name, result, policy);
    ret_contest->requires = users[index].needs;
    weigh_workloads(result, ret_contest);
    for (size_t i = 0; i < result->n_candidates; i++) {
        const struct altpick_candidate *candidate = &result->candidates[i].candidate;
        struct altpick_entry *entry =
            altpick_contest_add(ret_contest, candidate->name, &result->candidates[i]);

        entry->rank = rank_of(candidate, i);
        entry->out = unfit(candidate, users[index].wide);
    }
}

extern const struct altpick_question altpick_question_kernel_fpu_begin;
const struct altpick_question altpick_question_kernel_fpu_begin = {
    .name = "kernel-fpu.begin",
    .title = "what to reset before kernel code uses the FPU, by who uses it",
    .bits = 64,
    .conditions = 1u << ALTPICK_WARM | 1u << ALTPICK_SSE_512 | 1u << ALTPICK_SSE_4096 |
                  1u << ALTPICK_SSE_65536 | 1u << ALTPICK_PREFETCH_512 |
                  1u << ALTPICK_PREFETCH_4096 | 1u << ALTPICK_PREFETCH_65536 |
                  1u << ALTPICK_AVX2_512 | 1u << ALTPICK_AVX2_4096 | 1u << ALTPICK_AVX2_65536 |
                  1u << ALTPICK_AVX512_512 | 1u << ALTPICK_AVX512_4096 | 1u << ALTPICK_AVX512_65536,
    .examines = NEEDS_SSE | NEEDS_X87,
    .may_change = 1u << ALTPICK_REGISTER_FLAGS | 1u << ALTPICK_REGISTER_MXCSR |
                  1u << ALTPICK_REGISTER_X87_CONTROL | 1u << ALTPICK_REGISTER_X87,
    .look = altpick_look_state,
    .weights = weights,
    .n_candidates = 6,
    .candidates = candidates,
    .candidate = candidate,
    .emits = &altpick_emits_kernel_fpu_begin,
    .n_items = N_USERS,
    .item = item,
};
