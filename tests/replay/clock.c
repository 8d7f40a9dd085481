/* SPDX-License-Identifier: MIT */
/* Turns blocks into ticks of a virtual clock: frequency steps, bursts, outliers, quantum, jitter.
 */
#include "clock.h"

#include "altpick/err.h"

#include <math.h>

static const double ticks_per_second = REPLAY_MHZ * 1e6;
static const double canary_cycles = 1.0 / 6; /* a NOP, six a cycle */
static const double place_ticks = 1500;      /* writing a block of some KiB */

/* splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

double replay_uniform(uint64_t *state)
{
    return (double) (random_next(state) >> 11) * 0x1p-53;
}

static double between(uint64_t *state, double low, double high)
{
    return low + (high - low) * replay_uniform(state);
}

/* Standard normal, near enough: four uniforms. */
static double normal(uint64_t *state)
{
    double sum = -2;

    for (int i = 0; i < 4; i++)
        sum += replay_uniform(state);
    return sum * 1.7320508;
}

static double exponential(uint64_t *state, double mean)
{
    return -mean * log(1 - replay_uniform(state));
}

struct replay_noise replay_noise_draw(uint64_t seed)
{
    uint64_t state = seed ^ 0x5bd1e995;

    return (struct replay_noise){
        .quantum_ticks = replay_uniform(&state) < 0.5 ? 2 : 26,
        .bimodal = replay_uniform(&state) < 0.5,
        .jitter = 0.003,
        .layout_jitter = 0.003,
        .outlier_share = 0.002,
        .overhead_ticks = between(&state, 30, 60),
        .burst_gap_seconds = replay_uniform(&state) < 0.25 ? 0 : 0.6,
        .burst_seconds = {0.005, 0.2},
        .loop_cycles = 0.2,
    };
}

/* Two speeds that alternate every few milliseconds, or a step of 100 MHz every second or so. */
static void draw_frequency(struct replay *r)
{
    uint64_t *state = &r->random;

    if (r->noise.bimodal) {
        r->mhz = r->mhz < 3000 ? 3900 : 2100;
        r->mhz_until_ticks = r->now_ticks + between(state, 0.002, 0.05) * ticks_per_second;
    } else {
        r->mhz = 3800 + 100 * floor(replay_uniform(state) * 5);
        r->mhz_until_ticks = r->now_ticks + between(state, 0.2, 3) * ticks_per_second;
    }
}

static void draw_burst(struct replay *r, double from_ticks)
{
    uint64_t *state = &r->random;

    if (r->noise.burst_gap_seconds <= 0) {
        r->burst_from_ticks = r->burst_until_ticks = INFINITY;
        return;
    }
    r->burst_from_ticks =
        from_ticks + exponential(state, r->noise.burst_gap_seconds) * ticks_per_second;
    r->burst_until_ticks =
        r->burst_from_ticks +
        between(state, r->noise.burst_seconds[0], r->noise.burst_seconds[1]) * ticks_per_second;
    r->burst_factor = between(state, 1.2, 2);
}

static void advance(struct replay *r, double ticks)
{
    r->now_ticks += ticks;
    if (r->now_ticks >= r->mhz_until_ticks)
        draw_frequency(r);
    while (r->now_ticks >= r->burst_until_ticks)
        draw_burst(r, r->burst_until_ticks);
}

/* What a busy sibling does to code that fills the core; a dependent chain does not feel it. */
static double slowdown(const struct replay *r)
{
    return r->now_ticks >= r->burst_from_ticks ? r->burst_factor : 1;
}

/* The sibling wants some units of the core more than others: the same code always feels the same.
 */
static double feels(const struct replay *r, const struct altpick_candidate *candidate)
{
    uint64_t state = r->seed;

    for (const char *p = candidate->name; *p; p++)
        state = (state ^ (uint8_t) *p) * 0x100000001b3u; /* FNV-1a */
    return replay_uniform(&state);
}

