/* SPDX-License-Identifier: MIT */
/*
 * Ends candidates that do not end, by the local APIC's timer.
 *
 * The timer ticks all the time; a look at a candidate takes microseconds, so that one which has run
 * for a second is not going to end.
 */
#include "deadline.h"

#include "altpick/abi.h"
#include "port.h"

enum {
    VECTOR = 0xe0, /* above what firmware gives its devices */
    TICK_US = 50000,
    CALIBRATION_US = 2000,
    GATES = 256,
};

/* SDM vol. 3, 10.4.1 and 10.5.4; in x2APIC mode the register at 16 n is MSR 0x800 + n (10.12.1). */
enum {
    APIC_BASE_MSR = 0x1b,
    X2APIC_MSRS = 0x800,
    DEADLINE_MSR = 0x6e0,
    END_OF_INTERRUPT = 0xb0,
    SPURIOUS = 0xf0,
    TIMER = 0x320,
    INITIAL = 0x380,
    CURRENT = 0x390,
    DIVIDE = 0x3e0,
    DIVIDE_BY_16 = 3,
};
#define BASE_ENABLED   UINT64_C(0x800)
#define BASE_X2APIC    UINT64_C(0x400)
#define BASE_ADDRESS   UINT64_C(0xffffffffff000)
#define APIC_SOFTWARE  0x100u /* of SPURIOUS: enabled */
#define TIMER_MASKED   0x10000u
#define TIMER_PERIODIC 0x20000u
#define TIMER_BY_TSC   0x40000u
#define CPUID_APIC     (1u << 9)
#define FLAG_IF        0x200u

static const uint64_t unknown_hz = 5000000000; /* a counter that nobody knows: rather late */

/* SDM vol. 3, 6.14.1 */
struct gate {
    uint16_t offset_low, selector;
    uint8_t ist, attributes;
    uint16_t offset_middle;
    uint32_t offset_high, zero;
};

#pragma pack(push, 1)
struct idtr {
    uint16_t limit;
    uint64_t base;
};
#pragma pack(pop)

static struct {
    bool taken, x2;
    uintptr_t apic;
    uint32_t timer, divide, initial; /* firmware's */
    uint64_t tsc_deadline;
    struct idtr idtr;
    uint64_t second_ticks; /* of the time-stamp counter */
} state;

static _Alignas(16) struct gate gates[GATES];

/* deadline_entry.S; it acknowledges a tick at *efi_deadline_apic, or, where that is 0, by x2APIC.
 */
ALTPICK_SYSV void efi_deadline_entry(void);
extern uintptr_t efi_deadline_apic;
uintptr_t efi_deadline_apic;

static void apic_write(unsigned reg, uint32_t value)
{
    if (state.x2)
        boot_msr_write(X2APIC_MSRS + reg / 16, value);
    else
        *(volatile uint32_t *) (state.apic + reg) = value;
}

static uint32_t apic_read(unsigned reg)
{
    if (state.x2)
        return (uint32_t) boot_msr_read(X2APIC_MSRS + reg / 16);
    return *(volatile uint32_t *) (state.apic + reg);
}

static uint64_t close_interrupts(void *ctx)
{
    uint64_t flags;

    (void) ctx;
    __asm__ volatile("pushfq\n\tpopq %0\n\tcli" : "=r"(flags) : : "memory");
    return flags;
}

static void open_interrupts(void *ctx, uint64_t before)
{
    (void) ctx;
    if (before & FLAG_IF)
        boot_interrupts_on();
}

static bool deadline(void *ctx, uint64_t ran_ticks)
{
    (void) ctx;
    apic_write(END_OF_INTERRUPT, 0);
    return ran_ticks > state.second_ticks;
}

