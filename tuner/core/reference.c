/* SPDX-License-Identifier: MIT */
/* Turns ticks into core cycles by a ruler, and watches for a busy sibling with a canary. */
#include "reference.h"

#include "altpick/err.h"
#include "altpick/estimate.h"
#include "code.h"
#include "setup.h"

enum {
    SHOTS = 16,            /* single executions whose mean counts */
    FETCH_TRIPS = 2,       /* bring a block into the caches, where the rest is lost anyway */
    SHORT_TRIPS = 4,       /* of the shorter of two timed runs */
    CHAIN_TRIPS_MAX = 600, /* altpick_ratio_micro() takes 2^16 chain steps */
    CANARY_SHARE = 2,      /* a reading of the canary lasts a region divided by this */
    CANARY_READINGS = 15,  /* whose median tells what the canary can do */
    CANARY_FIRST_MEDIANS = 32,
    CANARY_CALM_MEDIANS = 12,
    BRIEF_READINGS = 5, /* in place of these three */
    BRIEF_FIRST_MEDIANS = 1,
    BRIEF_CALM_MEDIANS = 0,
    CALM_PERCENT = 6,   /* spread of the middle half of readings */
    WAIT_TRIES = 16,    /* readings of the canary that wait for a busy sibling to rest */
    BUSY_PERCENT = 110, /* of the best canary: a sibling is busy */
};

uint64_t altpick_reference_region_ticks(const struct altpick_reference *reference)
{
    const struct altpick_plan *plan = &reference->session->plan;
    uint64_t quanta = (uint64_t) plan->region_quanta * reference->timer->quantum_ticks;

    return quanta > plan->region_ticks ? quanta : plan->region_ticks;
}

/*
 * Doubled until they last long enough, then cut to what is needed.  The faster of two runs counts,
 * because the first may meet a page fault, and either an interrupt.
 */
int altpick_reference_find_trips(const struct altpick_reference *reference,
                                 const struct altpick_block *block, uint64_t region, uint32_t max,
                                 uint32_t *ret_trips)
{
    const struct altpick_timer *timer = reference->timer;
    uint64_t first, second, ticks, needed;
    uint32_t trips = 1;
    int r;

    do {
        trips *= 2;
        r = timer->time(timer->ctx, block, trips, &first);
        if (r == 0)
            r = timer->time(timer->ctx, block, trips, &second);
        if (r < 0)
            return r;
        ticks = first < second ? first : second;
    } while (ticks < region && trips < max);

    needed = ticks ? trips * region / ticks + 1 : max;
    trips = needed < trips ? (uint32_t) needed : trips;
    *ret_trips = trips < max ? trips : max;
    return ALTPICK_OK;
}

/*
 * Ticks by which @trips more trips of @block take longer, after @lead trips in the same run; the
 * cost of calling and leaving cancels.
 */
static int time_difference(const struct altpick_timer *timer, const struct altpick_block *block,
                           uint32_t lead, uint32_t trips, uint64_t *ret_ticks)
{
    uint32_t short_trips = lead + (trips >= 2 * SHORT_TRIPS ? SHORT_TRIPS : 1);
    uint64_t few, many;
    int r;

    r = timer->time(timer->ctx, block, short_trips, &few);
    if (r == 0)
        r = timer->time(timer->ctx, block, short_trips + trips, &many);
    if (r == 0)
        *ret_ticks = many - few;
    return r;
}

int altpick_reference_time(const struct altpick_reference *reference,
                           const struct altpick_block *block, uint32_t warm, uint32_t trips,
                           uint64_t chain_ticks, uint64_t *ret_micro)
{
    const struct altpick_timer *timer = reference->timer;
    uint64_t steps = (uint64_t) reference->chain.copies * reference->session->chain_trips;
    uint32_t lead = timer->starts_cold && block->kind == ALTPICK_BLOCK_FILL ? warm : 0;
    uint64_t ticks;
    int r = timer->time(timer->ctx, block, lead ? FETCH_TRIPS : warm, &ticks);

    if (r == 0)
        r = time_difference(timer, block, lead, trips, &ticks);
    if (r == 0)
        *ret_micro =
            altpick_ratio_micro(ticks, (uint64_t) block->copies * trips, chain_ticks, steps);
    return r;
}

