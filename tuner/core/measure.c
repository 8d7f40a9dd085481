/* SPDX-License-Identifier: MIT */
/* From candidates to samples: one layout a step, batches that spread every condition over the probe. */
#include "altpick/measure.h"

#include "altpick/err.h"
#include "altpick/estimate.h"
#include "bytes.h"
#include "code.h"
#include "random.h"

enum {
    NO_CANDIDATE = UINT32_MAX,
    OFFSETS = 64,
    OFFSET_STEP = 23,          /* odd: 64 layouts meet every offset once, any 8 every offset mod 4 twice */
    HOT_BLOCK_BYTES = 1920,    /* below a quarter of the smallest uop cache at one byte a uop */
    DECODE_BLOCK_BYTES = 24 << 10,
    MISS_BLOCK_BYTES = 32 << 10, /* beyond L1I */
    DEFAULT_L1I_BYTES = 32 << 10,
    BRANCH_WARM_TRIPS = 4,     /* more: predictors learn taken branches over several passes */
    SHORT_TRIPS = 4,           /* of the shorter of two timed runs */
    TRIPS_MAX = 1 << 14,
    CHAIN_TRIPS_MAX = 600,     /* altpick_ratio_micro() takes 2^16 chain steps */
    ROUND_TRIES = 3,           /* a round that a busy sibling covered is measured again */
    CANARY_READINGS = 3,
};

void altpick_plan_init(const struct altpick_cpu *cpu, bool thorough, struct altpick_plan *ret_plan)
{
    uint32_t l1i = cpu->l1i_bytes ? cpu->l1i_bytes : DEFAULT_L1I_BYTES;
    uint32_t decode = l1i / 4 * 3 < DECODE_BLOCK_BYTES ? l1i / 4 * 3 : DECODE_BLOCK_BYTES;
    uint32_t more = thorough ? 4 : 1;

    *ret_plan = (struct altpick_plan){
        .batches = thorough ? 12 : 3, .region_quanta = 100, .region_ticks = 1500};
    ret_plan->effort[ALTPICK_HOT] = (struct altpick_effort){HOT_BLOCK_BYTES, 72 * more, 5, 6};
    ret_plan->effort[ALTPICK_LEGACY_DECODE] = (struct altpick_effort){decode, 27 * more, 5, 3};
    ret_plan->effort[ALTPICK_L1I_MISS] =
        (struct altpick_effort){l1i + MISS_BLOCK_BYTES, 27 * more, 3, 2};
}

static uint32_t samples_per_candidate(const struct altpick_plan *plan, uint32_t *ret_at)
{
    uint32_t total = 0;

    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
        if (ret_at)
            ret_at[c] = total;
        if (plan->effort[c].block_bytes)
            total += plan->effort[c].layouts * plan->effort[c].rounds;
    }
    return total;
}

size_t altpick_session_bytes(const struct altpick_plan *plan, size_t n_candidates)
{
    return sizeof(struct altpick_session) +
           (n_candidates + 1) * samples_per_candidate(plan, NULL) * sizeof(uint64_t);
}

void altpick_session_init(struct altpick_session *session, const struct altpick_plan *plan,
                          const struct altpick_candidate *candidates, size_t n_candidates, uint32_t seed)
{
    session->plan = *plan;
    session->n_candidates = (uint32_t) n_candidates;
    for (size_t i = 0; i < n_candidates; i++) {
        session->candidates[i] = candidates[i];
        session->state[i] = candidates[i].code_bytes ? ALTPICK_CELL_ACTIVE : ALTPICK_CELL_WAITING;
    }
    session->random = altpick_random_seed(seed);
    session->first_offset_bytes = altpick_random(&session->random) % OFFSETS;
    session->running = NO_CANDIDATE;
    session->samples_per_candidate = samples_per_candidate(plan, session->samples_at);
}

uint64_t *altpick_session_layout(struct altpick_session *session, size_t candidate, unsigned condition,
                                 size_t layout)
{
    return session->samples + candidate * session->samples_per_candidate +
           session->samples_at[condition] + layout * session->plan.effort[condition].rounds;
}

/* What one step works with: the current condition and the blocks placed for it. */
struct step {
    struct altpick_session     *session;
    const struct altpick_timer *timer;
    uint64_t                    deadline_ticks;
    struct altpick_effort       effort;
    struct altpick_block        chain, canary;
    struct altpick_block        block[ALTPICK_CANDIDATES_MAX];
    uint32_t                    trips[ALTPICK_CANDIDATES_MAX]; /* between the two timed runs */
    uint32_t                    active[ALTPICK_CANDIDATES_MAX];
    uint32_t                    n_active;
};

