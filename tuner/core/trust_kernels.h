/* SPDX-License-Identifier: MIT */
/* The code that the trust verdict times: compiled in, each long against any clock's step. */
#ifndef ALTPICK_CORE_TRUST_KERNELS_H
#define ALTPICK_CORE_TRUST_KERNELS_H

#include "altpick/trust.h"

enum { ALTPICK_TRUST_LINES = 16, ALTPICK_TRUST_LINE_WORDS = 16 };

/* A ring of pointers, one in each of many cache lines (128 bytes apart), in no simple order. */
struct altpick_trust_ring {
    _Alignas(128) void *word[ALTPICK_TRUST_LINES][ALTPICK_TRUST_LINE_WORDS];
};

/* One kernel: prepare, where not NULL, runs untimed before each run. */
struct altpick_trust_code {
    void (*prepare)(struct altpick_trust_ring *ring);
    void (*run)(struct altpick_trust_ring *ring);
    uint32_t ops; /* executed by one run */
    enum altpick_cpu_feature needs;
    bool integer; /* of the first stage: see altpick_trust_measure() */
};

/* Indexed by enum altpick_trust_kernel. */
extern const struct altpick_trust_code altpick_trust_codes[ALTPICK_N_TRUST_KERNELS];

/* Does nothing: what calling and timing a kernel costs. */
void altpick_trust_run_empty(struct altpick_trust_ring *ring);

void altpick_trust_ring_init(struct altpick_trust_ring *ret_ring);

/* altpick_trust_measure() of @codes, ALTPICK_N_TRUST_KERNELS of them; tests bring their own. */
void altpick_trust_measure_codes(const struct altpick_trust_code *codes,
                                 const struct altpick_cpu *cpu,
                                 const struct altpick_trust_effort *effort,
                                 struct altpick_trust_figures *ret_figures);

#endif
