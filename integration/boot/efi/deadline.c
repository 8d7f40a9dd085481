/* SPDX-License-Identifier: MIT */
/*
 * Ends candidates that do not end, by the local APIC's timer.
 *
 * The timer ticks all the time; a look at a candidate takes microseconds, so that one which has run
 * for a second is not going to end.
 */
#include "deadline.h"

#include "altpick/abi.h"
#include "apic.h"

enum {
    VECTOR = 0xe0, /* above what firmware gives its devices */
    TICK_US = 50000,
    CALIBRATION_US = 2000,
    GATES = 256,
    DEADLINE_MSR = 0x6e0, /* SDM vol. 3, 10.5.4.1 */
};

#define FLAG_IF 0x200u

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
    bool taken;
    struct boot_apic apic;
    uint32_t timer, divide, initial; /* firmware's */
    uint64_t tsc_deadline;
    struct idtr idtr;
    uint64_t second_ticks; /* of the time-stamp counter */
} state;

static _Alignas(16) struct gate gates[GATES];

/* deadline_entry.S; it acknowledges a tick at efi_deadline_apic, by an MSR where that is 0. */
ALTPICK_SYSV void efi_deadline_entry(void);
extern uintptr_t efi_deadline_apic;
uintptr_t efi_deadline_apic;

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
    boot_apic_write(&state.apic, BOOT_APIC_EOI, 0);
    return ran_ticks > state.second_ticks;
}

static bool find_apic(void)
{
    if (!boot_apic_find(&state.apic))
        return false;
    efi_deadline_apic = state.apic.x2 ? 0 : state.apic.base + BOOT_APIC_EOI;
    return boot_apic_read(&state.apic, BOOT_APIC_SPURIOUS) & BOOT_APIC_SOFTWARE;
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
    boot_apic_count_down(&state.apic, VECTOR);
    boot->stall(CALIBRATION_US);
    return (uint32_t) (boot_apic_counted(&state.apic) * (uint64_t) TICK_US / CALIBRATION_US);
}

static void restore_timer(void)
{
    boot_apic_write(&state.apic, BOOT_APIC_TIMER, BOOT_APIC_TIMER_MASKED | VECTOR);
    boot_apic_write(&state.apic, BOOT_APIC_DIVIDE, state.divide);
    boot_apic_write(&state.apic, BOOT_APIC_TIMER, state.timer);
    boot_apic_write(&state.apic, BOOT_APIC_INITIAL, state.initial);
    if (!(state.timer & BOOT_APIC_TIMER_BY_TSC))
        return;
    /* WRMSR does not wait for writes to memory, the timer's mode among them (SDM vol. 3, 10.5.4.1).
     */
    __asm__ volatile("mfence" : : : "memory");
    boot_msr_write(DEADLINE_MSR, state.tsc_deadline); /* one that is past comes at once */
}

bool efi_deadline_start(struct efi_boot_services *boot, struct altpick_boot_options *options)
{
    uint64_t flags;
    uint32_t counts;

    if (!find_apic())
        return false;
    flags = close_interrupts(NULL);
    state.timer = boot_apic_read(&state.apic, BOOT_APIC_TIMER);
    state.divide = boot_apic_read(&state.apic, BOOT_APIC_DIVIDE);
    state.initial = boot_apic_read(&state.apic, BOOT_APIC_INITIAL);
    state.tsc_deadline = state.timer & BOOT_APIC_TIMER_BY_TSC ? boot_msr_read(DEADLINE_MSR) : 0;
    counts = measure_tick(boot);
    state.taken = counts > 0;
    if (state.taken) {
        load_gates();
        boot_apic_tick(&state.apic, VECTOR, counts);
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
    boot_apic_write(&state.apic, BOOT_APIC_TIMER, BOOT_APIC_TIMER_MASKED | VECTOR);
    /* One more may have been raised: it is taken while there is a gate for it. */
    boot_interrupts_on();
    __asm__ volatile("nop\n\tnop" : : : "memory");
    boot_interrupts_off();
    restore_timer();
    __asm__ volatile("lidt %0" : : "m"(state.idtr));
    state.taken = false;
    open_interrupts(NULL, flags);
}