static uint64_t region_ticks(const struct step *step)
{
    uint64_t quanta = (uint64_t) step->session->plan.region_quanta * step->timer->quantum_ticks;

    return quanta > step->session->plan.region_ticks ? quanta : step->session->plan.region_ticks;
}

/*
 * Trips of @block that last about a region: doubled until they do, then cut to what is needed.  The
 * faster of two runs counts, because the first may meet a page fault, and either an interrupt.
 */
static int find_trips(const struct step *step, const struct altpick_block *block, uint32_t max,
                      uint32_t *ret_trips)
{
    const struct altpick_timer *timer = step->timer;
    uint64_t                    first, second, ticks;
    uint32_t                    trips = 1, needed;
    int                         r;

    do {
        trips *= 2;
        r = timer->time(timer->ctx, block, trips, &first);
        if (r == 0)
            r = timer->time(timer->ctx, block, trips, &second);
        if (r < 0)
            return r;
        ticks = first < second ? first : second;
    } while (ticks < region_ticks(step) && trips < max);

    needed = ticks ? (uint32_t) (trips * region_ticks(step) / ticks) + 1 : max;
    trips = needed < trips ? needed : trips;
    *ret_trips = trips < max ? trips : max;
    return ALTPICK_OK;
}

/* Ticks by which @trips more trips of @block take longer; the cost of calling and leaving cancels. */
static int time_difference(const struct altpick_timer *timer, const struct altpick_block *block,
                           uint32_t trips, uint64_t *ret_ticks)
{
    uint32_t short_trips = trips >= 2 * SHORT_TRIPS ? SHORT_TRIPS : 1;
    uint64_t few, many;
    int      r;

    r = timer->time(timer->ctx, block, short_trips, &few);
    if (r == 0)
        r = timer->time(timer->ctx, block, short_trips + trips, &many);
    if (r == 0)
        *ret_ticks = many - few;
    return r;
}

/*
 * One sample: the ruler, then the warmed block, core cycles per copy.  The ruler comes before the
 * warm-up, because some cores need several passes until a large block is served by the uop cache
 * again after anything else ran (Zen 4).
 */
static int sample(const struct step *step, const struct altpick_block *block, uint32_t warm,
                  uint32_t trips, uint64_t *ret_micro)
{
    const struct altpick_timer *timer = step->timer;
    uint32_t                    chain_trips = step->session->chain_trips;
    uint64_t                    chain_ticks, ticks;
    int                         r;

    r = timer->time(timer->ctx, &step->chain, 2, &ticks);
    if (r == 0)
        r = time_difference(timer, &step->chain, chain_trips, &chain_ticks);
    if (r == 0 && warm)
        r = timer->time(timer->ctx, block, warm, &ticks);
    if (r == 0)
        r = time_difference(timer, block, trips, &ticks);
    if (r == 0)
        *ret_micro = altpick_ratio_micro(ticks, (uint64_t) block->copies * trips, chain_ticks,
                                         (uint64_t) step->chain.copies * chain_trips);
    return r;
}

/* Place the ruler and the canary; the first step of a session also finds how long to read them. */
static int place_references(struct step *step)
{
    const struct altpick_timer *timer = step->timer;
    int                         r;

    step->chain = (struct altpick_block){.kind = ALTPICK_BLOCK_CHAIN, .copies = ALTPICK_CHAIN_ADDS};
    step->canary =
        (struct altpick_block){.kind = ALTPICK_BLOCK_CANARY, .copies = ALTPICK_CANARY_COPIES};
    r = timer->place(timer->ctx, &step->chain);
    if (r == 0)
        r = timer->place(timer->ctx, &step->canary);
    if (r == 0)
        r = timer->sync(timer->ctx);
    if (r == 0 && step->session->chain_trips == 0)
        r = find_trips(step, &step->chain, CHAIN_TRIPS_MAX, &step->session->chain_trips);
    return r;
}

static int read_canary(const struct step *step, uint64_t *ret_micro)
{
    uint64_t reading[CANARY_READINGS];

    for (unsigned i = 0; i < CANARY_READINGS; i++) {
        int r = sample(step, &step->canary, 2, step->session->chain_trips, &reading[i]);

        if (r < 0)
            return r;
    }
    altpick_sort_u64(reading, CANARY_READINGS);
    *ret_micro = reading[CANARY_READINGS / 2];
    return ALTPICK_OK;
}

