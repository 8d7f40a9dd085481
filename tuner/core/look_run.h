/* SPDX-License-Identifier: MIT */
/* What the looks share: a candidate placed to be called, and its findings noted. */
#ifndef ALTPICK_CORE_LOOK_RUN_H
#define ALTPICK_CORE_LOOK_RUN_H

#include "altpick/look.h"
#include "xstate_run.h"

/*
 * Place @code with a return behind it where it can be called.  Returns the timer's error, or
 * ALTPICK_ENOSPACE.
 */
int altpick_look_place(const struct altpick_looking *looking, const uint8_t *code, size_t bytes,
                       const void **ret_entry);

/* A call between a fill (0 or 1) and a save to scratch area @fill, with the initial state after. */
struct altpick_xstate_call altpick_look_call(const struct altpick_looking *looking, unsigned fill,
                                             const void *entry, enum altpick_data data);

/* altpick_xstate_run(), guarded. */
void altpick_look_run(const struct altpick_looking *looking, struct altpick_xstate_call *call);

/* Note that @guarantee of @candidate could be seen, and whether it holds. */
void altpick_look_note(struct altpick_looking *looking, uint32_t candidate, unsigned guarantee,
                       bool holds);

/* Whether the parts of two areas that are @component (of look_parts) are equal. */
struct altpick_look_part {
    uint8_t no_leak, init, unused; /* enum altpick_guarantee; 0 (no part has it): none */
    uint32_t component;            /* bits of XCR0 */
    uint32_t first, end;           /* in the legacy region; 0, 0: where CPUID says */
    uint32_t more_first, more_end; /* a second range, 0, 0: none */
};

enum { ALTPICK_LOOK_PARTS = 13 };
extern const struct altpick_look_part altpick_look_parts[ALTPICK_LOOK_PARTS];

/* Whether @part is of the state that @xstate has. */
bool altpick_look_has(const struct altpick_xstate *xstate, const struct altpick_look_part *part);

bool altpick_look_equal(const struct altpick_xstate *xstate, const struct altpick_look_part *part,
                        const uint8_t *a, const uint8_t *b);

/*
 * Make @area, saved by XSAVE, say the initial value of each component that its header says is
 * initial, so that areas can be compared whatever the instruction wrote for those.
 */
void altpick_look_normalise(const struct altpick_xstate *xstate, uint8_t *area);

#endif
