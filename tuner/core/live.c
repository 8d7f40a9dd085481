/* SPDX-License-Identifier: MIT */
/* The timer that runs code on this CPU: places blocks in an arena and times them. */
#include "altpick/live.h"

#include "altpick/clock.h"
#include "altpick/err.h"
#include "bytes.h"
#include "code.h"
#include "live_run.h"
#include "setup.h"

#define FOUR_GIB (UINT64_C(1) << 32)

enum {
    PAGE_BYTES = 4096,
    OFFSETS = 64,
    GATE_AT = 2 * PAGE_BYTES,
    EMPTY_AT = GATE_AT + PAGE_BYTES / 2,
    SHOT_WARM_RUNS = 3, /* before what is flushed is flushed, so that nothing else is cold */
};

/* The first pages belong to the chain, the canary and the gate, the rest is cut into slots. */
static size_t block_at(const struct altpick_live *live, const struct altpick_block *block)
{
    switch (block->kind) {
    case ALTPICK_BLOCK_CHAIN:
        return 0;
    case ALTPICK_BLOCK_CANARY:
        return PAGE_BYTES;
    case ALTPICK_BLOCK_EMPTY:
        return EMPTY_AT;
    case ALTPICK_BLOCK_FILL:
        break;
    }
    return ALTPICK_LIVE_SLOTS_AT + (size_t) block->slot * live->slot_bytes[block->condition] +
           block->offset_bytes;
}

/* Whether @block is 32-bit code: candidates are, where the timer is made for it. */
static bool is_32_bit(const struct altpick_live *live, const struct altpick_block *block)
{
    return live->selector_32 && block->kind == ALTPICK_BLOCK_FILL;
}

/* Nothing else runs beside another CPU, and no code is written while one runs it. */
static void stop_neighbour(struct altpick_live *live)
{
    if (live->neighbour_code)
        live->neighbour_end(live->neighbour);
    live->neighbour_code = NULL;
}

static int live_place(void *ctx, const struct altpick_block *block)
{
    struct altpick_live *live = ctx;
    size_t at = block_at(live, block);

    stop_neighbour(live);
    if (at + altpick_code_bytes(block) > live->arena_bytes)
        return ALTPICK_ENOSPACE;
    altpick_code_emit(live->write_view + at, block, is_32_bit(live, block));
    return ALTPICK_OK;
}

/* Code written through another address is not seen until a serialising instruction (SDM vol.
 * 3, 8.1.3). */
static int live_sync(void *ctx)
{
    const struct altpick_live *live = ctx;

    if (live->has_serialize)
        altpick_live_serialize();
    else
        altpick_live_iret();
    return ALTPICK_OK;
}

static void read_stream(const struct altpick_live *live)
{
    for (size_t i = 0; i < live->stream_bytes; i += OFFSETS)
        (void) *(const volatile uint8_t *) (live->stream + i);
}

/* Code of our own cannot fault, but is disturbed as much as a candidate. */
static uint64_t run_guarded(const struct altpick_live *live, const struct altpick_block *block,
                            const struct altpick_live_call *call)
{
    uint64_t ticks;

    altpick_live_begin(live, block->candidate, true);
    ticks = altpick_live_run(call);
    altpick_live_end(live);
    return ticks;
}

/* What a single execution finds in the caches: everything, less what the condition takes away. */
static void prepare_shot(const struct altpick_live *live, const struct altpick_block *block,
                         const struct altpick_setup *setup, const struct altpick_live_call *call)
{
    enum altpick_data data =
        block->candidate ? block->candidate->data : ALTPICK_DATA_NONE; /* none: nothing is run */

    for (unsigned i = 0; i < SHOT_WARM_RUNS; i++) {
        altpick_live_state(live, setup->state, block->candidate);
        run_guarded(live, block, call);
    }
    altpick_live_state(live, setup->state, block->candidate);
    if (setup->flush_data && data != ALTPICK_DATA_NONE)
        altpick_live_flush(call->data, altpick_live_data_size(live, data));
    if (setup->flush_code && block->candidate)
        altpick_live_flush(call->code, altpick_code_bytes(block));
    if (setup->streams)
        read_stream(live);
}

/* The registers that a block finds, and the memory behind them. */
static struct altpick_live_call call_of(const struct altpick_live *live,
                                        const struct altpick_block *block, uint32_t trips)
{
    struct altpick_live_call call = {.code = live->execute_view + block_at(live, block),
                                     .trips = trips};

    if (block->kind != ALTPICK_BLOCK_FILL || !live->data)
        return call;
    call.data = altpick_live_data(live, block->candidate->data);
    call.flag = altpick_live_flag(live, block->candidate->data);
    altpick_live_work(live, altpick_setup_of(block->condition), &call);
    return call;
}

/*
 * While another CPU runs the same block over and over, which goes on until something else is timed
 * or written: waking it takes far longer than a sample.  Without it no time passes: no sample.
 */