/*
 * Whether a sibling thread takes throughput away.  The ruler does not show it, the canary does: it
 * slows by at least a tenth against the best it did here.
 */
static bool is_slow(const struct altpick_session *session, uint64_t canary_micro)
{
    return session->canary_best_micro && canary_micro * 10 > session->canary_best_micro * 11;
}

/*
 * Read the canary and keep the second best of what it did so far: the best may be a reading whose
 * ruler met an interrupt, and with it everything else would look slow for ever.
 */
static int watch_canary(const struct step *step, uint64_t *ret_micro)
{
    struct altpick_session *session = step->session;
    int                     r = read_canary(step, ret_micro);
    uint64_t                micro = *ret_micro;

    if (r < 0 || micro == 0)
        return r;
    if (session->canary_fastest_micro == 0 || micro < session->canary_fastest_micro) {
        session->canary_best_micro = session->canary_fastest_micro;
        session->canary_fastest_micro = micro;
    } else if (session->canary_best_micro == 0 || micro < session->canary_best_micro) {
        session->canary_best_micro = micro;
    }
    return r;
}

bool altpick_session_round_is_quiet(struct altpick_session *session, unsigned condition,
                                    size_t layout, size_t round)
{
    return !is_slow(session, altpick_session_layout(session, session->n_candidates, condition,
                                                    layout)[round]);
}

/* New pages and a new offset for every active candidate in [@first, @last). */
static int place_candidates(struct step *step, uint32_t layout, uint32_t first, uint32_t last)
{
    struct altpick_session     *session = step->session;
    const struct altpick_timer *timer = step->timer;
    uint32_t                    order[ALTPICK_CANDIDATES_MAX];
    uint32_t                    n_slots = timer->n_slots[session->condition];
    uint32_t                    base = altpick_random(&session->random) % n_slots;

    altpick_random_order(&session->random, order, last - first);
    for (uint32_t i = first; i < last; i++) {
        const struct altpick_candidate *candidate = &session->candidates[step->active[i]];
        struct altpick_block           *block = &step->block[i];
        int                             r;

        *block = (struct altpick_block){
            .kind = ALTPICK_BLOCK_FILL,
            .condition = (enum altpick_condition) session->condition,
            .candidate = candidate,
            .slot = (base + order[i - first]) % n_slots,
            .offset_bytes = (session->first_offset_bytes + OFFSET_STEP * layout) % OFFSETS,
            .copies = step->effort.block_bytes / candidate->code_bytes,
        };
        r = timer->place(timer->ctx, block);
        if (r < 0)
            return r;
    }
    return timer->sync(timer->ctx);
}

static uint32_t warm_trips(const struct step *step, const struct altpick_block *block)
{
    return step->effort.warm_trips + (block->candidate->branches ? BRANCH_WARM_TRIPS : 0);
}

/* Run each placed block until it is warm and find how many trips a sample of it needs. */
static int warm_candidates(struct step *step, uint32_t first, uint32_t last)
{
    const struct altpick_timer *timer = step->timer;
    uint64_t                    ticks;
    int                         r = ALTPICK_OK;

    for (uint32_t i = first; i < last && r == 0; i++) {
        step->session->running = step->active[i];
        r = timer->time(timer->ctx, &step->block[i], warm_trips(step, &step->block[i]), &ticks);
        if (r == 0)
            r = find_trips(step, &step->block[i], TRIPS_MAX, &step->trips[i]);
    }
    step->session->running = NO_CANDIDATE;
    return r;
}

/* One sample of every placed candidate, in a fresh order. */
static int measure_round(struct step *step, uint32_t first, uint32_t last, uint64_t *ret_micro)
{
    struct altpick_session *session = step->session;
    uint32_t                order[ALTPICK_CANDIDATES_MAX];
    int                     r = ALTPICK_OK;

    altpick_random_order(&session->random, order, last - first);
    for (uint32_t k = 0; k < last - first && r == 0; k++) {
        uint32_t i = first + order[k];

        if (step->timer->now(step->timer->ctx) > step->deadline_ticks) {
            session->out_of_time = 1;
            break;
        }
        session->running = step->active[i];
        r = sample(step, &step->block[i], warm_trips(step, &step->block[i]), step->trips[i],
                   &ret_micro[i]);
    }
    session->running = NO_CANDIDATE;
    return r;
}

