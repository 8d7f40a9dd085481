/* SPDX-License-Identifier: MIT */
/* One probe at boot: what its steps share.  All of it lies in the caller's memory. */
#ifndef ALTPICK_CORE_BOOT_RUN_H
#define ALTPICK_CORE_BOOT_RUN_H

#include "altpick/boot.h"
#include "altpick/live.h"
#include "altpick/measure.h"
#include "ring0.h"

enum {
    /* Firmware may be called on it, which wants 128 KiB (UEFI Specification, 2.3.4). */
    ALTPICK_BOOT_STACK_BYTES = 160 << 10,
    ALTPICK_BOOT_CHOICES_MAX = 192, /* items of all questions */
    ALTPICK_BOOT_BRIEF_US = 500000, /* a shorter budget has one batch, hot and warm code only */
};

/* One question being measured. */
struct altpick_boot_question {
    const struct altpick_question *question;
    struct altpick_session *session;
    struct altpick_live live;
    struct altpick_timer timer;
    size_t first_choice, n_choices;
    bool goes_on, broken; /* broken: code of the library faulted in it */
    uint64_t spent_ticks;
    uint32_t faults; /* of its candidates, survived */
};

struct altpick_boot_run {
    uint64_t start_ticks, end_ticks; /* of the budget; UINT64_MAX: none */
    uint64_t decide_ticks;           /* what deciding everything took */
    uint64_t step_ticks;             /* the longest step of any candidate */
    const char *reason;              /* why code does not run or costs are not kept: static text, or
                                        reason_text */
    bool runs;                       /* emitted code may be run: it is seen as it is written */
    bool keeps_costs;
    struct altpick_boot *ret;
    size_t n_choices;
    struct altpick_boot_question *questions; /* options.n_questions of them */
    struct altpick_result *results;          /* as many */
    struct altpick_decisions *scratch;
    struct altpick_candidate *candidates; /* of one question: ALTPICK_CANDIDATES_MAX */
    uint8_t *area, *stack, *data;

    struct altpick_boot_options options; /* with all defaults filled in */
    struct altpick_machine machine;
    struct altpick_trust_figures figures;
    struct altpick_trust_verdict verdict;
    struct altpick_xstate xstate;
    struct altpick_ring0 ring0;
    struct altpick_policy policy;
    struct altpick_plan plan; /* of all questions, before each takes from it what it needs */
    struct altpick_output output;
    struct altpick_boot_choice choices[ALTPICK_BOOT_CHOICES_MAX];
    char reason_text[ALTPICK_REASON_MAX];
};

/* boot_memory.c: what a probe needs, laid out in order. */

/*
 * Lay out everything for @options and @plan from @base (NULL: only count).  Returns the bytes that
 * it takes, at most, and, with @base, *ret_run.
 */
size_t altpick_boot_lay_out(const struct altpick_boot_options *options,
                            const struct altpick_plan *plan, uint8_t *base,
                            struct altpick_boot_run **ret_run);

/* boot_plan.c: how much to measure. */

/* The plan for @options on @cpu; a brief one has one batch. */
void altpick_boot_plan(const struct altpick_boot_options *options, const struct altpick_cpu *cpu,
                       struct altpick_plan *ret_plan);

/* The declared worst case of a step of @candidate under @plan, in ticks. */
uint64_t altpick_boot_plan_step(const struct altpick_plan *plan, uint32_t quantum_ticks,
                                const struct altpick_candidate *candidate, unsigned condition);

/* boot_clock.c: */

/* Ticks a second of the counter by CPUID: leaves 15H, 16H, or a hypervisor's; 0 unknown. */
uint64_t altpick_boot_tsc_hz(const struct altpick_cpuid_source *source);

/* boot_measure.c: */

/* Begin all questions: sessions, timers.  Returns 0 or an error. */
int altpick_boot_begin(struct altpick_boot_run *run);

/* Measure until all is known or the budget is spent, less what deciding takes. */
int altpick_boot_measure(struct altpick_boot_run *run);

/* boot_decide.c: */

/*
 * Before anything is measured: results that say so, and the choices that follow, all of them
 * defaults.  Stops where the budget ends: what comes behind has no choices then.
 */
int altpick_boot_decide_defaults(struct altpick_boot_run *run);

/* The result of @question as far as it was measured, in the run's memory for it. */
int altpick_boot_result(struct altpick_boot_run *run, struct altpick_boot_question *question);

/* Make the results of what was measured, and the choices and the output that follow from them. */
int altpick_boot_decide(struct altpick_boot_run *run);

#endif
