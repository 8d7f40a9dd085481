/* SPDX-License-Identifier: MIT */
/* The local APIC and its timer.  SDM vol. 3: 10.4.1 and 10.5.4 in memory, 10.12.1 as MSRs. */
#ifndef ALTPICK_BOOT_APIC_H
#define ALTPICK_BOOT_APIC_H

#include "port.h"

#include <stdbool.h>
#include <stdint.h>

/* Offsets of registers; in x2APIC mode the one at 16 n is MSR 0x800 + n. */
enum {
    BOOT_APIC_EOI = 0xb0,
    BOOT_APIC_SPURIOUS = 0xf0,
    BOOT_APIC_TIMER = 0x320,
    BOOT_APIC_INITIAL = 0x380,
    BOOT_APIC_CURRENT = 0x390,
    BOOT_APIC_DIVIDE = 0x3e0,
};

#define BOOT_APIC_SOFTWARE       0x100u /* of SPURIOUS: enabled */
#define BOOT_APIC_TIMER_MASKED   0x10000u
#define BOOT_APIC_TIMER_PERIODIC 0x20000u
#define BOOT_APIC_TIMER_BY_TSC   0x40000u
#define BOOT_APIC_DIVIDE_BY_16   3u /* of DIVIDE */

struct boot_apic {
    bool x2;
    uintptr_t base; /* physical, 4096 bytes that are mapped to it; not used in x2APIC mode */
};

static inline void boot_apic_write(const struct boot_apic *apic, unsigned reg, uint32_t value)
{
    if (apic->x2)
        boot_msr_write(0x800 + reg / 16, value);
    else
        *(volatile uint32_t *) (apic->base + reg) = value;
}

static inline uint32_t boot_apic_read(const struct boot_apic *apic, unsigned reg)
{
    if (apic->x2)
        return (uint32_t) boot_msr_read(0x800 + reg / 16);
    return *(volatile uint32_t *) (apic->base + reg);
}

/*
 * The one of this CPU, in the mode that it is in.  Returns false, with nothing stored, where there
 * is none or it is not enabled.  RDMSR is executed: of IA32_APIC_BASE (SDM vol. 3, 10.4.4).
 */
static inline bool boot_apic_find(struct boot_apic *ret_apic)
{
    uint32_t regs[4];
    uint64_t base;

    boot_cpuid(1, 0, regs);
    if (!(regs[3] >> 9 & 1))
        return false;
    base = boot_msr_read(0x1b);
    if (!(base >> 11 & 1))
        return false;
    ret_apic->x2 = base >> 10 & 1;
    ret_apic->base = (uintptr_t) (base & UINT64_C(0xffffffffff000));
    return true;
}

/* Let the timer count down from its largest count, divided by 16, and interrupt nobody. */
static inline void boot_apic_count_down(const struct boot_apic *apic, uint8_t vector)
{
    boot_apic_write(apic, BOOT_APIC_TIMER, BOOT_APIC_TIMER_MASKED | vector);
    boot_apic_write(apic, BOOT_APIC_DIVIDE, BOOT_APIC_DIVIDE_BY_16);
    boot_apic_write(apic, BOOT_APIC_INITIAL, UINT32_MAX);
}

/* How far it has come. */
static inline uint32_t boot_apic_counted(const struct boot_apic *apic)
{
    return UINT32_MAX - boot_apic_read(apic, BOOT_APIC_CURRENT);
}

/* Raise @vector each @counts from now on. */
static inline void boot_apic_tick(const struct boot_apic *apic, uint8_t vector, uint32_t counts)
{
    boot_apic_write(apic, BOOT_APIC_TIMER, BOOT_APIC_TIMER_PERIODIC | vector);
    boot_apic_write(apic, BOOT_APIC_INITIAL, counts);
}

#endif
