/* SPDX-License-Identifier: MIT */
/* The timer that runs code on this CPU. */
#ifndef ALTPICK_LIVE_H
#define ALTPICK_LIVE_H

#include "altpick/cpu.h"
#include "altpick/measure.h"

#include <stddef.h>
#include <stdint.h>

/* Where the slots begin: before them lie the chain, the canary and the gate to 32-bit code. */
enum { ALTPICK_LIVE_SLOTS_AT = 3 * 4096 };

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
};

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
