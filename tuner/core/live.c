/* SPDX-License-Identifier: MIT */
/* The timer that runs code on this CPU: places blocks in an arena and times them. */
#include "altpick/live.h"

#include "altpick/clock.h"
#include "altpick/err.h"
#include "code.h"

uint64_t altpick_live_run(const void *code, uint32_t trips); /* live_run.S */
void altpick_live_serialize(void);
void altpick_live_iret(void);

enum { PAGE_BYTES = 4096, OFFSETS = 64 };

/* The first two pages belong to the chain and the canary, the rest is cut into slots. */
static size_t block_at(const struct altpick_live *live, const struct altpick_block *block)
{
    switch (block->kind) {
    case ALTPICK_BLOCK_CHAIN:
        return 0;
    case ALTPICK_BLOCK_CANARY:
        return PAGE_BYTES;
    case ALTPICK_BLOCK_FILL:
        break;
    }
    return 2 * PAGE_BYTES + (size_t) block->slot * live->slot_bytes[block->condition] +
           block->offset_bytes;
}

static int live_place(void *ctx, const struct altpick_block *block)
{
    const struct altpick_live *live = ctx;
    size_t at = block_at(live, block);

    if (at + altpick_code_bytes(block) > live->arena_bytes)
        return ALTPICK_ENOSPACE;
    altpick_code_emit(live->write_view + at, block);
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

static int live_time(void *ctx, const struct altpick_block *block, uint32_t trips,
                     uint64_t *ret_ticks)
{
    const struct altpick_live *live = ctx;

    *ret_ticks = altpick_live_run(live->execute_view + block_at(live, block), trips);
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
    uint32_t bytes = block_bytes + OFFSETS + ALTPICK_CODE_MAX + ALTPICK_LOOP_TAIL_BYTES;

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
    return 2 * PAGE_BYTES + n_slots * (size_t) slot_bytes(largest);
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

    live->has_serialize = altpick_cpu_has(cpu, ALTPICK_CPU_SERIALIZE);
    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
        live->slot_bytes[c] = slot_bytes(largest_block(&plan->effort[c]));
        timer.n_slots[c] = (uint32_t) ((live->arena_bytes - 2 * PAGE_BYTES) / live->slot_bytes[c]);
    }
    *ret_timer = timer;
    return ALTPICK_OK;
}
