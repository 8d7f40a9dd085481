/* SPDX-License-Identifier: MIT */
/* An IDT in which a fault of a candidate ends the candidate, and what runs around each. */
#include "ring0.h"

#include "altpick/clock.h"
#include "bytes.h"
#include "ring0_cpu.h"
#include "xstate_run.h"

enum {
    STUB_BYTES = 8,
    STEP_BYTES = 16,
    GATE_INTERRUPT = 0x8e, /* present, 64-bit interrupt gate */
    GATE_KIND = 0x9e,      /* the bits that it shares with a trap gate */
    IST_MAX = 7,
    DOUBLE_FAULT = 8,
};

/*
 * Faults that code under test may raise.  #DB, NMI, machine checks and what hypervisors raise (#VE,
 * #HV, #VC, #SX) are not its doing.
 */
static const uint32_t survived =
    1u << 0 | 0xf8u | 1u << DOUBLE_FAULT | 0x7c00u | 1u << 16 | 1u << 17 | 1u << 19 | 1u << 21;

_Static_assert(sizeof(struct altpick_gate) == 16, "SDM vol. 3, 6.14.1");
_Static_assert(offsetof(struct altpick_ring0, handler) == 4096, "ring0_run.S");
_Static_assert(offsetof(struct altpick_ring0, armed) == 4352, "ring0_run.S");
_Static_assert(offsetof(struct altpick_ring0, recover) == 4360, "ring0_run.S");
_Static_assert(offsetof(struct altpick_ring0, vector) == 4368, "ring0_run.S");
_Static_assert(offsetof(struct altpick_ring0, rip) == 4376, "ring0_run.S");
_Static_assert(offsetof(struct altpick_ring0, stack) == 4392, "ring0_run.S");

uint32_t altpick_ring0_level(void)
{
    return altpick_cpu_cs() & 3;
}

static uint64_t gate_offset(const struct altpick_gate *gate)
{
    return gate->offset_low | (uint64_t) gate->offset_middle << 16 |
           (uint64_t) gate->offset_high << 32;
}

static void set_gate(struct altpick_gate *gate, uintptr_t handler)
{
    gate->selector = altpick_cpu_cs();
    gate->offset_low = (uint16_t) handler;
    gate->offset_middle = (uint16_t) (handler >> 16);
    gate->offset_high = (uint32_t) ((uint64_t) handler >> 32);
    gate->attributes = (uint8_t) (gate->attributes & 0x60) | GATE_INTERRUPT; /* the caller's DPL */
}

/* Whether the CPU would take @gate: tables that nobody made hold anything. */
static bool is_gate(const struct altpick_gate *gate)
{
    return (gate->attributes & GATE_KIND) == GATE_INTERRUPT && gate->ist <= IST_MAX;
}

static const uint8_t *idtr_base(const struct altpick_idtr *idtr)
{
    uint64_t base = 0;

    for (unsigned i = 0; i < 4; i++)
        base |= (uint64_t) idtr->base[i] << 16 * i;
    return (const uint8_t *) (uintptr_t) base;
}

static void set_nm(struct altpick_ring0 *ring0, unsigned step)
{
    uintptr_t handler = step ? (uintptr_t) altpick_ring0_steps + step * STEP_BYTES
                             : (uintptr_t) altpick_ring0_stubs + ALTPICK_VECTOR_NM * STUB_BYTES;

    set_gate(&ring0->idt[ALTPICK_VECTOR_NM], handler);
}

/*
 * The caller's gates, those of faults led to our stubs.  A double fault is only survived where the
 * caller gives it a stack of its own: without one nothing is.
 */
void altpick_ring0_make_idt(struct altpick_ring0 *ring0, uint8_t timer_vector)
{
    size_t bytes = (size_t) ring0->idtr.limit + 1;

    if (bytes > sizeof ring0->idt)
        bytes = sizeof ring0->idt;
    altpick_copy_bytes((uint8_t *) ring0->idt, idtr_base(&ring0->idtr), bytes);
    for (unsigned v = 0; v < ALTPICK_RING0_FAULTS; v++) {
        struct altpick_gate *gate = &ring0->idt[v];

        if (!(survived >> v & 1) || (v == DOUBLE_FAULT && !(is_gate(gate) && gate->ist)))
            continue;
        if (is_gate(gate))
            ring0->handler[v] = gate_offset(gate);
        else
            altpick_zero(gate, sizeof *gate);
        set_gate(gate, (uintptr_t) altpick_ring0_stubs + v * STUB_BYTES);
    }
    if (timer_vector)
        set_gate(&ring0->idt[timer_vector], (uintptr_t) altpick_ring0_timer);
}

ALTPICK_SYSV bool altpick_ring0_timer_fired(struct altpick_ring0 *ring0)
{
    uint64_t ran_ticks = ring0->armed ? altpick_clock_stop() - ring0->began_ticks : 0;

    return ring0->timer(ring0->ctx, ran_ticks) && ring0->armed;
}

uint64_t altpick_ring0_close_interrupts(void *ctx)
{
    uint64_t flags = altpick_cpu_flags();

    (void) ctx;
    altpick_cpu_cli();
    return flags;
}

