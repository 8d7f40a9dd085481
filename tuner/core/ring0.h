/* SPDX-License-Identifier: MIT */
/*
 * The CPU taken over and given back: an IDT in which the faults of candidates end nothing but the
 * candidate, the registers that code under test needs, and all of it as before afterwards.
 */
#ifndef ALTPICK_CORE_RING0_H
#define ALTPICK_CORE_RING0_H

#include "altpick/abi.h"
#include "altpick/live.h"
#include "altpick/xstate.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ALTPICK_RING0_GATES = 256,
    ALTPICK_RING0_FAULTS = 32,       /* vectors of exceptions (SDM vol. 3, 6.3.1) */
    ALTPICK_RING0_TIMED_OUT = 0x100, /* in place of a vector: the caller's timer ended it */
};

#define ALTPICK_CR0_TS     0x8u
#define ALTPICK_VECTOR_NM  7u
#define ALTPICK_RING0_NONE UINT32_MAX /* no vector */

/* A gate of the IDT (SDM vol. 3, 6.14.1). */
struct altpick_gate {
    uint16_t offset_low, selector;
    uint8_t ist, attributes;
    uint16_t offset_middle;
    uint32_t offset_high, zero;
};

/* The operand of LIDT and SIDT. */
struct altpick_idtr {
    uint16_t limit;
    uint16_t base[4]; /* unaligned */
};

/*
 * The handlers find this by the base of the IDT, so that nothing has to be global: idt comes first.
 * ring0_run.S knows the offsets up to `stack`.
 */
struct altpick_ring0 {
    _Alignas(64) struct altpick_gate idt[ALTPICK_RING0_GATES];
    uint64_t handler[ALTPICK_RING0_FAULTS]; /* the caller's; 0: none */
    uint64_t armed;                         /* a fault now is the candidate's, whatever raised it */
    uint64_t recover;                       /* stack pointer to go back to, 0: nowhere */
    uint64_t vector;                        /* of the last fault that was survived */
    uint64_t rip;                           /* where */
    uint64_t deadline; /* whether there is a deadline's handler: the caller's timer */
    uint64_t stack;    /* end of the stack that altpick_ring0_try() switches to; 0: none */

    bool (*timer)(void *ctx, uint64_t ran_ticks);
    uint64_t (*interrupts_off)(void *ctx);
    void (*interrupts_restore)(void *ctx, uint64_t before);
    void *ctx;

    /* The caller's, to be restored. */
    struct altpick_idtr idtr;
    uint64_t cr0, cr2, cr4, xcr0, flags;
    uint64_t our_flags;      /* the same, but for NT, with which IRET faults */
    uint16_t ss;             /* an exception on a stack of its own may clear it */
    uint8_t environment[28]; /* FNSTENV: x87 pointers, which some saves leave out */
    uint8_t *area;           /* all components, ALTPICK_XSTATE_BYTES_MAX */
    bool has_state;          /* they are saved */
    bool has_our_xcr0;       /* XCR0 is no longer the caller's */

    /* What code under test finds. */
    uint64_t our_cr0, our_cr4, our_xcr0;
    _Alignas(64) uint8_t init[576]; /* the initial state, for XRSTOR and FXRSTOR */

    uint32_t level;             /* of privilege that this runs at: 0 or 3 */
    bool has_xsave;             /* the CPU has it */
    bool fxsave_skips;          /* EFER.FFXSR: FXSAVE leaves XMM registers out */
    bool masks, traps;          /* the current run is one without interrupts, with CR0.TS */
    uint64_t interrupts;        /* before it, for interrupts_restore */
    uint64_t run_if;            /* RFLAGS.IF in it: hooks may leave that alone */
    uint64_t began_ticks;       /* when it did, where a timer may end it */
    struct altpick_guard guard; /* for struct altpick_live; level 0 only */
};

/* What to take the CPU over with. */
struct altpick_ring0_request {
    uint64_t xcr0;   /* to enable: ALTPICK_BOOT_XCR0_AS_IS, _ALL or bits */
    uint8_t *area;   /* ALTPICK_XSTATE_BYTES_MAX, aligned to 64 */
    void *stack_end; /* for altpick_ring0_try(), aligned to 16 */
    uint8_t vector;  /* of the caller's timer, 0: none */
    bool (*timer)(void *ctx, uint64_t ran_ticks);
    uint64_t (*interrupts_off)(void *ctx);
    void (*interrupts_restore)(void *ctx, uint64_t before);
    void *ctx;
};

/* The privilege level that this code runs at. */
uint32_t altpick_ring0_level(void);

/*
 * Take the CPU over: IDT, CR0 and CR4, whose bit CET is clear.  @ring0 is zeroed memory.  Executes
 * no x87, SSE or XSAVE instruction, so that it can be known first whether this is a CPU at all.
 * Elsewhere than in ring 0 nothing is taken over.  Returns ALTPICK_EUNSUPPORTED without FXSAVE and
 * SSE2 or where XCR0 cannot have request->xcr0; then nothing has changed.
 */
int altpick_ring0_enter(struct altpick_ring0 *ring0, const struct altpick_ring0_request *request);

/*
 * Save the state of x87, vector and all other components, and enable what was asked for.  Returns
 * ALTPICK_EUNSUPPORTED where XCR0 does not take it, or FXSAVE, being all there is to save with, is
 * told to leave registers out; then all is as before.
 */
int altpick_ring0_take_state(struct altpick_ring0 *ring0);

/* Give all of it back, as it was. */
void altpick_ring0_leave(struct altpick_ring0 *ring0);

/*
 * Run @code(@argument), on the stack of @ring0 when that is not in use.  Returns what it returned,
 * or 1 where it faulted or timed out; then ring0->vector tells, the CPU's state is initial and
 * interrupts are as before the run that faulted.
 */
int altpick_ring0_try(struct altpick_ring0 *ring0, ALTPICK_SYSV int (*code)(void *argument),
                      void *argument);

/*
 * The same without interrupts, for code of the library that may fault on this CPU: a fault is told
 * like one of a candidate.
 */
int altpick_ring0_try_masked(struct altpick_ring0 *ring0, ALTPICK_SYSV int (*code)(void *argument),
                             void *argument);

/* Read an MSR.  False where that raises an exception, and in ring 3. */
bool altpick_ring0_read_msr(struct altpick_ring0 *ring0, uint32_t msr, uint64_t *ret_value);

#endif
