/* SPDX-License-Identifier: MIT */
/* A clock that knows what each block costs, and a session that is measured by it. */
#ifndef ALTPICK_TESTS_FAKE_TIMER_H
#define ALTPICK_TESTS_FAKE_TIMER_H

#include "altpick/cost.h"
#include "altpick/err.h"
#include "altpick/measure.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { CANARY_MILLI = 250, BYTE_MILLI = 500, OVERHEAD_TICKS = 31, RUNS_KEPT = 4096 };

/* One tick a cycle.  A copy of a candidate costs half a cycle a byte. */
struct fake {
    uint64_t now;
    uint32_t byte_milli;       /* of a candidate */
    uint32_t slow_percent;     /* of canary and candidates: a busy sibling */
    uint32_t busy_after;       /* runs of candidates, then slow_percent is 150; 0: never */
    uint32_t late_run;         /* the nth run of a candidate meets an interrupt; 0: none */
    uint32_t fail_run;         /* the nth run of a candidate is an error; 0: none */
    uint32_t n_runs, n_placed; /* of candidates */
    struct altpick_block placed[RUNS_KEPT];
    enum altpick_block_kind last_kind;
    const struct altpick_candidate *last;
    uint32_t cold_runs; /* of many trips that did not follow a run of the same block */
};

static inline int place(void *ctx, const struct altpick_block *block)
{
    struct fake *fake = ctx;

    if (block->kind == ALTPICK_BLOCK_FILL && fake->n_placed < RUNS_KEPT)
        fake->placed[fake->n_placed++] = *block;
    return ALTPICK_OK;
}

static inline int sync(void *ctx)
{
    (void) ctx;
    return ALTPICK_OK;
}

static inline uint64_t milli_of(const struct fake *fake, const struct altpick_block *block)
{
    switch (block->kind) {
    case ALTPICK_BLOCK_CHAIN:
        return 1000;
    case ALTPICK_BLOCK_CANARY:
        return CANARY_MILLI * fake->slow_percent / 100;
    case ALTPICK_BLOCK_EMPTY:
        return 0;
    case ALTPICK_BLOCK_FILL:
        break;
    }
    return block->candidate->code_bytes * fake->byte_milli * fake->slow_percent / 100;
}

static inline int run(void *ctx, const struct altpick_block *block, uint32_t trips,
                      uint64_t *ret_ticks)
{
    struct fake *fake = ctx;
    uint64_t ticks = trips * block->copies * milli_of(fake, block) / 1000 + OVERHEAD_TICKS;

    if (block->kind == ALTPICK_BLOCK_FILL) {
        fake->n_runs++;
        if (fake->n_runs == fake->fail_run)
            return ALTPICK_EFAULT;
        if (fake->n_runs == fake->late_run)
            ticks += 1000000;
        if (fake->busy_after && fake->n_runs > fake->busy_after)
            fake->slow_percent = 150;
        fake->cold_runs +=
            trips > 8 && (fake->last_kind != ALTPICK_BLOCK_FILL || fake->last != block->candidate);
        fake->last = block->candidate;
    }
    fake->last_kind = block->kind;
    fake->now += ticks;
    *ret_ticks = ticks;
    return ALTPICK_OK;
}

static inline uint64_t now(void *ctx)
{
    return ((struct fake *) ctx)->now;
}

static const struct altpick_candidate candidates[] = {
    {.name = "one",    .code = {0x90}, .code_bytes = 1},
    {.name = "two", .code = {0x66, 0x90}, .code_bytes = 2},
    {.name = "three",    .code = {0x0f, 0x1f, 0x00}, .code_bytes = 3},
    {.name = "later"},
};

enum { N = sizeof candidates / sizeof *candidates, N_KNOWN = N - 1 };

static struct fake fake;
static struct altpick_timer timer;
static struct altpick_plan plan;
static struct altpick_session *session;

static inline void start(uint32_t layouts, uint32_t n_slots, uint32_t seed)
{
    static const struct altpick_cpu cpu;

    memset(&fake, 0, sizeof fake);
    fake.slow_percent = 100;
    fake.byte_milli = BYTE_MILLI;
    timer = (struct altpick_timer){
        .ctx = &fake, .place = place, .sync = sync, .time = run, .now = now, .quantum_ticks = 1};
    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++)
        timer.n_slots[c] = n_slots;
    altpick_plan_init(&cpu, false, &plan);
    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++)
        plan.effort[c].layouts = layouts;
    for (unsigned c = 1; c < ALTPICK_N_CONDITIONS; c++)
        plan.effort[c].block_bytes = 0;
    plan.extra_batches = 0;
    free(session);
    session = calloc(1, altpick_session_bytes(&plan, N));
    assert_non_null(session);
    altpick_session_init(session, &plan, candidates, N, seed);
}

static inline int finish(void **state)
{
    (void) state;
    free(session);
    session = NULL;
    return 0;
}

static inline int step(void)
{
    bool batch_done, done;

    return altpick_session_step(session, &timer, UINT64_MAX, &batch_done, &done);
}

static inline uint32_t run_all(void)
{
    bool batch_done, done = false;
    uint32_t batches = 0;

    while (!done) {
        assert_int_equal(altpick_session_step(session, &timer, UINT64_MAX, &batch_done, &done), 0);
        batches += batch_done;
    }
    return batches;
}

#endif
