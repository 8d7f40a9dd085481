/* SPDX-License-Identifier: MIT */
/* Interrupts at intervals: the local APIC's timer, or the PIT through the 8259. */
#include "timer.h"

#include "apic.h"
#include "pit.h"
#include "port.h"
#include "trap.h"

enum { PIC_MASTER = 0x20, PIC_SLAVE = 0xa0, PIC_EOI = 0x20 };
enum { SPURIOUS_VECTOR = 0xff };

static enum { NONE, APIC, PIT } source;
static struct boot_apic apic;

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

/* Enable it as firmware left it; false where there is none, or beyond what is mapped. */
static bool apic_start(void)
{
    if (!boot_apic_find(&apic) || apic.base >> 32)
        return false;
    source = APIC;
    boot_trap_set(SPURIOUS_VECTOR, ignore);
    boot_apic_write(&apic, BOOT_APIC_SPURIOUS, BOOT_APIC_SOFTWARE | SPURIOUS_VECTOR);
    return true;
}

/* Counts of the timer, divided by 16, in @period_us; 0 when it stands still. */
static uint32_t apic_period(uint32_t period_us, uint64_t tsc_hz)
{
    uint64_t start, ticks, counts, wait = tsc_hz / 500; /* 2 ms, or longer where others run */

    boot_apic_count_down(&apic, SPURIOUS_VECTOR);
    start = boot_tsc();
    while (boot_tsc() - start < wait)
        ;
    counts = boot_apic_counted(&apic);
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
    boot_apic_tick(&apic, vector, counts);
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
    else if (source == APIC)
        boot_apic_write(&apic, BOOT_APIC_EOI, 0);
}

void boot_timer_stop(void)
{
    if (source == APIC)
        boot_apic_write(&apic, BOOT_APIC_TIMER, BOOT_APIC_TIMER_MASKED | SPURIOUS_VECTOR);
    else if (source == PIT)
        boot_interrupts_mask();
    source = NONE;
}
