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
    LATCH_2 = 0x80,     /* the count of channel 2 */
    READ_BACK_0 = 0xe2, /* latch the status of channel 0 */
    GATE = 0x61,
    GATE_2 = 0x01,
    SPEAKER = 0x02,
    OUT_2 = 0x20,
    SHOT_MS = 10,
    SHOTS_MAX = 8,
    READINGS = 5,
    READS_MAX = 1000000,
};
#define HZ_MIN UINT64_C(100000000)
#define HZ_MAX UINT64_C(20000000000)

static bool is_plausible(uint64_t hz)
{
    return hz >= HZ_MIN && hz <= HZ_MAX;
}

/* Both counters at one moment, as far as that can be: of several readings the shortest. */
struct moment {
    uint16_t count; /* counts down */
    uint64_t ticks;
};

static uint16_t read_count(void)
{
    unsigned low;

    boot_out8(COMMAND, LATCH_2);
    low = boot_in8(CHANNEL_2);
    return (uint16_t) (low | (unsigned) boot_in8(CHANNEL_2) << 8);
}

static struct moment read_both(void)
{
    struct moment best = {0, 0};
    uint64_t shortest = UINT64_MAX;

    for (unsigned i = 0; i < READINGS; i++) {
        uint64_t start = boot_tsc(), took;
        uint16_t count = read_count();

        took = boot_tsc() - start;
        if (took >= shortest)
            continue;
        shortest = took;
        best = (struct moment){count, start + took / 2};
    }
    return best;
}

static void start_shot(uint8_t gate)
{
    boot_out8(GATE, (uint8_t) ((gate & ~SPEAKER) | GATE_2));
    boot_out8(COMMAND, ONE_SHOT_2);
    boot_out8(CHANNEL_2, 0xff);
    boot_out8(CHANNEL_2, 0xff); /* starts it */
}

/*
 * Ticks a second by a hundredth of one.  0 where nothing counts; 1 where the counter came to its
 * end, since someone else had the CPU for longer than the 55 ms that it takes.
 */
static uint64_t measure(void)
{
    const uint16_t counts = PIT_HZ * SHOT_MS / 1000;
    uint8_t gate = boot_in8(GATE);
    struct moment first, last;
    bool ended, enough = false;

    start_shot(gate);
    first = last = read_both();
    for (unsigned i = 0; i < READS_MAX && !enough; i++) {
        enough = (uint16_t) (first.count - read_count()) >= counts ||
                 boot_tsc() - first.ticks > HZ_MAX * SHOT_MS / 1000;
    }
    last = read_both();
    ended = boot_in8(GATE) & OUT_2;
    boot_out8(GATE, gate);
    if (last.count >= first.count)
        return 0;
    return ended ? 1 : (last.ticks - first.ticks) * PIT_HZ / (unsigned) (first.count - last.count);
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

/* Where others have the CPU at times, two in a row that agree are believed. */
uint64_t boot_timer_tsc_hz(void)
{
    uint64_t before = measure(), hz;

    for (unsigned i = 1; i < SHOTS_MAX && before; i++) {
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
