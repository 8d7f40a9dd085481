/* SPDX-License-Identifier: MIT */
/* Whether timings taken here say anything about a CPU, judged from compiled-in code only. */
#ifndef ALTPICK_TRUST_H
#define ALTPICK_TRUST_H

#include "altpick/cpu.h"
#include "altpick/out.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Names are file format. */
#define ALTPICK_TRUSTS(X)                                                                          \
    X(NATIVE, "native")               /* a core of one's own */                                    \
    X(GUEST, "guest")                 /* hardware virtualisation: untrapped code runs natively */  \
    X(TRAPPED_CLOCK, "trapped-clock") /* reading the counter leaves the guest */                   \
    X(TRANSLATED, "translated")       /* a binary translator (QEMU TCG, qemu-user, Rosetta) */     \
    X(INTERPRETED, "interpreted")     /* an interpreter or an instruction-counting clock */        \
    X(UNSTABLE, "unstable")           /* the counter stands still, is coarse or goes back; or time \
                                         ran out before anything could be told */

enum altpick_trust {
#define X(id, name) ALTPICK_TRUST_##id,
    ALTPICK_TRUSTS(X)
#undef X
        ALTPICK_N_TRUSTS
};

/* What is timed to tell a core from a program that plays one; ticks a 100 operations, minimum of
 * many. */
#define ALTPICK_TRUST_KERNELS(X)                                                                   \
    X(NOP, "nop")                                                                                  \
    X(IMUL_CHAIN, "imul chain")                                                                    \
    X(IMUL_FREE, "imul independent")                                                               \
    X(LOAD_CHAIN, "L1 load chain")                                                                 \
    X(MULPS_CHAIN, "mulps chain")                                                                  \
    X(LFENCE, "lfence")                                                                            \
    X(CPUID, "cpuid")                                                                              \
    X(LOAD_WARM, "load")                                                                           \
    X(LOAD_FLUSHED, "load after clflush")                                                          \
    X(CLOCK_PAIR, "clock read pair")

enum altpick_trust_kernel {
#define X(id, name) ALTPICK_TRUST_##id,
    ALTPICK_TRUST_KERNELS(X)
#undef X
        ALTPICK_N_TRUST_KERNELS
};

/* Ticks per 100 executions of each kernel; UINT64_MAX where the kernel was not run. */
struct altpick_trust_figures {
    uint64_t ticks_x100[ALTPICK_N_TRUST_KERNELS];
    uint32_t quantum_ticks; /* altpick_clock_quantum_ticks(); 0: the counter stands still */
    bool backwards;         /* the counter was seen to go backwards */
    bool out_of_time;       /* the deadline came before every kernel that could run had run */
};

/* How much to measure. */
struct altpick_trust_effort {
    uint32_t rounds;         /* of all kernels, each figure being the least of them; 0: 21 */
    uint64_t deadline_ticks; /* reading of the counter; looked at between two runs of kernels, the
                                longest of which is 32,000 NOPs; UINT64_MAX: none */
};

enum { ALTPICK_TRUST_REASONS_MAX = 12 };

/* The verdict and the rules that fired, as static text for the user ("nop < imul/50: ..."). */
struct altpick_trust_verdict {
    enum altpick_trust trust;
    const char *reason[ALTPICK_TRUST_REASONS_MAX];
    size_t n_reasons;
};

/*
 * Time the kernels.  Executes compiled-in code only: on a real core 40 us a round, and 20 us before
 * the first one.  @effort NULL: as many rounds as a host takes, without a deadline.
 *
 * Integer kernels go first, two rounds of them (nop, both imul, load chain, clock read pair). While
 * they say that this is an interpreter, nothing else is run, since some interpreters of ring 0 end
 * the virtual machine at the first SSE instruction.
 */
void altpick_trust_measure(const struct altpick_cpu *cpu, const struct altpick_trust_effort *effort,
                           struct altpick_trust_figures *ret_figures);

/*
 * Judge: a pure function of the figures and the CPUID facts.  Figures that are not all there for
 * want of time are unstable, unless what is there says interpreted.
 */
void altpick_trust_judge(const struct altpick_trust_figures *figures, const struct altpick_cpu *cpu,
                         struct altpick_trust_verdict *ret_verdict);

/* Whether costs measured under @trust may be reported and emitted code executed: native and guest.
 */
bool altpick_trust_is_usable(enum altpick_trust trust);

const char *altpick_trust_name(unsigned trust); /* NULL when out of range */

#endif
