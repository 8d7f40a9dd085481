/* SPDX-License-Identifier: MIT */
/* What live.c shares with its assembly and with the memory that candidates work on. */
#ifndef ALTPICK_CORE_LIVE_RUN_H
#define ALTPICK_CORE_LIVE_RUN_H

#include "altpick/abi.h"
#include "altpick/live.h"
#include "setup.h"

/* The operand of a far call. */
struct altpick_far_pointer {
    uint32_t offset;
    uint16_t selector;
};

_Static_assert(offsetof(struct altpick_live_call, data) == 24, "live_run.S");
_Static_assert(offsetof(struct altpick_live_call, work) == 32, "live_run.S");
_Static_assert(offsetof(struct altpick_live_call, trips) == 48, "live_run.S");
_Static_assert(offsetof(struct altpick_live_call, flag) == 64, "live_run.S");

/* live_run.S */
ALTPICK_SYSV void altpick_live_serialize(void);
ALTPICK_SYSV void altpick_live_iret(void);
ALTPICK_SYSV void altpick_live_flush(const void *first, size_t bytes); /* CLFLUSH, MFENCE, LFENCE */
extern const uint8_t altpick_live_gate[], altpick_live_gate_end[];

/* live_data.c: */

/* Bytes that candidates with data of @kind read or write. */
size_t altpick_live_data_size(const struct altpick_live *live, enum altpick_data kind);

/*
 * Bring the FPU, and the save area with it, into @state, in the format of @candidate (NULL: the
 * standard one); without live->xstate nothing is done.
 */
void altpick_live_state(const struct altpick_live *live, enum altpick_setup_state state,
                        const struct altpick_candidate *candidate);

/* live->guard's begin and end, where there is one. */
void altpick_live_begin(const struct altpick_live *live, const struct altpick_candidate *candidate,
                        bool timed);
void altpick_live_end(const struct altpick_live *live);

/*
 * The two blocks that work runs over, on pages of their own as in kernels, and a counter that is
 * far from both ends.
 */
void altpick_live_work(const struct altpick_live *live, const struct altpick_setup *setup,
                       struct altpick_live_call *ret_call);

/* Images of a filled state, for looks: altpick_xstate_make_fill() of 0 and 1. */
const uint8_t *altpick_live_fill(const struct altpick_live *live, unsigned fill);

/* Two more areas of state that nobody else uses, @which 0 or 1. */
uint8_t *altpick_live_scratch(const struct altpick_live *live, unsigned which);

#endif
