/* SPDX-License-Identifier: MIT */
/*
 * Questions measured and decided in ring 0, within a budget: for an operating system, firmware or a
 * boot image.  docs/boot.md tells how to embed it.
 *
 * One call measures on the CPU that it runs on and allocates nothing.  Meanwhile the CPU has an IDT
 * of the library's: a copy of the caller's in which faults come here first.  One that a candidate
 * raised ends that candidate; any other goes on to the caller's own handler, as do interrupts, NMI
 * and machine checks.  At return IDTR, CR0, CR4, XCR0, MXCSR, x87 and vector state, flags and the
 * time-stamp counter's settings are what they were.  In ring 3 the same call does the same less
 * what needs privileges; there a fault is the process's.
 */
#ifndef ALTPICK_BOOT_H
#define ALTPICK_BOOT_H

#include "altpick/decide.h"
#include "altpick/out.h"
#include "altpick/output.h"
#include "altpick/profile.h"
#include "altpick/trust.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bits of XCR0 for altpick_boot_options.xcr0. */
#define ALTPICK_BOOT_XCR0_AS_IS UINT64_C(0) /* whatever the caller has enabled */
#define ALTPICK_BOOT_XCR0_ALL   UINT64_MAX  /* whatever the CPU has */

/*
 * What the caller gives.  Zero is a valid value of everything but the two memories, which must not
 * be touched by anyone else during the call and, `memory`, as long as results are used.
 */
struct altpick_boot_options {
    void *memory; /* writable, of any alignment; at least altpick_boot_memory_bytes() */
    size_t memory_bytes;
    void *code;            /* a page or more, aligned to 4096; is written here */
    const void *code_view; /* and executed here; NULL: at the same address */
    size_t code_bytes;     /* at least altpick_boot_code_bytes() */
    uint32_t budget_us;    /* wall time of the whole call; 0: whatever it takes, as on a host */
    uint64_t tsc_hz;       /* ticks a second; 0: as CPUID tells, else the budget is kept for any
                              counter of 1 GHz or more */
    uint64_t xcr0; /* state components to enable for the call; needs CR4.OSXSAVE or sets it */
    uint32_t seed; /* draws layouts and orders; 0: from the counter */

    /*
     * What to measure, without NULL: constants, the caller's own questions too, or all built-in
     * ones by altpick_boot_ask_all().  An image has the code of those only that it names: that of
     * altpick_question_nop_fill_64 and altpick_question_refcount, for instance.
     */
    const struct altpick_question *const *questions;
    size_t n_questions;

    /*
     * On a CPU with cores of several types a decision is only taken where all types agree: probe
     * on one core of each type, each with its own memory, and give the earlier ones to the last.
     * Without them everything keeps its default there.
     */
    const struct altpick_boot *const *others;
    size_t n_others;

    void *ctx; /* given to all hooks */

    /*
     * Called before and after a timed run.  NULL: PUSHF and CLI; POPF.  With interrupts on at the
     * call they are on between runs and, with a deadline, while candidates are looked at before
     * they are timed.
     */
    uint64_t (*interrupts_off)(void *ctx);
    void (*interrupts_restore)(void *ctx, uint64_t before);

    /* Called now and then between runs, with interrupts as at the call; NULL: nobody asks. */
    void (*progress)(void *ctx, const char *question, unsigned percent);

    /*
     * For candidates that may not end (built-in ones do): the vector of a timer of the caller's and
     * what to do when it fires: acknowledge it and say whether what has run for @ran_ticks, 0 where
     * no candidate does, had its time.  Needs interrupts on at the call.  0: no deadline.
     */
    uint8_t deadline_vector;
    bool (*deadline)(void *ctx, uint64_t ran_ticks);

    /*
     * For tests: time candidates where timing says nothing (under a translator), and discard what
     * comes out.  There is no way to get costs there.
     */
    bool rehearse;
};