void altpick_ring0_open_interrupts(void *ctx, uint64_t before)
{
    (void) ctx;
    if (before & ALTPICK_FLAG_IF)
        altpick_cpu_sti();
}

/* Looks stay open to the caller's timer, which ends those that do not end. */
static void begin(void *ctx, const struct altpick_candidate *candidate, bool timed)
{
    struct altpick_ring0 *ring0 = ctx;

    ring0->masks = timed || !ring0->deadline;
    if (ring0->masks) {
        ring0->interrupts = ring0->interrupts_off(ring0->ctx);
        ring0->run_if = altpick_cpu_flags() & ALTPICK_FLAG_IF;
    } else {
        ring0->began_ticks = altpick_clock_start();
    }
    if (timed && candidate && candidate->traps) {
        set_nm(ring0, candidate->traps);
        altpick_cpu_set_cr0(ring0->our_cr0 | ALTPICK_CR0_TS);
        ring0->traps = true;
    }
    ring0->armed = 1;
}

static void stop_traps(struct altpick_ring0 *ring0)
{
    if (!ring0->traps)
        return;
    altpick_cpu_clts();
    set_nm(ring0, 0);
    ring0->traps = false;
}

/* A hook may close interrupts by other means than the flag, and then does not open that. */
static void end_masking(struct altpick_ring0 *ring0)
{
    altpick_cpu_set_flags((ring0->our_flags & ~(uint64_t) ALTPICK_FLAG_IF) | ring0->run_if);
    ring0->interrupts_restore(ring0->ctx, ring0->interrupts);
    ring0->masks = false;
}

/* Flags are as at the call again, whatever the candidate left: NT, AC, DF, no interrupts. */
static void end(void *ctx)
{
    struct altpick_ring0 *ring0 = ctx;

    ring0->armed = 0;
    stop_traps(ring0);
    if (ring0->masks)
        end_masking(ring0);
    else
        altpick_cpu_set_flags(ring0->our_flags);
}

/* Whatever a candidate did to the state before it faulted. */
static void clean_up(struct altpick_ring0 *ring0)
{
    altpick_cpu_set_flags(ring0->our_flags & ~(uint64_t) ALTPICK_FLAG_IF);
    stop_traps(ring0);
    if (altpick_cpu_ss() != ring0->ss)
        altpick_cpu_set_ss(ring0->ss);
    altpick_cpu_set_cr0(ring0->our_cr0);
    altpick_cpu_set_cr4(ring0->our_cr4);
    if (ring0->has_state)
        altpick_xstate_run_fxrstor(ring0->init);
    if (ring0->has_state && ring0->our_cr4 & ALTPICK_CR4_OSXSAVE) {
        altpick_cpu_set_xcr0(ring0->our_xcr0);
        altpick_xstate_run_xrstor(ring0->init, ring0->our_xcr0 & ~(uint64_t) ALTPICK_XCR0_PKRU);
    }
    if (ring0->masks)
        end_masking(ring0);
    else
        altpick_ring0_open_interrupts(NULL, ring0->flags);
}

int altpick_ring0_try(struct altpick_ring0 *ring0, ALTPICK_SYSV int (*code)(void *argument),
                      void *argument)
{
    int r = altpick_ring0_run(ring0, code, argument);

    if (r == 1 && ring0->level == 0)
        clean_up(ring0);
    return r;
}

/* A call of candidate's code. */
struct entry {
    const void *code;
    void *data;
};

static ALTPICK_SYSV int call_entry(void *argument)
{
    const struct entry *entry = argument;

    altpick_ring0_call(entry->code, entry->data);
    return 0;
}

static bool traps(void *ctx, const void *code, void *data)
{
    struct altpick_ring0 *ring0 = ctx;
    struct entry entry = {code, data};
    bool raised;

    begin(ring0, NULL, true);
    ring0->traps = true;
    altpick_cpu_set_cr0(ring0->our_cr0 | ALTPICK_CR0_TS);
    raised =
        altpick_ring0_try(ring0, call_entry, &entry) == 1 && ring0->vector == ALTPICK_VECTOR_NM;
    end(ring0);
    return raised;
}

int altpick_ring0_try_masked(struct altpick_ring0 *ring0, ALTPICK_SYSV int (*code)(void *argument),
                             void *argument)
{
    int r;

    if (ring0->level)
        return altpick_ring0_try(ring0, code, argument);
    begin(ring0, NULL, true);
    r = altpick_ring0_try(ring0, code, argument);
    end(ring0);
    return r;
}

struct msr {
    uint32_t number;
    uint64_t value;
};

static ALTPICK_SYSV int read_msr(void *argument)
{
    struct msr *msr = argument;

    msr->value = altpick_cpu_rdmsr(msr->number);
    return 0;
}

bool altpick_ring0_read_msr(struct altpick_ring0 *ring0, uint32_t number, uint64_t *ret_value)
{
    struct msr msr = {.number = number};

    if (ring0->level || altpick_ring0_try_masked(ring0, read_msr, &msr) != 0)
        return false;
    *ret_value = msr.value;
    return true;
}

void altpick_ring0_make_guard(struct altpick_ring0 *ring0)
{
    ring0->guard = (struct altpick_guard){
        .ctx = ring0, .begin = begin, .end = end, .traps = traps, .cr0 = (uint32_t) ring0->our_cr0};
}