/*
 * The mean of single executions of @block.  Where the step of the clock is as long as what is
 * timed, the only readings are a step apart, and any of them alone, a median too, is wrong by half
 * a step; what lies two steps above the median met an interrupt.
 */
static int time_shots(const struct altpick_reference *reference, const struct altpick_block *block,
                      unsigned n, uint64_t *ret_ticks)
{
    const struct altpick_timer *timer = reference->timer;
    uint64_t reading[SHOTS], limit, sum = 0;
    unsigned used = 0;

    for (unsigned i = 0; i < n; i++) {
        int r = timer->time(timer->ctx, block, 1, &reading[i]);

        if (r < 0)
            return r;
    }
    altpick_sort_u64(reading, n);
    limit = reading[n / 2] + 2 * (uint64_t) timer->quantum_ticks;
    for (; used < n && reading[used] <= limit; used++)
        sum += reading[used];
    *ret_ticks = (sum + used / 2) / used;
    return ALTPICK_OK;
}

/*
 * What cold caches add to the call itself counts: it is the code's first line that is missed.  The
 * least that is told is one tick: zero would be no sample.  Cold executions differ by more than the
 * step of the clock, so that one will do.
 */
int altpick_reference_shot(const struct altpick_reference *reference,
                           const struct altpick_block *block, bool is_warm, uint64_t chain_ticks,
                           uint64_t *ret_micro)
{
    uint64_t steps = (uint64_t) reference->chain.copies * reference->session->chain_trips;
    uint64_t nothing = reference->nothing_ticks, ticks = 0;
    int r = time_shots(reference, block, is_warm ? SHOTS : 1, &ticks);

    if (r == 0)
        *ret_micro =
            altpick_ratio_micro(ticks > nothing ? ticks - nothing : 1, 1, chain_ticks, steps);
    return r;
}

/* Read the ruler, then the canary. */
static int read_both(const struct altpick_reference *reference, uint64_t *ret_chain_ticks,
                     uint64_t *ret_canary_micro)
{
    const struct altpick_timer *timer = reference->timer;
    const struct altpick_session *session = reference->session;
    uint64_t ticks;
    int r = timer->time(timer->ctx, &reference->chain, 2, &ticks);

    if (r == 0)
        r = time_difference(timer, &reference->chain, 0, session->chain_trips, ret_chain_ticks);
    if (r == 0)
        r = altpick_reference_time(reference, &reference->canary, 2, session->canary_trips,
                                   *ret_chain_ticks, ret_canary_micro);
    return r;
}

bool altpick_reference_is_slow(const struct altpick_session *session, uint64_t canary_micro)
{
    return canary_micro * 100 > session->canary_best_micro * BUSY_PERCENT;
}

int altpick_reference_wait(const struct altpick_reference *reference, uint64_t *ret_first_micro,
                           uint64_t *ret_chain_ticks, uint64_t *ret_canary_micro)
{
    struct altpick_session *session = reference->session;
    const struct altpick_timer *timer = reference->timer;
    uint64_t start = timer->now(timer->ctx), waited;
    int r = ALTPICK_OK;

    for (unsigned try = 0; try < WAIT_TRIES; try++) {
        r = read_both(reference, ret_chain_ticks, ret_canary_micro);
        if (r < 0)
            break;
        if (try == 0)
            *ret_first_micro = *ret_canary_micro;
        if (!altpick_reference_is_slow(session, *ret_canary_micro))
            break;
        waited = timer->now(timer->ctx) - start;
        if (waited >= session->patience_ticks)
            break;
        session->patience_ticks -= waited;
        start += waited;
    }
    return r;
}

/* Sets out_of_time when it is. */
static bool is_late(const struct altpick_reference *reference)
{
    if (reference->timer->now(reference->timer->ctx) > reference->deadline_ticks)
        reference->session->out_of_time = 1;
    return reference->session->out_of_time;
}

/*
 * What the canary can do: the lowest median of a few readings.  Not the lowest reading: one whose
 * ruler met an interrupt looks fast, and with it everything else would look slow for ever.
 * *ret_calm: the readings agree, as they never do beside a sibling that starts and stops.
 */
