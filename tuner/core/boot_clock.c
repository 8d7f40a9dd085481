/* SPDX-License-Identifier: MIT */
/* Turns what CPUID says of clocks into ticks a second of the time-stamp counter. */
#include "boot_run.h"

enum {
    LEAF_TSC = 0x15,       /* SDM vol. 2, CPUID: EAX and EBX are the ratio, ECX the crystal in Hz */
    LEAF_FREQUENCY = 0x16, /* EAX: base frequency in MHz, which the counter runs at */
    MHZ = 1000000,
    KHZ = 1000,
};

/* What VMware first gave a leaf to; KVM and others have it, too. */
static const uint32_t hypervisor_leaf = 0x40000000, hypervisor_tsc_leaf = 0x40000010,
                      hypervisor_last_leaf = 0x400000ff;

/* By a hypervisor: whose counter runs at another rate than the host's says it here. */
static uint64_t hypervisor_hz(const struct altpick_cpuid_source *source)
{
    uint32_t regs[4];

    source->cpuid(source->ctx, 1, 0, regs);
    if (!(regs[ALTPICK_CPU_ECX] >> 31))
        return 0;
    source->cpuid(source->ctx, hypervisor_leaf, 0, regs);
    if (regs[ALTPICK_CPU_EAX] < hypervisor_tsc_leaf || regs[ALTPICK_CPU_EAX] > hypervisor_last_leaf)
        return 0;
    source->cpuid(source->ctx, hypervisor_tsc_leaf, 0, regs);
    return (uint64_t) regs[ALTPICK_CPU_EAX] * KHZ;
}

static uint64_t cpu_hz(const struct altpick_cpuid_source *source)
{
    uint32_t max[4], regs[4];

    source->cpuid(source->ctx, 0, 0, max);
    if (max[ALTPICK_CPU_EAX] >= LEAF_TSC) {
        source->cpuid(source->ctx, LEAF_TSC, 0, regs);
        if (regs[ALTPICK_CPU_EAX] && regs[ALTPICK_CPU_EBX] && regs[ALTPICK_CPU_ECX])
            return (uint64_t) regs[ALTPICK_CPU_ECX] * regs[ALTPICK_CPU_EBX] / regs[ALTPICK_CPU_EAX];
    }
    if (max[ALTPICK_CPU_EAX] < LEAF_FREQUENCY)
        return 0;
    source->cpuid(source->ctx, LEAF_FREQUENCY, 0, regs);
    return (uint64_t) (regs[ALTPICK_CPU_EAX] & 0xffff) * MHZ;
}

uint64_t altpick_boot_tsc_hz(const struct altpick_cpuid_source *source)
{
    uint64_t hz = hypervisor_hz(source);

    return hz ? hz : cpu_hz(source);
}
