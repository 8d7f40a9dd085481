/* SPDX-License-Identifier: MIT */
/* LFENCE told to wait, as operating systems do: without it the clock of some CPUs says nothing. */
#ifndef ALTPICK_BOOT_FENCES_H
#define ALTPICK_BOOT_FENCES_H

#include "altpick/clock.h"
#include "altpick/cpu.h"
#include "port.h"

#include <stdbool.h>
#include <stdint.h>

/* What is to be given back. */
struct boot_fences {
    bool changed;
    uint64_t before;
};

/* In a virtual machine that is the hypervisor's, and its MSR may not even be there. */
static inline struct boot_fences boot_fences_start(void)
{
    struct boot_fences fences = {0};
    struct altpick_cpu cpu;

    altpick_cpu_read(&altpick_cpuid_native, &cpu);
    if (altpick_cpu_has(&cpu, ALTPICK_CPU_HYPERVISOR) ||
        !altpick_clock_needs_fence_bit(&cpu, &altpick_cpuid_native))
        return fences;
    fences.before = boot_msr_read(ALTPICK_CLOCK_FENCE_MSR);
    fences.changed = !(fences.before & ALTPICK_CLOCK_FENCE_BIT);
    if (fences.changed)
        boot_msr_write(ALTPICK_CLOCK_FENCE_MSR, fences.before | ALTPICK_CLOCK_FENCE_BIT);
    return fences;
}

static inline void boot_fences_stop(const struct boot_fences *fences)
{
    if (fences->changed)
        boot_msr_write(ALTPICK_CLOCK_FENCE_MSR, fences->before);
}

#endif
