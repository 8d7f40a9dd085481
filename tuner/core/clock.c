/* SPDX-License-Identifier: MIT */
/* Turns the time-stamp counter into fenced readings and finds the step in which it advances. */
#include "altpick/clock.h"
#include "bytes.h"
#include "clock_step.h"

#define LEAF_AMD_FEATURES_2 0x80000021u
#define LFENCE_ALWAYS_WAITS 4u /* its EAX */

enum {
    N_READINGS = 256,
    N_DELAYS = 32,      /* readings are apart by 0 .. 31 additions, so that a fine clock shows it */
    MANY_STEPS = 8,     /* beyond so many steps an error of rounding may have grown too large */
    STEP_MAX = 1000000, /* coarser than any use: not looked at more closely */
    SLACK_SHARE = 8,    /* a scaled counter may miss a whole number of steps by 1/8 of one */
};

static uint64_t fenced_rdtsc(void)
{
    uint32_t low, high;

    __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t) high << 32 | low;
}

uint64_t altpick_clock_start(void)
{
    return fenced_rdtsc();
}

/*
 * Not RDTSCP: CPUs with long mode but without it exist (Core 2), a look at CPUID would cost an exit
 * from a virtual machine, and this may run before anybody could handle #UD.  LFENCE waits for the
 * region just as well where it serialises dispatch: see altpick_clock_needs_fence_bit().
 */
uint64_t altpick_clock_stop(void)
{
    return fenced_rdtsc();
}

bool altpick_clock_needs_fence_bit(const struct altpick_cpu *cpu,
                                   const struct altpick_cpuid_source *source)
{
    uint32_t regs[4];

    if ((!altpick_equal(cpu->vendor, "AuthenticAMD") &&
         !altpick_equal(cpu->vendor, "HygonGenuine")) ||
        cpu->family < 0x10 || cpu->family == 0x11)
        return false;
    source->cpuid(source->ctx, 0x80000000, 0, regs);
    if (regs[ALTPICK_CPU_EAX] < LEAF_AMD_FEATURES_2)
        return true;
    source->cpuid(source->ctx, LEAF_AMD_FEATURES_2, 0, regs);
    return !(regs[ALTPICK_CPU_EAX] & LFENCE_ALWAYS_WAITS);
}

static void delay(uint32_t additions)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < additions; i++)
        __asm__ volatile("add %1, %0" : "+r"(sum) : "r"(i) : "cc");
}

/* The differences between successive readings. */
static void read_steps(uint32_t steps[N_READINGS])
{
    uint64_t before = fenced_rdtsc();

    for (uint32_t i = 0; i < N_READINGS; i++) {
        uint64_t now, step;

        delay(i % N_DELAYS);
        now = fenced_rdtsc();
        step = now > before ? now - before : 0;
        before = now;
        steps[i] = step > UINT32_MAX ? UINT32_MAX : (uint32_t) step;
    }
}

/* Whether every difference up to @limit is a whole number of @quantum, give or take rounding. */
static bool explains(uint32_t quantum, uint64_t limit, const uint32_t *steps, size_t n)
{
    uint32_t slack = quantum / SLACK_SHARE;

    for (size_t i = 0; i < n; i++) {
        uint32_t rest = steps[i] % quantum;

        if (steps[i] <= limit && rest > slack && quantum - rest > slack)
            return false;
    }
    return true;
}

uint32_t altpick_clock_step_of(const uint32_t *steps, size_t n)
{
    uint32_t least = 0, quantum;

    for (size_t i = 0; i < n; i++) {
        if (steps[i] && (!least || steps[i] < least))
            least = steps[i];
    }
    quantum = least;
    while (quantum > 1 && quantum <= STEP_MAX &&
           !explains(quantum, (uint64_t) least * MANY_STEPS, steps, n))
        quantum--;
    return quantum;
}

uint32_t altpick_clock_quantum_ticks(void)
{
    uint32_t steps[N_READINGS];

    read_steps(steps);
    return altpick_clock_step_of(steps, N_READINGS);
}
