/* SPDX-License-Identifier: MIT */
/* The timer that runs code on this CPU. */
#ifndef ALTPICK_LIVE_H
#define ALTPICK_LIVE_H

#include "altpick/abi.h"
#include "altpick/cpu.h"
#include "altpick/measure.h"
#include "altpick/xstate.h"

#include <stddef.h>
#include <stdint.h>

/* Where the slots begin: before them lie the chain, the canary and the gate to 32-bit code. */
enum { ALTPICK_LIVE_SLOTS_AT = 3 * 4096 };

enum { ALTPICK_LIVE_ALONE = 1 };

struct altpick_live_call;

/*
 * Around every run of a candidate's code, for whoever has to survive it and can in this process (in
 * ring 0, boot.h): begin() comes before and end() after it, @candidate NULL for code of our own,
 * @timed where nothing may disturb.  traps() runs the code at @entry while CR0.TS is set and tells
 * whether it raised #NM.  Where a run faults, what called begin() is left without return.
 */
struct altpick_guard {
    void *ctx;
    void (*begin)(void *ctx, const struct altpick_candidate *candidate, bool timed);
    void (*end)(void *ctx);
    bool (*traps)(void *ctx, const void *entry, void *data);
    uint32_t cr0; /* as code finds it */
};

/*
 * Two views of the same memory: code is written through one and executed through the other, so that
 * no page is ever both.  At boot both may be the same address.
 */
struct altpick_live {
    uint8_t *write_view;
    const uint8_t *execute_view;
    size_t arena_bytes;
    uint32_t slot_bytes[ALTPICK_N_CONDITIONS];
    bool has_serialize; /* SERIALIZE, else IRET */

    /*
     * For candidates that are 32-bit code, which runs through a far call: the selector of a 32-bit
     * code segment (0x23 on Linux), 0 for 64-bit code; and the end of a small stack.  The stack and
     * the execute view must lie below 4 GiB.
     */
    uint16_t selector_32;
    uint8_t *stack_32_end;

    /*
     * For candidates that work on data or on the state of the CPU: altpick_live_data_bytes() of
     * writable memory, aligned to a page, and the layout of the state; NULL: there are none.
     */
    uint8_t *data;
    const struct altpick_xstate *xstate;
    const uint8_t *stream; /* memory to read for condition streamed; NULL: not measured */
    size_t stream_bytes;

    /*
     * For condition contended: begin(ctx, call) makes another CPU run @call over and over, with as
     * many trips as it likes, end(ctx) stops it.  begin returns 0, an error, or ALTPICK_LIVE_ALONE
     * where the other CPU does not come, and end is not called.  NULL: not measured.
     */
    void *neighbour;
    int (*neighbour_begin)(void *neighbour, const struct altpick_live_call *call);
    void (*neighbour_end)(void *neighbour);
    const void *neighbour_code; /* what it runs now; NULL: nothing */

    const struct altpick_guard *guard; /* NULL: faults are the process's, which may end by them */
};

/* What one execution needs; live_run.S knows its layout. */
struct altpick_live_call {
    const void *code;
    const void *far;     /* the operand of a far call, in r8 */
    void *stack;         /* of 32-bit code, in r9 */
    void *data;          /* rdi */
    uint8_t *work[2];    /* r12, r13: two blocks of memory for what follows the candidate */
    uint64_t trips;      /* rbp */
    uint64_t work_bytes; /* r14 */
    uint64_t flag;       /* eax */
};

/* Run @call between two clock readings: the ticks that passed. */
ALTPICK_SYSV uint64_t altpick_live_run(const struct altpick_live_call *call);

/* Where the data of candidates that use @kind lies in live->data. */
uint8_t *altpick_live_data(const struct altpick_live *live, enum altpick_data kind);

/* What eax is when code with data of @kind begins: 0 for an image that this CPU cannot XRSTOR. */
uint32_t altpick_live_flag(const struct altpick_live *live, enum altpick_data kind);

/* Bytes that live->data needs. */
size_t altpick_live_data_bytes(void);

/* Fill the constants in live->data; xstate must be set. */
void altpick_live_data_init(const struct altpick_live *live);

/*
 * Make a timer over @live, whose views, arena_bytes and, for 32-bit code, selector and stack are
 * set.  Returns ALTPICK_ENOSPACE when the arena cannot hold one slot of the plan's largest block,
 * ALTPICK_ENOCLOCK when the counter stands still, ALTPICK_EUNSUPPORTED when 32-bit code cannot
 * reach its memory.  @live must outlive the timer.
 */
int altpick_live_init(struct altpick_live *live, const struct altpick_cpu *cpu,
                      const struct altpick_plan *plan, struct altpick_timer *ret_timer);

/* Bytes of arena that hold @n_slots slots of the plan's largest block. */
size_t altpick_live_arena_bytes(const struct altpick_plan *plan, size_t n_slots);

#endif