/* One decision, in what a caller needs of it. */
struct altpick_boot_choice {
    char item[ALTPICK_NAME_MAX + 16];
    char candidate[ALTPICK_NAME_MAX];
    enum altpick_verdict verdict;
    bool displaced;        /* figures put it in the place of the default */
    const char *why;       /* static text: where a default was kept for want of figures; else "" */
    uint64_t cycles_micro; /* weighted sum over conditions, millionths; 0: no figure */

    /* What the figures of this CPU alone choose, whatever cores of other types do; "": nothing. */
    char here[ALTPICK_NAME_MAX];
};

/* What came out.  Everything pointed to lies in the caller's memory or is constant. */
struct altpick_boot {
    struct altpick_machine *machine; /* facts, for altpick_profile_write() */
    struct altpick_trust_verdict trust;
    /*
     * Of all items of all questions, in order; where the budget was over before even defaults could
     * be looked at, of the first questions only: the others keep theirs, too.
     */
    const struct altpick_boot_choice *choices;
    size_t n_choices;
    const struct altpick_output *output; /* what sites get: see altpick/patches.h */
    uint32_t ring;
    uint32_t faults;      /* of candidates, survived */
    uint64_t spent_ticks; /* of the whole call */
    uint64_t tsc_hz;      /* that the budget was kept by */

    /*
     * The declared worst case of one step of one candidate on this CPU: how much longer than its
     * budget a probe may take.  A step is a look at a candidate, or one sample of it.
     */
    uint64_t step_ticks;
};

/* Let @options ask all built-in questions, if they name none. */
void altpick_boot_ask_all(struct altpick_boot_options *options);

/* Bytes of `memory` that a probe with @options needs (its own fields for memory are not read). */
size_t altpick_boot_memory_bytes(const struct altpick_boot_options *options);

/* Bytes of `code` that it needs at least; four times as much lets each layout move. */
size_t altpick_boot_code_bytes(const struct altpick_boot_options *options);

/*
 * Measure and decide.  Returns 0, or
 *
 * - ALTPICK_EUNTRUSTED: no core to time code on, or one whose LFENCE was not told to wait
 *   (altpick_clock_needs_fence_bit()).  Results hold what was found without a clock, and all
 *   decisions are defaults.
 * - ALTPICK_ENOSPACE: a memory is too small.
 * - ALTPICK_EUSAGE: no questions; code that is not aligned or overlaps memory; a deadline's vector
 *   of an exception or without a function; a counter below 1 MHz; candidates that are more or
 *   longer than declared, or that trap in a condition with other code behind them.
 * - ALTPICK_EUNSUPPORTED: no SSE2 or FXSAVE, FRED, XCR0 that does not take options->xcr0, state
 *   that the library cannot save (docs/boot.md).
 * - ALTPICK_ENOCLOCK: the counter stands still.
 * - ALTPICK_EFAULT: code of the library itself faulted while faults were taken for a candidate's,
 *   which is a bug.  At any other time a fault is the caller's handler's.
 *
 * *ret_boot is written with 0 and ALTPICK_EUNTRUSTED.  The state of the CPU is restored whatever is
 * returned.  Needs 4 KiB of stack; for the rest the library has a stack in `memory`.
 *
 * The budget ends measuring early enough that deciding fits in it.  What can make it longer is one
 * step that has begun: ret_boot->step_ticks.
 */
int altpick_boot_probe(const struct altpick_boot_options *options, struct altpick_boot *ret_boot);

/*
 * Write the profile of @boot, as altpick probe writes one, to a sink of bytes: a UART, memory, a
 * file.  Returns the sink's error.
 */
int altpick_boot_write(const struct altpick_boot *boot, struct altpick_out *out);

/* The choice for @item ("nop.fill.64.5"), or NULL: then it has its default. */
const struct altpick_boot_choice *altpick_boot_find(const struct altpick_boot *boot,
                                                    const char *item);

#endif
