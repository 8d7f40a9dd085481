/* SPDX-License-Identifier: MIT */
/* One question measured: a child process per batch, so that no candidate can harm the probe. */
#ifndef ALTPICK_HOST_SESSION_H
#define ALTPICK_HOST_SESSION_H

#include "altpick/cpu.h"
#include "altpick/err.h"
#include "altpick/live.h"
#include "altpick/measure.h"
#include "altpick/profile.h"
#include "altpick/question.h"

#include <stdbool.h>
#include <stdint.h>

/* What measuring a question takes and tells. */
struct altpick_hosted_session {
    const struct altpick_question *question;
    const struct altpick_cpu *cpu;
    struct altpick_plan plan;
    uint32_t conditions; /* bit n: measured in enum altpick_condition n; 0: what is asked for */
    bool keep_all;       /* every candidate gets all planned batches, and none gets more */
    uint32_t seed;
    uint32_t shuffle;        /* permute bytes behind names; 0: off */
    uint64_t deadline_ticks; /* of the time-stamp counter */
    uint64_t extra_cpu_ms;   /* extra batches start only below this CPU time */
    uint32_t stuck_ms;       /* a candidate that runs this long is ended */
    uint16_t selector_32;    /* code segment for 32-bit candidates; 0: that of Linux */
    void (*progress)(void *ctx, unsigned percent); /* NULL: silent */
    void *progress_ctx;

    /* Filled while it is measured. */
    struct altpick_xstate xstate;
    struct altpick_live live;
    struct altpick_timer timer;      /* refers to live: the struct must stay where it is */
    bool goes_on;                    /* another batch is worth it */
    uint64_t cpu_ms;                 /* of the children */
    struct altpick_session *session; /* shared memory */
    size_t session_bytes;
    uint32_t reached_percent[ALTPICK_N_CONDITIONS];
    uint32_t children_lost;               /* ended by a signal or for running too long */
    char unsupported[ALTPICK_REASON_MAX]; /* why nothing can be measured here; "": it can */
};

/*
 * Make what measuring takes: memory for samples and for code.  Where the system cannot run the
 * question's kind of code, that is the result.  Fails only where nothing could be measured at all.
 * The caller frees with altpick_hosted_session_fini() in either case.
 */
int altpick_hosted_session_begin(struct altpick_hosted_session *hosted, struct altpick_diag *diag);

/*
 * Measure one batch, while goes_on is set, in a child that ends with it; deadline_ticks may be set
 * anew before each.  A candidate that kills its child or does not end is marked and left out,
 * everything else goes on.
 */
int altpick_hosted_session_batch(struct altpick_hosted_session *hosted, struct altpick_diag *diag);

/* Begin, and measure all batches in a row. */
int altpick_hosted_session_run(struct altpick_hosted_session *hosted, struct altpick_diag *diag);

/* The facts measured so far as a result; ret_result->candidates is allocated for the caller. */
int altpick_hosted_session_result(struct altpick_hosted_session *hosted,
                                  struct altpick_result *ret_result, struct altpick_diag *diag);

void altpick_hosted_session_fini(struct altpick_hosted_session *hosted);

#endif
