/* SPDX-License-Identifier: MIT */
/* Instructions at which a hypervisor may take over: each of them alone, between a restore and a
 * look. */
#include "bare.h"

#include "port.h"

enum {
    PAUSES = 5000, /* more than hypervisors wait before they take a loop for a lock's */
    POST_PORT = 0x80,
    GATE_PORT = 0x61,
    APIC_BASE_MSR = 0x1b,
};
#define CPUID_MSR   (1u << 5)
#define CPUID_APIC  (1u << 9)
#define CR4_PGE     UINT64_C(0x80)
#define CR4_OSXSAVE UINT64_C(0x40000)

static void cpuid(void *ctx)
{
    uint32_t regs[4];

    (void) ctx;
    boot_cpuid(0, 0, regs);
    boot_cpuid(0xd, 1, regs);
}

static void port(void *ctx)
{
    (void) ctx;
    boot_out8(POST_PORT, 0);
    boot_in8(GATE_PORT);
}

static bool has_apic_msr(void)
{
    uint32_t regs[4];

    boot_cpuid(1, 0, regs);
    return regs[3] & CPUID_MSR && regs[3] & CPUID_APIC;
}

static void msr(void *ctx)
{
    (void) ctx;
    boot_msr_read(APIC_BASE_MSR);
}

static void cr0(void *ctx)
{
    uint64_t value;

    (void) ctx;
    __asm__ volatile("movq %%cr0, %0\n\tmovq %0, %%cr0" : "=r"(value) : : "memory");
}

/* All entries of the TLB, global ones too. */
static void cr4(void *ctx)
{
    uint64_t value;

    (void) ctx;
    __asm__ volatile("movq %%cr4, %0" : "=r"(value));
    __asm__ volatile("movq %0, %%cr4" : : "r"(value ^ CR4_PGE) : "memory");
    __asm__ volatile("movq %0, %%cr4" : : "r"(value) : "memory");
}

static void cr3(void *ctx)
{
    uint64_t value;

    (void) ctx;
    __asm__ volatile("movq %%cr3, %0\n\tmovq %0, %%cr3\n\tinvlpg (%%rsp)"
                     : "=r"(value)
                     :
                     : "memory");
}

static bool has_xcr0(void)
{
    uint64_t value;

    __asm__ volatile("movq %%cr4, %0" : "=r"(value));
    return value & CR4_OSXSAVE;
}

/* Leaves the guest on VMX always. */
static void xcr0(void *ctx)
{
    uint32_t low, high;

    (void) ctx;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    __asm__ volatile("xsetbv" : : "c"(0), "a"(low), "d"(high) : "memory");
}

static void pauses(void *ctx)
{
    (void) ctx;
    for (unsigned i = 0; i < PAUSES; i++)
        __asm__ volatile("pause");
}

static void tsc(void *ctx)
{
    (void) ctx;
    boot_tsc();
}

/* clang-format off */
const struct altpick_bare_exit altpick_bare_exits[ALTPICK_BARE_EXITS] = {
    {"cpuid", "CPUID", cpuid, NULL},
    {"port", "OUT and IN", port, NULL},
    {"msr", "RDMSR", msr, has_apic_msr},
    {"cr0", "write of CR0", cr0, NULL},
    {"cr3", "write of CR3, INVLPG", cr3, NULL},
    {"cr4", "write of CR4 that flushes the TLB", cr4, NULL},
    {"xsetbv", "XSETBV", xcr0, has_xcr0},
    {"pause", "a loop of PAUSE", pauses, NULL},
    {"tsc", "RDTSC", tsc, NULL},
};
/* clang-format on */
