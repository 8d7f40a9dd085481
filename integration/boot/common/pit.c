/* SPDX-License-Identifier: MIT */
/* The 8254: measures the time-stamp counter against its crystal, and interrupts at intervals. */
#include "pit.h"

#include "port.h"
#include "timer.h"

enum {
    PIT_HZ = 1193182,
    CHANNEL_0 = 0x40,
    CHANNEL_2 = 0x42,
    COMMAND = 0x43,
    RATE_0 = 0x34,      /* channel 0, both bytes, mode 2 */
    ONE_SHOT_2 = 0xb0,  /* channel 2, both bytes, mode 0 */
    READ_BACK_0 = 0xe2, /* latch the status of channel 0 */
    GATE = 0x61,
    GATE_2 = 0x01,
    SPEAKER = 0x02,
    OUT_2 = 0x20,
    SHOT_MS = 10,
    SHOTS_MAX = 8,
    READS_MAX = 10000000,
};
#define HZ_MIN UINT64_C(100000000)
#define HZ_MAX UINT64_C(20000000000)

static bool is_plausible(uint64_t hz)
{
    return hz >= HZ_MIN && hz <= HZ_MAX;
}

/* Ticks a second by one shot of channel 2; 0 when it does not end. */
static uint64_t measure(void)
{
    const unsigned count = PIT_HZ * SHOT_MS / 1000;
    uint8_t gate = boot_in8(GATE);
    uint64_t start, ticks = 0;
    bool out = false;

    boot_out8(GATE, (uint8_t) ((gate & ~SPEAKER) | GATE_2));
    boot_out8(COMMAND, ONE_SHOT_2);
    boot_out8(CHANNEL_2, (uint8_t) count);
    boot_out8(CHANNEL_2, (uint8_t) (count >> 8)); /* starts it */
    start = boot_tsc();
    for (unsigned i = 0; i < READS_MAX && !out && ticks < HZ_MAX * SHOT_MS / 1000; i++) {
        out = boot_in8(GATE) & OUT_2;
        ticks = boot_tsc() - start;
    }
    boot_out8(GATE, gate);
    return out ? ticks * (1000 / SHOT_MS) : 0;
}

/* As CPUID tells: SDM vol. 2A, leaf 0x15; VMware's and KVM's leaf 0x40000010, in kHz. */
static uint64_t told_hz(void)
{
    uint32_t regs[4];

    boot_cpuid(0, 0, regs);
    if (regs[0] >= 0x15) {
        boot_cpuid(0x15, 0, regs);
        if (regs[0] && regs[1] && regs[2])
            return (uint64_t) regs[2] * regs[1] / regs[0];
    }
    boot_cpuid(1, 0, regs);
    if (!(regs[2] >> 31))
        return 0;
    boot_cpuid(0x40000000, 0, regs);
    if (regs[0] < 0x40000010 || regs[0] > 0x400000ff)
        return 0;
    boot_cpuid(0x40000010, 0, regs);
    return (uint64_t) regs[0] * 1000;
}

/* Whoever else has the CPU meanwhile makes a shot longer: two in a row that agree are believed. */
uint64_t boot_timer_tsc_hz(void)
{
    uint64_t before = measure(), hz;

    for (unsigned i = 1; i < SHOTS_MAX && is_plausible(before); i++) {
        hz = measure();
        if (is_plausible(hz) && (hz > before ? hz - before : before - hz) <= hz / 50)
            return before / 2 + hz / 2;
        before = hz;
    }
    hz = told_hz();
    return is_plausible(hz) ? hz : 0;
}

bool boot_pit_start(uint32_t period_us)
{
    uint64_t count = (uint64_t) PIT_HZ * period_us / 1000000;

    boot_out8(COMMAND, RATE_0);
    boot_out8(CHANNEL_0, (uint8_t) count);
    boot_out8(CHANNEL_0, (uint8_t) (count >> 8));
    boot_out8(COMMAND, READ_BACK_0);
    return (boot_in8(CHANNEL_0) & 0x3f) == (RATE_0 & 0x3f); /* all ones: nobody there */
}