/* The canary's row keeps the slowest reading around the round, whichever group of slots it was for. */
static void keep_round(struct step *step, uint32_t layout, uint32_t round, uint32_t first,
                       uint32_t last, const uint64_t *micro, uint64_t canary_micro)
{
    struct altpick_session *session = step->session;
    unsigned                condition = session->condition;
    uint64_t *canary = altpick_session_layout(session, session->n_candidates, condition, layout);

    for (uint32_t i = first; i < last; i++)
        altpick_session_layout(session, step->active[i], condition, layout)[round] = micro[i];
    if (canary_micro > canary[round])
        canary[round] = canary_micro;
    session->rounds_kept++;
}

/*
 * Measure a round until no sibling was busy before or after it.  A neighbour that never rests would
 * stop everything: after the last try, and once a third of all rounds were dropped, keep what is
 * there; the canary's row tells the estimator, which knows by then how fast the canary can be.
 */
static int measure_quiet_round(struct step *step, uint32_t layout, uint32_t round, uint32_t first,
                               uint32_t last)
{
    struct altpick_session *session = step->session;
    uint64_t                micro[ALTPICK_CANDIDATES_MAX];
    uint64_t                before, after = 0, slower;
    int                     r = watch_canary(step, &before);

    for (unsigned try = 1; r == 0; try++) {
        altpick_zero(micro, sizeof micro);
        r = measure_round(step, first, last, micro);
        if (r == 0)
            r = watch_canary(step, &after);
        if (r < 0 || session->out_of_time)
            break;
        slower = before > after ? before : after;
        if (!is_slow(session, slower) || try == ROUND_TRIES ||
            session->rounds_dropped > 16 + session->rounds_kept / 2) {
            keep_round(step, layout, round, first, last, micro, slower);
            break;
        }
        session->rounds_dropped++;
        before = after;
    }
    return r;
}

/* As many candidates at a time as there are slots: one group on a host, several in a small arena. */
static int measure_layout(struct step *step, uint32_t layout)
{
    uint32_t n_slots = step->timer->n_slots[step->session->condition];
    int      r = ALTPICK_OK;

    for (uint32_t first = 0; first < step->n_active && r == 0; first += n_slots) {
        uint32_t left = step->n_active - first;
        uint32_t last = first + (left < n_slots ? left : n_slots);

        r = place_candidates(step, layout, first, last);
        if (r == 0)
            r = warm_candidates(step, first, last);
        for (uint32_t round = 0; round < step->effort.rounds && r == 0; round++) {
            r = measure_quiet_round(step, layout, round, first, last);
            if (step->session->out_of_time)
                return r;
        }
    }
    return r;
}

/* Layouts of @condition that are done when batch @batch ends. */
static uint32_t layouts_until(const struct altpick_session *session, unsigned condition, uint32_t batch)
{
    return session->plan.effort[condition].layouts * (batch + 1) / session->plan.batches;
}

/* Move on to the next condition that has layouts left in this batch, or to the next batch. */
static void advance(struct altpick_session *session, bool *ret_batch_done)
{
    *ret_batch_done = false;
    for (unsigned step = 0; step < ALTPICK_N_CONDITIONS; step++) {
        unsigned c = session->condition;

        if (session->plan.effort[c].block_bytes &&
            session->layouts_done[c] < layouts_until(session, c, session->batch))
            return;
        session->condition = (c + 1) % ALTPICK_N_CONDITIONS;
        if (session->condition == 0) {
            session->batch++;
            *ret_batch_done = true;
            return;
        }
    }
}

int altpick_session_step(struct altpick_session *session, const struct altpick_timer *timer,
                         uint64_t deadline_ticks, bool *ret_batch_done, bool *ret_done)
{
    struct step step = {.session = session, .timer = timer, .deadline_ticks = deadline_ticks};
    int         r;

    *ret_batch_done = false;
    *ret_done = session->batch >= session->plan.batches;
    if (*ret_done)
        return ALTPICK_OK;

    for (uint32_t i = 0; i < session->n_candidates; i++) {
        if (session->state[i] == ALTPICK_CELL_ACTIVE)
            step.active[step.n_active++] = i;
    }
    step.effort = session->plan.effort[session->condition];
    if (step.effort.block_bytes && step.effort.layouts) {
        r = place_references(&step);
        if (r == 0)
            r = measure_layout(&step, session->layouts_done[session->condition]);
        if (r < 0)
            return r;
        session->layouts_done[session->condition]++;
    }
    advance(session, ret_batch_done);
    *ret_done = session->batch >= session->plan.batches || session->out_of_time;
    return ALTPICK_OK;
}
