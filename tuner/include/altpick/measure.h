/* SPDX-License-Identifier: MIT */
/* From candidates to samples: which block runs where and when.  One step function drives it all. */
#ifndef ALTPICK_MEASURE_H
#define ALTPICK_MEASURE_H

#include "altpick/cpu.h"
#include "altpick/question.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A counted loop over a body of @copies copies of some code, placed in a slot of its own. */
enum altpick_block_kind {
    ALTPICK_BLOCK_CHAIN,  /* dependent adds, one core cycle each: the ruler */
    ALTPICK_BLOCK_CANARY, /* single-byte NOPs: slows when a sibling thread shares the core */
    ALTPICK_BLOCK_EMPTY,  /* nothing but a return: what a single execution costs besides its code */
    ALTPICK_BLOCK_FILL,   /* one candidate, as the condition asks: see setup.h of the core */
};

struct altpick_block {
    enum altpick_block_kind kind;
    enum altpick_condition condition;
    const struct altpick_candidate *candidate; /* FILL only */
    uint32_t slot;                             /* which pages of the arena */
    uint32_t offset_bytes;                     /* 0..63 from the start of the slot */
    uint32_t copies;                           /* in one trip of the loop; chain: adds */
};

/*
 * The seam between deciding what to time and timing it.  Behind it is this CPU (live.h), or a
 * replay that knows what each block costs (tests).  place() writes the block's code; sync() makes
 * everything placed since the last sync executable; time() runs @trips trips of a placed block and
 * gives the clock ticks that passed; now() is the time in ticks.  Functions return 0 or an error.
 */
struct altpick_timer {
    void *ctx;
    int (*place)(void *ctx, const struct altpick_block *block);
    int (*sync)(void *ctx);
    int (*time)(void *ctx, const struct altpick_block *block, uint32_t trips, uint64_t *ret_ticks);
    uint64_t (*now)(void *ctx);
    uint32_t quantum_ticks; /* smallest step of the clock */
    bool starts_cold; /* candidates only stay warm inside one run: what it takes to get there is
                         lost */
    uint32_t n_slots[ALTPICK_N_CONDITIONS]; /* how many slots fit, for each block size */
};

/* How much to measure in one condition. */
struct altpick_effort {
    uint32_t block_bytes; /* body of one block; 0: condition not measured */
    uint32_t layouts;     /* in all batches but the extra ones, spread evenly over them */
    uint32_t rounds;      /* samples of each candidate inside one layout */
    uint32_t warm_trips;  /* untimed trips before each sample */
    uint64_t batch_ticks; /* a batch begins no further layout after this time; 0: no limit */
    uint32_t retry_bytes; /* block size where block_bytes turns out not to reach it; 0: none */
};

enum { ALTPICK_LAYOUTS_MAX = 640, ALTPICK_ROUNDS_MAX = 8 };

struct altpick_plan {
    uint32_t batches;        /* at least 3, so that one burst of a neighbour cannot cover all */
    uint32_t extra_batches;  /* of the same size, for what is undecided after those */
    uint32_t region_quanta;  /* a timed region lasts at least this many clock quanta */
    uint32_t region_ticks;   /* and at least this many ticks */
    uint64_t patience_ticks; /* to wait, all in all, for a sibling thread to rest */
    bool brief;              /* few readings of the canary, and margins to match */
    struct altpick_effort effort[ALTPICK_N_CONDITIONS];
};

/* CPU features that @condition needs whatever the candidate, bit n: enum altpick_cpu_feature n. */
uint64_t altpick_condition_needs(unsigned condition);

/*
 * The plan for questions on @cpu: block sizes from the cache sizes of CPUID (24 KiB or 3/4
 * of L1I for legacy-decode, L1I + 32 KiB for l1i-miss), and the counts that make 30 of 30 runs
 * agree (docs/measuring.md).  @thorough multiplies the layouts by four.
 */
void altpick_plan_init(const struct altpick_cpu *cpu, bool thorough, struct altpick_plan *ret_plan);

/*
 * Leave in @plan what @question wants of it: of its conditions those with a bit in @conditions (bit
 * n: enum altpick_condition n), and fewer layouts where it should take less time.
 */
void altpick_plan_narrow(struct altpick_plan *plan, const struct altpick_question *question,
                         uint32_t conditions);

