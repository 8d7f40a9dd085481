/* SPDX-License-Identifier: MIT */
/* Interrupts at intervals: the local APIC's timer, or the PIT through the 8259. */
#include "timer.h"

#include "pit.h"
#include "port.h"
#include "trap.h"

enum { PIC_MASTER = 0x20, PIC_SLAVE = 0xa0, PIC_EOI = 0x20 };
enum {
    APIC_BASE_MSR = 0x1b,
    APIC_X2_MSRS = 0x800, /* MSR of the register at offset 16 n is 0x800 + n */
    APIC_EOI = 0xb0,
    APIC_SPURIOUS = 0xf0,
    APIC_TIMER = 0x320,
    APIC_INITIAL = 0x380,
    APIC_CURRENT = 0x390,
    APIC_DIVIDE = 0x3e0,
    SPURIOUS_VECTOR = 0xff,
};
#define APIC_ENABLED   UINT64_C(0x800) /* of APIC_BASE_MSR */
#define APIC_X2        UINT64_C(0x400)
#define APIC_SOFTWARE  0x100u /* of APIC_SPURIOUS */
#define TIMER_MASKED   0x10000u
#define TIMER_PERIODIC 0x20000u
#define DIVIDE_BY_16   3u
#define CPUID_APIC     (1u << 9)

static enum { NONE, APIC, X2APIC, PIT } source;
static uintptr_t apic;

static void pic_start(uint8_t master_vector, uint8_t slave_vector, uint8_t master_mask)
{
    boot_out8(PIC_MASTER, 0x11); /* ICW1: edge, cascade, ICW4 follows */
    boot_out8(PIC_SLAVE, 0x11);
    boot_out8(PIC_MASTER + 1, master_vector);
    boot_out8(PIC_SLAVE + 1, slave_vector);
    boot_out8(PIC_MASTER + 1, 4); /* the slave is on line 2 */
    boot_out8(PIC_SLAVE + 1, 2);
    boot_out8(PIC_MASTER + 1, 1); /* 8086 mode */
    boot_out8(PIC_SLAVE + 1, 1);
    boot_out8(PIC_MASTER + 1, master_mask);
    boot_out8(PIC_SLAVE + 1, 0xff);
}

/* A spurious interrupt is not acknowledged and means nothing. */
static struct boot_frame *ignore(struct boot_frame *frame)
{
    return frame;
}

void boot_interrupts_mask(void)
{
    pic_start(BOOT_PIC_VECTOR, BOOT_PIC_VECTOR + 8, 0xff);
    boot_trap_set(BOOT_PIC_VECTOR + 7, ignore);
    boot_trap_set(BOOT_PIC_VECTOR + 15, ignore);
}

static void apic_write(unsigned reg, uint32_t value)
{
    if (source == X2APIC)
        boot_msr_write(APIC_X2_MSRS + reg / 16, value);
    else
        *(volatile uint32_t *) (apic + reg) = value;
}

static uint32_t apic_read(unsigned reg)
{
    if (source == X2APIC)
        return (uint32_t) boot_msr_read(APIC_X2_MSRS + reg / 16);
    return *(volatile uint32_t *) (apic + reg);
}

/* Enable it as firmware left it; false where there is none. */
static bool apic_start(void)
{
    uint32_t regs[4];
    uint64_t base;

    boot_cpuid(1, 0, regs);
    if (!(regs[3] & CPUID_APIC))
        return false;
    base = boot_msr_read(APIC_BASE_MSR);
    if (!(base & APIC_ENABLED) || base >> 32)
        return false;
    source = base & APIC_X2 ? X2APIC : APIC;
    apic = (uintptr_t) (base & ~UINT64_C(0xfff));
    boot_trap_set(SPURIOUS_VECTOR, ignore);
    apic_write(APIC_SPURIOUS, APIC_SOFTWARE | SPURIOUS_VECTOR);
    return true;
}

/* Counts of the timer, divided by 16, in @period_us; 0 when it stands still. */
static uint32_t apic_period(uint32_t period_us, uint64_t tsc_hz)
{
    uint64_t start, ticks, counts, wait = tsc_hz / 500; /* 2 ms, or longer where others run */

    apic_write(APIC_DIVIDE, DIVIDE_BY_16);
    apic_write(APIC_TIMER, TIMER_MASKED | SPURIOUS_VECTOR);
    apic_write(APIC_INITIAL, UINT32_MAX);
    start = boot_tsc();
    while (boot_tsc() - start < wait)
        ;
    counts = UINT32_MAX - apic_read(APIC_CURRENT);
    ticks = boot_tsc() - start;
    counts = counts * period_us / 1000 * (tsc_hz / 1000) / ticks;
    return counts > UINT32_MAX ? UINT32_MAX : (uint32_t) counts;
}

static bool start_apic_timer(uint8_t vector, uint32_t period_us, uint64_t tsc_hz)
{
    uint32_t counts;

    if (tsc_hz == 0 || !apic_start())
        return false;
    counts = apic_period(period_us, tsc_hz);
    if (counts == 0)
        return false;
    apic_write(APIC_TIMER, TIMER_PERIODIC | vector);
    apic_write(APIC_INITIAL, counts);
    return true;
}

bool boot_timer_start(uint8_t vector, uint32_t period_us, uint64_t tsc_hz)
{
    if (start_apic_timer(vector, period_us, tsc_hz))
        return true;
    source = NONE;
    if (!boot_pit_start(period_us))
        return false;
    source = PIT;
    boot_trap_set(vector + 7u, ignore);
    pic_start(vector, BOOT_PIC_VECTOR + 8, 0xfe);
    return true;
}

void boot_timer_acknowledge(void)
{
    if (source == PIT)
        boot_out8(PIC_MASTER, PIC_EOI);
    else if (source != NONE)
        apic_write(APIC_EOI, 0);
}

void boot_timer_stop(void)
{
    if (source == APIC || source == X2APIC)
        apic_write(APIC_TIMER, TIMER_MASKED | SPURIOUS_VECTOR);
    else if (source == PIT)
        boot_interrupts_mask();
    source = NONE;
}
