/* SPDX-License-Identifier: MIT */
/* All of a CPU's state that a probe promises to leave as it was: made unusual, read, compared. */
#ifndef ALTPICK_TEST_CPU_STATE_H
#define ALTPICK_TEST_CPU_STATE_H

#include "altpick/out.h"

#include <stdbool.h>
#include <stdint.h>

struct cpu_state {
    uint64_t cr0, cr2, cr3, cr4, cr8, xcr0, flags, efer, dr0, dr6, dr7;
    uint64_t fs_base, gs_base, kernel_gs_base, xss;
    uint8_t idtr[10], gdtr[10];
    uint16_t tr, ldtr, cs, ss, ds, es, fs, gs;
    bool has_pointers;                /* of x87, which can be restored */
    uint8_t environment[28];          /* FNSTENV */
    _Alignas(64) uint8_t area[12288]; /* all components, FXSAVE's without XSAVE */
    uint8_t idt[4096], gdt[64];       /* what the tables hold */
};

/*
 * Fill x87, vector and other state with a pattern, set XCR0 to @xcr0 (0: OSXSAVE stays clear),
 * CR0.TS where @ts and the flag NT where @nested, and open interrupts where @open.
 */
void cpu_state_fill(uint64_t xcr0, bool ts, bool open, bool nested);

/* Reads everything; leaves it as it is. */
void cpu_state_read(struct cpu_state *ret);

/* Prints "state same", or "state differs NAME" for each part that does. */
void cpu_state_compare(const struct cpu_state *a, const struct cpu_state *b,
                       struct altpick_out *out);

#endif