/* Why a cell has no more samples coming. */
enum altpick_cell_state {
    ALTPICK_CELL_ACTIVE,
    ALTPICK_CELL_SETTLED, /* far from every margin: more samples change nothing */
    ALTPICK_CELL_FAULTED,
    ALTPICK_CELL_TIMED_OUT,
    ALTPICK_CELL_WAITING,  /* its code is not known yet */
    ALTPICK_CELL_BREACHED, /* changes what it must not: never timed */
    ALTPICK_CELL_LACKING,  /* needs a CPU feature or a privilege that is not here */
    ALTPICK_CELL_SILENT,   /* raised no exception where it should have */
};

/* In session->fault: the rest is the vector of an exception, which nobody made a signal of. */
enum { ALTPICK_FAULT_VECTOR = 0x80 };

/* What a reference counter is driven to before an operation is looked at. */
#define ALTPICK_COUNTS(X)                                                                          \
    X(ZERO, "zero")                                                                                \
    X(ONE, "one")                                                                                  \
    X(NEGATIVE, "negative")   /* as a release too many leaves it */                                \
    X(MAXIMUM, "maximum")     /* the largest live count of the implementation */                   \
    X(SATURATED, "saturated") /* where the implementation sticks */

enum altpick_count {
#define X(id, name) ALTPICK_COUNT_##id,
    ALTPICK_COUNTS(X)
#undef X
        ALTPICK_N_COUNTS
};

const char *altpick_count_name(unsigned count); /* NULL when out of range */

/* What an operation on a counter says of it.  Names are file format; numbers are in machine code.
 */
#define ALTPICK_REPORTS(X)                                                                         \
    X(SILENT, 0, "silent")                                                                         \
    X(SATURATED, 1, "saturated") /* it was or became saturated */                                  \
    X(OVERFLOW, 2, "overflow")                                                                     \
    X(UNDERFLOW, 3, "underflow")                                                                   \
    X(FROM_ZERO, 4, "from-zero") /* a dead object was to be revived */                             \
    X(LEAK, 5, "leak")           /* nobody was told that the last reference is gone */

enum altpick_report {
#define X(id, number, name) ALTPICK_REPORT_##id = number,
    ALTPICK_REPORTS(X)
#undef X
        ALTPICK_N_REPORTS
};

const char *altpick_report_name(unsigned report); /* NULL when out of range */

/* What one operation on a counter did. */
struct altpick_observed {
    uint32_t before, after; /* the counter */
    uint32_t result;        /* eax: what the operation returns, where it returns anything */
    uint32_t report;        /* ecx: enum altpick_report */
};

/* What an operation on a counter is for. */
enum altpick_counter_op {
    ALTPICK_COUNTER_ADD,
    ALTPICK_COUNTER_INC,
    ALTPICK_COUNTER_INC_NOT_ZERO, /* returns whether it did */
    ALTPICK_COUNTER_DEC,          /* by who holds another reference */
    ALTPICK_COUNTER_DEC_AND_TEST, /* returns whether that was the last reference */
    ALTPICK_COUNTER_SUB_AND_TEST, /* the same */
    ALTPICK_N_COUNTER_OPS
};

/* A candidate that works on a reference counter. */
struct altpick_counter {
    enum altpick_counter_op op;
    uint32_t at[ALTPICK_N_COUNTS]; /* what stands for each state in its implementation */
    bool saturates;                /* else nothing of it sticks, at[SATURATED] neither */
};

/*
 * One question being measured.  It lives in memory that survives the process that measures (shared
 * on a hosted system), holds no pointer into that process, and names the candidate that is running,
 * so that whoever is left can blame it.  A sample is a packed pair, 0 where there is none: see
 * altpick_sample_micro() and altpick_session_is_quiet().
 */