static int place(void *ctx, const struct altpick_block *block)
{
    struct replay *r = ctx;
    struct replay_slot *slot;
    double cycles;

    if (block->kind != ALTPICK_BLOCK_FILL)
        return ALTPICK_OK;
    if (block->condition != ALTPICK_HOT)
        return ALTPICK_EUNSUPPORTED;
    cycles = r->cycles(r->ctx, block->candidate);
    if (block->slot >= REPLAY_SLOTS || cycles <= 0)
        return ALTPICK_EUNSUPPORTED;
    slot = &r->slot[block->slot];
    *slot = (struct replay_slot){
        .candidate = block->candidate,
        .offset_bytes = block->offset_bytes,
        .copies = block->copies,
        .cycles = cycles * (1 + r->noise.layout_jitter * normal(&r->random)),
        .feels = feels(r, block->candidate),
    };
    advance(r, place_ticks);
    return ALTPICK_OK;
}

static int sync(void *ctx)
{
    struct replay *r = ctx;

    for (size_t i = 0; i < REPLAY_SLOTS; i++)
        r->slot[i].synced = r->slot[i].candidate != NULL;
    return ALTPICK_OK;
}

/* Core cycles of one trip of @block; negative when it is not what was placed. */
static double trip_cycles(const struct replay *r, const struct altpick_block *block)
{
    const struct replay_slot *slot;

    if (block->kind == ALTPICK_BLOCK_CHAIN)
        return block->copies;
    if (block->kind == ALTPICK_BLOCK_CANARY)
        return block->copies * canary_cycles * slowdown(r);
    if (block->slot >= REPLAY_SLOTS)
        return -1;
    slot = &r->slot[block->slot];
    if (!slot->synced || slot->candidate != block->candidate || slot->copies != block->copies ||
        slot->offset_bytes != block->offset_bytes)
        return -1;
    return (block->copies * slot->cycles + r->noise.loop_cycles) *
           (1 + (slowdown(r) - 1) * slot->feels);
}

static int run(void *ctx, const struct altpick_block *block, uint32_t trips, uint64_t *ret_ticks)
{
    struct replay *r = ctx;
    double cycles = trip_cycles(r, block), ticks, quantum = r->noise.quantum_ticks;

    if (cycles < 0)
        return ALTPICK_EFAULT;
    ticks = trips * cycles * REPLAY_MHZ / r->mhz;
    ticks *= 1 + r->noise.jitter * normal(&r->random);
    if (replay_uniform(&r->random) < r->noise.outlier_share)
        ticks *= 1.5 * pow(100 / 1.5, replay_uniform(&r->random));
    ticks += r->noise.overhead_ticks + 2 * normal(&r->random);
    if (ret_ticks)
        *ret_ticks = (uint64_t) (quantum * (floor((r->now_ticks + ticks) / quantum) -
                                            floor(r->now_ticks / quantum)));
    advance(r, ticks);
    return ALTPICK_OK;
}

static uint64_t now(void *ctx)
{
    const struct replay *r = ctx;

    return (uint64_t) r->now_ticks;
}

void replay_init(struct replay *replay, uint64_t seed, const struct replay_noise *noise,
                 double (*cycles)(const void *ctx, const struct altpick_candidate *candidate),
                 const void *ctx)
{
    *replay = (struct replay){
        .cycles = cycles, .ctx = ctx, .noise = *noise, .seed = seed, .random = seed};
    replay->now_ticks = 1e12 * replay_uniform(&replay->random);
    draw_frequency(replay);
    draw_burst(replay, replay->now_ticks);
}

void replay_pass(struct replay *replay, double seconds)
{
    advance(replay, seconds * ticks_per_second);
}

struct altpick_timer replay_timer(struct replay *replay)
{
    struct altpick_timer timer = {
        .ctx = replay,
        .place = place,
        .sync = sync,
        .time = run,
        .now = now,
        .quantum_ticks = replay->noise.quantum_ticks,
    };

    timer.n_slots[ALTPICK_HOT] = REPLAY_SLOTS;
    return timer;
}
