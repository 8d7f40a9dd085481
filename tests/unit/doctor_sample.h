/* SPDX-License-Identifier: MIT */
/* Made-up machines for a doctor: a quiet one, and what makes a guest or a translator of it. */
#ifndef ALTPICK_TESTS_DOCTOR_SAMPLE_H
#define ALTPICK_TESTS_DOCTOR_SAMPLE_H

#include "doctor.h"

#include <string.h>

static inline void set_feature(struct altpick_cpu *cpu, enum altpick_cpu_feature feature)
{
    cpu->features[feature / 32] |= UINT32_C(1) << feature % 32;
}

/* A quiet machine of four CPUs, two threads a core, nothing in the way. */
static inline struct altpick_doctor_facts quiet(void)
{
    struct altpick_doctor_facts f = {.quantum_ticks = 2};

    set_feature(&f.cpu, ALTPICK_CPU_INVARIANT_TSC);
    altpick_doctor_cpus_parse("0-3", &f.system.online);
    altpick_doctor_cpus_parse("1,3", &f.system.threads);
    strcpy(f.system.clocksource, "tsc");
    strcpy(f.system.governor, "performance");
    f.system.quota.seen = true;
    f.kernel.allowed = f.kernel.visited = f.system.online;
    f.kernel.cpu = 3;
    f.timing = (struct altpick_doctor_timing){
        .measured = true,
        .tsc_hz = 2600000000,
        .windows = 20000,
        .slow_windows = 40,
        .nop_best_micro = 166667,
        .add_least_micro = 650000,
        .add_most_micro = 651000,
        .steps = 1,
        .readings = 2500,
        .scanned_ns = 200000000,
        .lost_ns = 400000,
        .longest_ns = 30000,
        .gaps = 70,
    };
    return f;
}

static inline void be_a_guest(struct altpick_doctor_facts *f)
{
    set_feature(&f->cpu, ALTPICK_CPU_HYPERVISOR);
    strcpy(f->cpu.hypervisor, "KVMKVMKVM");
    f->verdict = (struct altpick_trust_verdict){
        .trust = ALTPICK_TRUST_GUEST, .reason = {"CPUID says hypervisor"}, .n_reasons = 1};
    f->system.governor[0] = '\0';
    f->system.threads = (struct altpick_doctor_cpus){0};
    altpick_doctor_cpus_add(&f->system.threads, 3);
}

static inline void be_translated(struct altpick_doctor_facts *f)
{
    f->verdict =
        (struct altpick_trust_verdict){.trust = ALTPICK_TRUST_TRANSLATED,
                                       .reason = {"nop < imul/80: a translator removed the nops"},
                                       .n_reasons = 1};
    f->timing = (struct altpick_doctor_timing){0};
}

#endif