struct altpick_session {
    uint32_t n_candidates;
    uint32_t random;             /* state of the generator, never 0 */
    uint32_t first_offset_bytes; /* drawn once; layouts walk on from it */
    uint32_t batch, condition;   /* what the next step measures */
    uint32_t slice_layouts;      /* done since slice_start_ticks */
    uint64_t slice_start_ticks;  /* when this batch began with the condition */
    uint32_t stopped;            /* bit n: no more layouts in enum altpick_condition n */
    uint32_t lacking;     /* bit n: enum altpick_condition n needs a CPU feature that is not here */
    uint32_t chain_trips; /* of one reading of the ruler */
    uint32_t canary_trips;                /* of one reading of the canary */
    uint64_t canary_best_micro;           /* per NOP, when no sibling is busy */
    uint64_t patience_ticks;              /* left for waiting until a sibling rests */
    uint32_t samples_quiet, samples_busy; /* busy: a sibling thread took throughput */
    volatile uint32_t running;            /* candidate index, or UINT32_MAX */
    volatile uint32_t out_of_time;
    uint64_t looks_until_ticks;     /* of timer->now: nothing is looked at later */
    uint32_t samples_per_candidate; /* stride, fixed by the plan */
    struct altpick_plan plan;
    uint32_t samples_at[ALTPICK_N_CONDITIONS]; /* of the condition inside the stride */
    uint32_t layouts_done[ALTPICK_N_CONDITIONS];
    uint8_t state[ALTPICK_CANDIDATES_MAX];    /* enum altpick_cell_state */
    uint8_t checked[ALTPICK_CANDIDATES_MAX];  /* 1: was run once and looked at */
    uint32_t changed[ALTPICK_CANDIDATES_MAX]; /* bit n: enum altpick_register n, by that look */
    uint8_t fault[ALTPICK_CANDIDATES_MAX];    /* number of the signal that it ended with, or
                                                 ALTPICK_FAULT_VECTOR | exception vector */
    uint8_t seen[ALTPICK_CANDIDATES_MAX];     /* 1: the question's own look is done */
    uint64_t looked[ALTPICK_CANDIDATES_MAX];  /* bit n: enum altpick_guarantee n could be seen */
    uint64_t held[ALTPICK_CANDIDATES_MAX];    /* and holds */
    uint32_t instructions[ALTPICK_CANDIDATES_MAX]; /* executed in the usual case; 0: not counted */
    uint32_t trips[ALTPICK_CANDIDATES_MAX]; /* of a region in the current condition; 0: not known */
    struct altpick_candidate candidates[ALTPICK_CANDIDATES_MAX];
    struct altpick_observed observed[ALTPICK_CANDIDATES_MAX][ALTPICK_N_COUNTS];
    uint64_t samples[];
};

/*
 * Mark what needs a feature of @cpu, or a privilege at @ring, that is not here: it is never run.
 */
void altpick_session_mark_lacking(struct altpick_session *session, const struct altpick_cpu *cpu,
                                  uint32_t ring);

/* How much of the planned layouts is done, 0 to 100. */
unsigned altpick_session_percent(const struct altpick_session *session);

/* Whether the time for looks is over; sets out_of_time then. */
bool altpick_session_is_late(struct altpick_session *session, const struct altpick_timer *timer);

/* Bytes that a session with @n_candidates and @plan needs. */
size_t altpick_session_bytes(const struct altpick_plan *plan, size_t n_candidates);

/* Start a session in @session (altpick_session_bytes() of zeroed memory).  @seed draws layouts. */
void altpick_session_init(struct altpick_session *session, const struct altpick_plan *plan,
                          const struct altpick_candidate *candidates, size_t n_candidates,
                          uint32_t seed);

/*
 * Measure one layout: every active candidate placed at a new offset on new pages, then the plan's
 * rounds in fresh order.  @deadline_ticks (of timer->now) is checked before every sample and
 * before each candidate is placed or warmed; past it the layout is abandoned with what it has and
 * out_of_time is set.  *ret_batch_done is set when
 * that was the last layout of the current batch, *ret_done when it was the last of all, extra
 * batches included; whether those are worth it is the caller's to decide (altpick_stop_focus()).
 */
int altpick_session_step(struct altpick_session *session, const struct altpick_timer *timer,
                         uint64_t deadline_ticks, bool *ret_batch_done, bool *ret_done);

/* The bytes of a block of @condition where they are what makes it; else 0. */
uint32_t altpick_session_block_bytes(const struct altpick_session *session, unsigned condition);

/* The samples of one layout of one cell: plan.effort[condition].rounds values, 0 = none. */
uint64_t *altpick_session_layout(struct altpick_session *session, size_t candidate,
                                 unsigned condition, size_t layout);

/* Core cycles per copy in millionths of @sample, 0 where there is none. */
uint64_t altpick_sample_micro(uint64_t sample);

/* The canary's slower reading beside @sample, in millionths of a cycle per NOP. */
uint64_t altpick_sample_canary_micro(uint64_t sample);

/* Whether no sibling thread was busy beside @sample, by what the canary could do in the whole
 * session. */
bool altpick_session_is_quiet(const struct altpick_session *session, uint64_t sample);

#endif