static int learn_canary(const struct altpick_reference *reference, bool *ret_calm)
{
    struct altpick_session *session = reference->session;
    uint64_t chain_ticks, median, spread, reading[CANARY_READINGS];
    unsigned n = session->plan.brief ? BRIEF_READINGS : CANARY_READINGS;

    for (unsigned i = 0; i < n; i++) {
        int r = read_both(reference, &chain_ticks, &reading[i]);

        if (r < 0)
            return r;
        if (is_late(reference))
            return ALTPICK_OK;
    }
    altpick_sort_u64(reading, n);
    median = reading[n / 2];
    spread = reading[n * 3 / 4] - reading[n / 4];
    if (median && (session->canary_best_micro == 0 || median < session->canary_best_micro))
        session->canary_best_micro = median;
    *ret_calm = spread * 100 <= median * CALM_PERCENT;
    return ALTPICK_OK;
}

/*
 * How fast the canary can be, before anything is judged by it: a number of medians, and for half of
 * the patience more, until some of them were calm.
 */
static int learn_to_watch(const struct altpick_reference *reference)
{
    struct altpick_session *session = reference->session;
    const struct altpick_timer *timer = reference->timer;
    unsigned first = session->plan.brief ? BRIEF_FIRST_MEDIANS : CANARY_FIRST_MEDIANS;
    unsigned enough = session->plan.brief ? BRIEF_CALM_MEDIANS : CANARY_CALM_MEDIANS;
    uint64_t start = timer->now(timer->ctx), waited = 0;
    unsigned calm = 0;
    int r = ALTPICK_OK;

    for (unsigned i = 0; r == 0 && !session->out_of_time &&
                         (i < first || (calm < enough && waited < session->patience_ticks / 2));
         i++) {
        bool is_calm = false;

        r = learn_canary(reference, &is_calm);
        calm += is_calm;
        if (i >= first)
            waited = timer->now(timer->ctx) - start;
    }
    session->patience_ticks -= waited < session->patience_ticks ? waited : session->patience_ticks;
    return r;
}

/* How long to read the ruler and the canary, and how fast the canary can be. */
static int learn(const struct altpick_reference *reference)
{
    struct altpick_session *session = reference->session;
    uint64_t region = altpick_reference_region_ticks(reference);
    int r = altpick_reference_find_trips(reference, &reference->chain, region, CHAIN_TRIPS_MAX,
                                         &session->chain_trips);

    if (r == 0 && !is_late(reference))
        r = altpick_reference_find_trips(reference, &reference->canary, region / CANARY_SHARE,
                                         ALTPICK_TRIPS_MAX, &session->canary_trips);
    if (r == 0 && !is_late(reference))
        r = learn_to_watch(reference);
    return r;
}

int altpick_reference_place(struct altpick_reference *reference)
{
    const struct altpick_timer *timer = reference->timer;
    bool calm;
    int r;

    reference->chain =
        (struct altpick_block){.kind = ALTPICK_BLOCK_CHAIN, .copies = ALTPICK_CHAIN_ADDS};
    reference->canary =
        (struct altpick_block){.kind = ALTPICK_BLOCK_CANARY, .copies = ALTPICK_CANARY_NOPS};
    reference->empty =
        (struct altpick_block){.kind = ALTPICK_BLOCK_EMPTY,
                               .condition = (enum altpick_condition) reference->session->condition};
    r = timer->place(timer->ctx, &reference->chain);
    if (r == 0)
        r = timer->place(timer->ctx, &reference->canary);
    if (r == 0)
        r = timer->place(timer->ctx, &reference->empty);
    if (r == 0)
        r = timer->sync(timer->ctx);
    if (r == 0 && reference->session->canary_trips == 0)
        r = learn(reference);
    if (r == 0 && !is_late(reference))
        r = learn_canary(reference, &calm);
    if (r == 0 && !is_late(reference) && altpick_setup_of(reference->empty.condition)->shot)
        r = time_shots(reference, &reference->empty, SHOTS, &reference->nothing_ticks);
    return r;
}