static bool find_apic(void)
{
    uint32_t regs[4];
    uint64_t base;

    boot_cpuid(1, 0, regs);
    if (!(regs[3] & CPUID_APIC))
        return false;
    base = boot_msr_read(APIC_BASE_MSR);
    state.x2 = base & BASE_X2APIC;
    state.apic = (uintptr_t) (base & BASE_ADDRESS);
    efi_deadline_apic = state.x2 ? 0 : state.apic + END_OF_INTERRUPT;
    return base & BASE_ENABLED && apic_read(SPURIOUS) & APIC_SOFTWARE;
}

/* Firmware's gates and ours: ticks come before and after the library has its own, too. */
static void load_gates(void)
{
    uintptr_t entry = (uintptr_t) efi_deadline_entry;
    uint16_t selector;
    struct idtr ours = {.limit = sizeof gates - 1, .base = (uint64_t) (uintptr_t) gates};

    __asm__ volatile("sidt %0" : "=m"(state.idtr));
    __asm__ volatile("mov %%cs, %0" : "=r"(selector));
    for (size_t i = 0; i < GATES; i++) {
        if ((i + 1) * sizeof gates[0] <= (size_t) state.idtr.limit + 1)
            gates[i] = ((const struct gate *) (uintptr_t) state.idtr.base)[i];
        else
            gates[i] = (struct gate){0};
    }
    gates[VECTOR] = (struct gate){
        .offset_low = (uint16_t) entry,
        .selector = selector,
        .attributes = 0x8e, /* present, interrupt gate */
        .offset_middle = (uint16_t) (entry >> 16),
        .offset_high = (uint32_t) ((uint64_t) entry >> 32),
    };
    __asm__ volatile("lidt %0" : : "m"(ours));
}

/* Counts in a tick. */
static uint32_t measure_tick(struct efi_boot_services *boot)
{
    apic_write(TIMER, TIMER_MASKED | VECTOR);
    apic_write(DIVIDE, DIVIDE_BY_16);
    apic_write(INITIAL, UINT32_MAX);
    boot->stall(CALIBRATION_US);
    return (uint32_t) ((UINT32_MAX - apic_read(CURRENT)) * (uint64_t) TICK_US / CALIBRATION_US);
}

static void restore_timer(void)
{
    apic_write(TIMER, TIMER_MASKED | VECTOR);
    apic_write(DIVIDE, state.divide);
    apic_write(TIMER, state.timer);
    apic_write(INITIAL, state.initial);
    if (state.timer & TIMER_BY_TSC)
        boot_msr_write(DEADLINE_MSR, state.tsc_deadline); /* one that is past comes at once */
}

bool efi_deadline_start(struct efi_boot_services *boot, struct altpick_boot_options *options)
{
    uint64_t flags;
    uint32_t counts;

    if (!find_apic())
        return false;
    flags = close_interrupts(NULL);
    state.timer = apic_read(TIMER);
    state.divide = apic_read(DIVIDE);
    state.initial = apic_read(INITIAL);
    state.tsc_deadline = state.timer & TIMER_BY_TSC ? boot_msr_read(DEADLINE_MSR) : 0;
    counts = measure_tick(boot);
    state.taken = counts > 0;
    if (state.taken) {
        load_gates();
        apic_write(TIMER, TIMER_PERIODIC | VECTOR);
        apic_write(INITIAL, counts);
        options->deadline_vector = VECTOR;
        options->deadline = deadline;
        state.second_ticks = options->tsc_hz ? options->tsc_hz : unknown_hz;
    } else {
        restore_timer();
    }
    open_interrupts(NULL, flags);
    return state.taken;
}

void efi_deadline_stop(void)
{
    uint64_t flags;

    if (!state.taken)
        return;
    flags = close_interrupts(NULL);
    apic_write(TIMER, TIMER_MASKED | VECTOR);
    /* One more may have been raised: it is taken while there is a gate for it. */
    boot_interrupts_on();
    __asm__ volatile("nop\n\tnop" : : : "memory");
    boot_interrupts_off();
    restore_timer();
    __asm__ volatile("lidt %0" : : "m"(state.idtr));
    state.taken = false;
    open_interrupts(NULL, flags);
}