static int time_contended(struct altpick_live *live, const struct altpick_live_call *call,
                          uint64_t *ret_ticks)
{
    *ret_ticks = 0;
    if (live->neighbour_code != call->code) {
        int r;

        stop_neighbour(live);
        r = live->neighbour_begin(live->neighbour, call);
        if (r != 0)
            return r == ALTPICK_LIVE_ALONE ? ALTPICK_OK : r;
        live->neighbour_code = call->code;
    }
    *ret_ticks = altpick_live_run(call);
    return ALTPICK_OK;
}

static int live_time(void *ctx, const struct altpick_block *block, uint32_t trips,
                     uint64_t *ret_ticks)
{
    struct altpick_live *live = ctx;
    const struct altpick_setup *setup =
        altpick_setup_of(block->kind >= ALTPICK_BLOCK_EMPTY ? block->condition : ALTPICK_HOT);
    struct altpick_live_call call = call_of(live, block, trips);
    struct altpick_far_pointer far = {(uint32_t) (uintptr_t) call.code, live->selector_32};

    if (is_32_bit(live, block)) {
        call.code = live->execute_view + GATE_AT;
        call.far = &far;
        call.stack = live->stack_32_end;
    }
    if (setup->contended)
        return time_contended(live, &call, ret_ticks);
    stop_neighbour(live);
    if (setup->shot)
        prepare_shot(live, block, setup, &call);
    else
        altpick_live_state(live, setup->state, block->candidate);
    *ret_ticks = run_guarded(live, block, &call);
    /* Work in wide registers leaves their upper halves in use, which slows SSE code down. */
    altpick_live_state(live, setup->state || setup->needs ? ALTPICK_STATE_INIT : ALTPICK_STATE_ANY,
                       block->candidate);
    return ALTPICK_OK;
}

static uint64_t live_now(void *ctx)
{
    (void) ctx;
    return altpick_clock_start();
}

/* A block at the highest offset, with room for one more copy, on pages of its own. */
static uint32_t slot_bytes(uint32_t block_bytes)
{
    uint32_t bytes = block_bytes + OFFSETS + 2 * ALTPICK_CODE_MAX + ALTPICK_WORK_CODE_MAX +
                     ALTPICK_LOOP_TAIL_BYTES;

    return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

/* Of the blocks of one condition, whichever of its sizes is used. */
static uint32_t largest_block(const struct altpick_effort *effort)
{
    if (effort->block_bytes == 0)
        return 0;
    return effort->retry_bytes > effort->block_bytes ? effort->retry_bytes : effort->block_bytes;
}

size_t altpick_live_arena_bytes(const struct altpick_plan *plan, size_t n_slots)
{
    uint32_t largest = 0;

    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
        if (largest_block(&plan->effort[c]) > largest)
            largest = largest_block(&plan->effort[c]);
    }
    return ALTPICK_LIVE_SLOTS_AT + n_slots * (size_t) slot_bytes(largest);
}

/* Put the gate where 32-bit code can return to it. */
static int place_gate(const struct altpick_live *live)
{
    uintptr_t arena_end = (uintptr_t) live->execute_view + live->arena_bytes;

    if (arena_end > FOUR_GIB || (uintptr_t) live->stack_32_end > FOUR_GIB || !live->stack_32_end)
        return ALTPICK_EUNSUPPORTED;
    altpick_copy_bytes(live->write_view + GATE_AT, altpick_live_gate,
                       (size_t) (altpick_live_gate_end - altpick_live_gate));
    return ALTPICK_OK;
}

int altpick_live_init(struct altpick_live *live, const struct altpick_cpu *cpu,
                      const struct altpick_plan *plan, struct altpick_timer *ret_timer)
{
    struct altpick_timer timer = {
        .ctx = live, .place = live_place, .sync = live_sync, .time = live_time, .now = live_now};

    timer.quantum_ticks = altpick_clock_quantum_ticks();
    if (timer.quantum_ticks == 0)
        return ALTPICK_ENOCLOCK;
    if (live->arena_bytes < altpick_live_arena_bytes(plan, 1))
        return ALTPICK_ENOSPACE;
    if (live->selector_32) {
        int r = place_gate(live);

        if (r < 0)
            return r;
        timer.starts_cold = true; /* the far call empties the uop cache of some cores (Zen 4) */
    }

    live->has_serialize = altpick_cpu_has(cpu, ALTPICK_CPU_SERIALIZE);
    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
        live->slot_bytes[c] = slot_bytes(largest_block(&plan->effort[c]));
        timer.n_slots[c] =
            (uint32_t) ((live->arena_bytes - ALTPICK_LIVE_SLOTS_AT) / live->slot_bytes[c]);
    }
    *ret_timer = timer;
    return ALTPICK_OK;
}
