/* SPDX-License-Identifier: MIT */
/*
 * The code that the trust verdict times.  A run takes at least 50 steps of a clock of 26 ticks on
 * the fastest core known, and is made of blocks of forty instructions or more, so that the loop
 * around them hardly counts and the blocks take little room in an image that boots.
 */
#include "trust_kernels.h"
#include "altpick/clock.h"

#define REPEAT(count, text) ".rept " #count "\n\t" text "\n\t.endr\n\t"

enum {
    THOUSAND = 1000,
    N_NOP = 32 * THOUSAND, /* 16 a cycle have been seen */
    N_IMUL = 2 * THOUSAND,
    N_IMUL_FREE = 8 * THOUSAND,
    N_LOAD = 2 * THOUSAND,
    N_MULPS = 2 * THOUSAND,
    N_LFENCE = THOUSAND,
    N_CPUID = 4, /* 15,000 ticks each in a guest, up to 70,000 in a nested one */
    N_WARM = 128 * ALTPICK_TRUST_LINES,
    N_FLUSHED = ALTPICK_TRUST_LINES,
    N_CLOCK = 64,
    NOP_BLOCK = 250, /* few branches beside them: one costs as much as 16 of them */
    BLOCK = 40,      /* the rest of these chains hides the branch */
};

void altpick_trust_run_empty(struct altpick_trust_ring *ring)
{
    (void) ring;
}

static void run_nop(struct altpick_trust_ring *ring)
{
    (void) ring;
    for (unsigned lap = 0; lap < N_NOP / NOP_BLOCK; lap++)
        __asm__ volatile(REPEAT(250, "nop"));
}

/* 32-bit: the 64-bit multiplier of some small cores is not pipelined. */
static void run_imul_chain(struct altpick_trust_ring *ring)
{
    uint32_t a = 3;

    (void) ring;
    for (unsigned lap = 0; lap < N_IMUL / BLOCK; lap++)
        __asm__ volatile(REPEAT(40, "imul %0, %0") : "+r"(a) : : "cc");
}

static void run_imul_free(struct altpick_trust_ring *ring)
{
    uint32_t a = 3, b = 5, c = 7, d = 9, factor = 11;

    (void) ring;
    for (unsigned lap = 0; lap < N_IMUL_FREE / BLOCK; lap++)
        __asm__ volatile(REPEAT(10, "imul %4, %0\n\t imul %4, %1\n\t imul %4, %2\n\t imul %4, %3")
                         : "+r"(a), "+r"(b), "+r"(c), "+r"(d)
                         : "r"(factor)
                         : "cc");
}

static void run_load_chain(struct altpick_trust_ring *ring)
{
    void *cell = &cell, *at = cell;

    (void) ring;
    for (unsigned lap = 0; lap < N_LOAD / BLOCK; lap++)
        __asm__ volatile(REPEAT(40, "mov (%0), %0") : "+r"(at) : : "memory");
}

/* Saves XMM2 itself: this file is compiled without SSE, so it cannot be named as clobbered. */
static void run_mulps_chain(struct altpick_trust_ring *ring)
{
    uint64_t saved[2];
    uint32_t laps = N_MULPS / BLOCK;

    (void) ring;
    /* clang-format off */
    __asm__ volatile("movups %%xmm2, %0\n\t"
                     "xorps %%xmm2, %%xmm2\n\t"
                     "1:\n\t"
                     REPEAT(40, "mulps %%xmm2, %%xmm2")
                     "dec %1\n\t"
                     "jnz 1b\n\t"
                     "movups %0, %%xmm2"
                     : "=m"(saved), "+r"(laps)
                     :
                     : "cc");
    /* clang-format on */
}

static void run_lfence(struct altpick_trust_ring *ring)
{
    (void) ring;
    for (unsigned lap = 0; lap < N_LFENCE / BLOCK; lap++)
        __asm__ volatile(REPEAT(40, "lfence") : : : "memory");
}

static void run_cpuid(struct altpick_trust_ring *ring)
{
    (void) ring;
    for (unsigned lap = 0; lap < N_CPUID; lap++) {
        uint32_t a = 0, b, c = 0, d;

        __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    }
}

_Static_assert(ALTPICK_TRUST_LINES == 16, "walk_ring() and the order of the ring");

static void walk_ring(struct altpick_trust_ring *ring, unsigned loads)
{
    void *at = ring->word[0];

    for (unsigned lap = 0; lap < loads / ALTPICK_TRUST_LINES; lap++)
        __asm__ volatile(REPEAT(16, "mov (%0), %0") : "+r"(at) : : "memory");
}

static void run_load_warm(struct altpick_trust_ring *ring)
{
    walk_ring(ring, N_WARM);
}

static void run_load_flushed(struct altpick_trust_ring *ring)
{
    walk_ring(ring, N_FLUSHED);
}

static void flush_ring(struct altpick_trust_ring *ring)
{
    for (unsigned i = 0; i < ALTPICK_TRUST_LINES; i++)
        __asm__ volatile("clflush %0" : "+m"(ring->word[i][0]));
    __asm__ volatile("mfence" : : : "memory");
}

static void run_clock_pair(struct altpick_trust_ring *ring)
{
    (void) ring;
    for (unsigned lap = 0; lap < N_CLOCK; lap++)
        (void) altpick_clock_start();
}

/* 5 has no factor in common with 16: the ring visits every line, no two in order of address. */
void altpick_trust_ring_init(struct altpick_trust_ring *ret_ring)
{
    for (unsigned i = 0; i < ALTPICK_TRUST_LINES; i++)
        ret_ring->word[i][0] = ret_ring->word[(i + 5) % ALTPICK_TRUST_LINES];
}

/* Integer: executes nothing that an interpreter of integer instructions may not know. */
#define CODE(id, prepare, run, ops, feature, integer)                                              \
    [ALTPICK_TRUST_##id] = {prepare, run, ops, ALTPICK_CPU_##feature, integer}

const struct altpick_trust_code altpick_trust_codes[ALTPICK_N_TRUST_KERNELS] = {
    CODE(NOP, NULL, run_nop, N_NOP, TSC, true),
    CODE(IMUL_CHAIN, NULL, run_imul_chain, N_IMUL, TSC, true),
    CODE(IMUL_FREE, NULL, run_imul_free, N_IMUL_FREE, TSC, true),
    CODE(LOAD_CHAIN, NULL, run_load_chain, N_LOAD, TSC, true),
    CODE(MULPS_CHAIN, NULL, run_mulps_chain, N_MULPS, SSE, false),
    CODE(LFENCE, NULL, run_lfence, N_LFENCE, SSE2, false),
    CODE(CPUID, NULL, run_cpuid, N_CPUID, TSC, false),
    CODE(LOAD_WARM, NULL, run_load_warm, N_WARM, TSC, false),
    CODE(LOAD_FLUSHED, flush_ring, run_load_flushed, N_FLUSHED, CLFLUSH, false),
    CODE(CLOCK_PAIR, NULL, run_clock_pair, N_CLOCK, TSC, true),
};
