/* SPDX-License-Identifier: MIT */
/* A timer that runs nothing: it knows what each block costs and adds the noise of a real machine.
 */
#ifndef ALTPICK_REPLAY_CLOCK_H
#define ALTPICK_REPLAY_CLOCK_H

#include "altpick/measure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REPLAY_SLOTS = 512, REPLAY_MHZ = 2600 /* of the counter */ };

/* What disturbs a sample.  All of it was seen on real machines; see docs/measuring.md. */
struct replay_noise {
    uint32_t quantum_ticks;   /* step of the clock */
    bool bimodal;             /* the core flips between two speeds; else 100 MHz steps */
    double jitter;            /* standard deviation of a sample, relative */
    double layout_jitter;     /* the same for where a candidate was placed */
    double outlier_share;     /* samples that take 1.5 .. 100 times as long */
    double overhead_ticks;    /* of reading the clock twice */
    double burst_gap_seconds; /* mean time between bursts of a busy sibling; 0: none */
    double burst_seconds[2];  /* that they last, at least and at most */
    double loop_cycles;       /* of one trip beside its body */
};

/* Where a block was placed, to catch a block timed that was never written or not made executable.
 */
struct replay_slot {
    const struct altpick_candidate *candidate;
    uint32_t offset_bytes, copies;
    bool synced;
    double cycles; /* of one copy, placement included */
    double feels;  /* of a busy sibling, 0 to 1 */
};

struct replay {
    double (*cycles)(const void *ctx, const struct altpick_candidate *candidate); /* 0: unknown */
    const void *ctx;
    struct replay_noise noise;
    uint64_t seed, random;
    double now_ticks;
    double mhz, mhz_until_ticks;
    double burst_from_ticks, burst_until_ticks, burst_factor;
    struct replay_slot slot[REPLAY_SLOTS];
};

/* The noise of one simulated machine; @seed also draws its clock and how its frequency moves. */
struct replay_noise replay_noise_draw(uint64_t seed);

/* Start a clock.  @cycles prices a candidate in core cycles; @ctx is handed to it. */
void replay_init(struct replay *replay, uint64_t seed, const struct replay_noise *noise,
                 double (*cycles)(const void *ctx, const struct altpick_candidate *candidate),
                 const void *ctx);

/* Let time pass in which others run: other conditions, other questions. */
void replay_pass(struct replay *replay, double seconds);

/* The seam.  Only the condition hot exists: placing a block for another is ALTPICK_EUNSUPPORTED. */
struct altpick_timer replay_timer(struct replay *replay);

/* Uniform in [0, 1), from the generator of @state. */
double replay_uniform(uint64_t *state);

#endif
