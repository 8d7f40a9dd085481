/* SPDX-License-Identifier: MIT */
/* From candidates to samples: one layout a step, batches that spread every condition over the
 * probe. */
#include "altpick/measure.h"

#include "altpick/err.h"
#include "altpick/estimate.h"
#include "bytes.h"
#include "random.h"
#include "reference.h"
#include "setup.h"

enum {
    NO_CANDIDATE = UINT32_MAX,
    OFFSETS = 64,
    OFFSET_STEP = 23, /* odd: 64 layouts meet every offset once, any 8 every offset mod 4 twice */
    HOT_BLOCK_BYTES = 1920, /* below a quarter of the smallest uop cache at one byte a uop */
    DECODE_BLOCK_BYTES = 24 << 10,
    MISS_BLOCK_BYTES = 32 << 10,  /* beyond L1I, or beyond twice L1I where CPUID said too little */
    MISS_BATCH_TICKS = 300000000, /* 0.1 s or so: slow where L2 is slow */
    SLICE_LAYOUTS_MIN = 3,
    DEFAULT_L1I_BYTES = 32 << 10,
    COLD_BRANCH_REGIONS = 8,
    BRANCH_WARM_TRIPS = 4,   /* more: predictors learn taken branches over several passes */
    STATE_BLOCK_BYTES = 256, /* a few copies of code that takes tens of cycles */
    STREAM_LAYOUTS = 6,
    CONTENDED_LAYOUTS = 9,
    MICRO_BITS = 44, /* of a sample; the canary has the rest */
};

/*
 * Everything that is no matter of code size.  Single executions need more layouts, because each is
 * read in whole steps of the clock; streaming takes a second for ten.
 */
static void plan_state(uint32_t more, bool thorough, struct altpick_plan *plan)
{
    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
        const struct altpick_setup *setup = altpick_setup_of(c);

        if (setup->plain_code)
            continue;
        plan->effort[c] = (struct altpick_effort){.block_bytes = STATE_BLOCK_BYTES,
                                                  .layouts = (setup->shot ? 108 : 18) * more,
                                                  .rounds = 3,
                                                  .warm_trips = setup->shot ? 0 : 3};
    }
    /* Shown and never ranked, and another CPU has to be woken for each sample. */
    plan->effort[ALTPICK_CONTENDED].layouts = CONTENDED_LAYOUTS * more;
    plan->effort[ALTPICK_CONTENDED].rounds = 2;
    plan->effort[ALTPICK_STREAMED].layouts = thorough ? STREAM_LAYOUTS : 0;
    plan->effort[ALTPICK_STREAMED].rounds = 1;
    if (!thorough)
        plan->effort[ALTPICK_STREAMED].block_bytes = 0;
}

void altpick_plan_init(const struct altpick_cpu *cpu, bool thorough, struct altpick_plan *ret_plan)
{
    uint32_t l1i = cpu->l1i_bytes ? cpu->l1i_bytes : DEFAULT_L1I_BYTES;
    uint32_t decode = l1i / 4 * 3 < DECODE_BLOCK_BYTES ? l1i / 4 * 3 : DECODE_BLOCK_BYTES;
    uint32_t more = thorough ? 4 : 1;

    *ret_plan = (struct altpick_plan){.batches = thorough ? 12 : 3,
                                      .extra_batches = 4,
                                      .region_quanta = 100,
                                      .region_ticks = 1500,
                                      .patience_ticks = 400000000 /* 0.1 to 0.2 s */};
    /* Nine groups of eight and of four layouts: each meets every offset modulo 4 alike. */
    ret_plan->effort[ALTPICK_HOT] = (struct altpick_effort){
        .block_bytes = HOT_BLOCK_BYTES, .layouts = 72 * more, .rounds = 3, .warm_trips = 6};
    ret_plan->effort[ALTPICK_LEGACY_DECODE] = (struct altpick_effort){.block_bytes = decode,
                                                                      .layouts = 36 * more,
                                                                      .rounds = 3,
                                                                      .warm_trips = 3,
                                                                      .retry_bytes = l1i / 4 * 3};
    ret_plan->effort[ALTPICK_L1I_MISS] =
        (struct altpick_effort){.block_bytes = l1i + MISS_BLOCK_BYTES,
                                .layouts = 27 * more,
                                .rounds = 3,
                                .warm_trips = 2,
                                .batch_ticks = MISS_BATCH_TICKS,
                                .retry_bytes = 2 * l1i + MISS_BLOCK_BYTES};
    plan_state(more, thorough, ret_plan);
}

/* Layouts of @condition that are done when batch @batch ends. */
static uint32_t layouts_until(const struct altpick_plan *plan, unsigned condition, uint32_t batch)
{
    return plan->effort[condition].layouts * (batch + 1) / plan->batches;
}

static uint32_t samples_per_candidate(const struct altpick_plan *plan, uint32_t *ret_at)
{
    uint32_t total = 0;

    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
        if (ret_at)
            ret_at[c] = total;
        if (plan->effort[c].block_bytes)
            total += layouts_until(plan, c, plan->batches + plan->extra_batches - 1) *
                     plan->effort[c].rounds;
    }
    return total;
}

size_t altpick_session_bytes(const struct altpick_plan *plan, size_t n_candidates)
{
    return sizeof(struct altpick_session) +
           n_candidates * samples_per_candidate(plan, NULL) * sizeof(uint64_t);
}

void altpick_session_init(struct altpick_session *session, const struct altpick_plan *plan,
                          const struct altpick_candidate *candidates, size_t n_candidates,
                          uint32_t seed)
{
    session->plan = *plan;
    session->n_candidates = (uint32_t) n_candidates;
    for (size_t i = 0; i < n_candidates; i++) {
        session->candidates[i] = candidates[i];
        session->state[i] = candidates[i].code_bytes ? ALTPICK_CELL_ACTIVE : ALTPICK_CELL_WAITING;
    }
    session->patience_ticks = plan->patience_ticks;
    session->random = altpick_random_seed(seed);
    session->first_offset_bytes = altpick_random(&session->random) % OFFSETS;
    session->running = NO_CANDIDATE;
    session->looks_until_ticks = UINT64_MAX;
    session->samples_per_candidate = samples_per_candidate(plan, session->samples_at);
}

uint32_t altpick_session_block_bytes(const struct altpick_session *session, unsigned condition)
{
    return altpick_setup_of(condition)->plain_code ? session->plan.effort[condition].block_bytes
                                                   : 0;
}

uint64_t *altpick_session_layout(struct altpick_session *session, size_t candidate,
                                 unsigned condition, size_t layout)
{
    return session->samples + candidate * session->samples_per_candidate +
           session->samples_at[condition] + layout * session->plan.effort[condition].rounds;
}

/* What one step works with: the current condition and the blocks placed for it. */
struct step {
    struct altpick_session *session;
    const struct altpick_timer *timer;
    uint64_t deadline_ticks;
    struct altpick_effort effort;
    struct altpick_reference reference;
    struct altpick_block block[ALTPICK_CANDIDATES_MAX];
    uint32_t trips[ALTPICK_CANDIDATES_MAX]; /* between the two timed runs */
    uint32_t active[ALTPICK_CANDIDATES_MAX];
    uint32_t n_active;
};

uint64_t altpick_sample_micro(uint64_t sample)
{
    return sample & ((UINT64_C(1) << MICRO_BITS) - 1);
}

uint64_t altpick_sample_canary_micro(uint64_t sample)
{
    return sample >> MICRO_BITS;
}

bool altpick_session_is_quiet(const struct altpick_session *session, uint64_t sample)
{
    return !altpick_reference_is_slow(session, altpick_sample_canary_micro(sample));
}

/* 0 where the readings gave no cost, whatever the canary says. */
static uint64_t pack_sample(uint64_t micro, uint64_t canary_micro)
{
    uint64_t most = (UINT64_C(1) << (64 - MICRO_BITS)) - 1;

    if (micro == 0 || micro >> MICRO_BITS)
        return 0;
    return micro | (canary_micro < most ? canary_micro : most) << MICRO_BITS;
}

/* The canary beside the sample after @sample is also the one that follows it: the slower counts. */
static void mark_sample(uint64_t *sample, uint64_t canary_micro)
{
    if (sample && *sample && canary_micro > altpick_sample_canary_micro(*sample))
        *sample = pack_sample(altpick_sample_micro(*sample), canary_micro);
}

static uint32_t warm_trips(const struct step *step, const struct altpick_block *block)
{
    return step->effort.warm_trips + (block->candidate->branches ? BRANCH_WARM_TRIPS : 0);
}

/*
 * One sample: the ruler and the canary, again while a sibling is busy and there is patience left,
 * then the warmed block.  The ruler comes before the warm-up, because some cores need several
 * passes until a large block is served by the uop cache again after anything else ran (Zen 4).
 */
static int take_sample(const struct step *step, uint32_t i, uint64_t *previous,
                       uint64_t *ret_sample)
{
    const struct altpick_setup *setup = altpick_setup_of(step->session->condition);
    uint64_t chain_ticks = 0, first_micro = 0, canary_micro = 0, micro = 0;
    int r = altpick_reference_wait(&step->reference, &first_micro, &chain_ticks, &canary_micro);

    mark_sample(previous, first_micro);
    if (r == 0 && setup->shot)
        r = altpick_reference_shot(&step->reference, &step->block[i],
                                   !setup->flush_code && !setup->flush_data && !setup->streams,
                                   chain_ticks, &micro);
    else if (r == 0)
        r = altpick_reference_time(&step->reference, &step->block[i],
                                   warm_trips(step, &step->block[i]), step->trips[i], chain_ticks,
                                   &micro);
    if (r == 0)
        *ret_sample = pack_sample(micro, canary_micro);
    return r;
}

/* One where something else follows each, or where it runs but once. */
static uint32_t copies_of(const struct step *step, const struct altpick_candidate *candidate)
{
    const struct altpick_setup *setup = altpick_setup_of(step->session->condition);
    uint32_t copies = step->effort.block_bytes / candidate->code_bytes;

    return setup->shot || setup->work != ALTPICK_WORK_NONE || copies == 0 ? 1 : copies;
}

/* Sets out_of_time when it is. */
static bool is_late(const struct step *step)
{
    if (step->timer->now(step->timer->ctx) > step->deadline_ticks)
        step->session->out_of_time = 1;
    return step->session->out_of_time;
}

/* New pages and a new offset for every active candidate in [@first, @last). */
static int place_candidates(struct step *step, uint32_t layout, uint32_t first, uint32_t last)
{
    struct altpick_session *session = step->session;
    const struct altpick_timer *timer = step->timer;
    uint32_t order[ALTPICK_CANDIDATES_MAX];
    uint32_t n_slots = timer->n_slots[session->condition];
    uint32_t base = altpick_random(&session->random) % n_slots;

    altpick_random_order(&session->random, order, last - first);
    for (uint32_t i = first; i < last && !is_late(step); i++) {
        const struct altpick_candidate *candidate = &session->candidates[step->active[i]];
        struct altpick_block *block = &step->block[i];
        int r;

        *block = (struct altpick_block){
            .kind = ALTPICK_BLOCK_FILL,
            .condition = (enum altpick_condition) session->condition,
            .candidate = candidate,
            .slot = (base + order[i - first]) % n_slots,
            .offset_bytes = (session->first_offset_bytes + OFFSET_STEP * layout) % OFFSETS,
            .copies = copies_of(step, candidate),
        };
        r = timer->place(timer->ctx, block);
        if (r < 0)
            return r;
    }
    return timer->sync(timer->ctx);
}

/*
 * Ticks that a timed region of @block lasts at least.  Where every run starts cold, the predictor
 * learns the branches anew in each, and differently: what is timed must be long against that.
 */
static uint64_t region_of(const struct step *step, const struct altpick_block *block)
{
    uint64_t region = altpick_reference_region_ticks(&step->reference);

    return step->timer->starts_cold && block->candidate->branches ? COLD_BRANCH_REGIONS * region
                                                                  : region;
}

/* Run each placed block until it is warm and find how many trips a sample of it needs. */
static int warm_candidates(struct step *step, uint32_t first, uint32_t last)
{
    struct altpick_session *session = step->session;
    const struct altpick_timer *timer = step->timer;
    uint64_t ticks = 0;
    int r = ALTPICK_OK;

    for (uint32_t i = first; i < last && r == 0 && !is_late(step); i++) {
        uint32_t *trips = &session->trips[step->active[i]];
        uint64_t region = region_of(step, &step->block[i]);

        session->running = step->active[i];
        r = timer->time(timer->ctx, &step->block[i], warm_trips(step, &step->block[i]), &ticks);
        if (r == 0 && *trips)
            r = timer->time(timer->ctx, &step->block[i], *trips, &ticks);
        /* What the last layout needed will do, unless this one is of another kind. */
        if (r == 0 && (*trips == 0 || ticks < region / 2 || ticks > region * 2))
            r = altpick_reference_find_trips(&step->reference, &step->block[i], region,
                                             ALTPICK_TRIPS_MAX, trips);
        step->trips[i] = *trips;
    }
    session->running = NO_CANDIDATE;
    return r;
}

/* One sample of every placed candidate, in a fresh order. */
static int measure_round(struct step *step, uint32_t layout, uint32_t round, uint32_t first,
                         uint32_t last)
{
    struct altpick_session *session = step->session;
    uint32_t order[ALTPICK_CANDIDATES_MAX];
    uint64_t *previous = NULL;
    int r = ALTPICK_OK;

    altpick_random_order(&session->random, order, last - first);
    for (uint32_t k = 0; k < last - first && r == 0; k++) {
        uint32_t i = first + order[k];
        uint64_t *sample =
            altpick_session_layout(session, step->active[i], session->condition, layout);

        if (is_late(step))
            break;
        session->running = step->active[i];
        r = take_sample(step, i, previous, &sample[round]);
        previous = &sample[round];
        if (altpick_session_is_quiet(session, *previous))
            session->samples_quiet++;
        else
            session->samples_busy++;
    }
    session->running = NO_CANDIDATE;
    return r;
}

/* As many candidates at a time as there are slots: one group on a host, several in a small arena.
 */
static int measure_layout(struct step *step, uint32_t layout)
{
    uint32_t n_slots = step->timer->n_slots[step->session->condition];
    int r = ALTPICK_OK;

    for (uint32_t first = 0; first < step->n_active && r == 0; first += n_slots) {
        uint32_t left = step->n_active - first;
        uint32_t last = first + (left < n_slots ? left : n_slots);

        r = place_candidates(step, layout, first, last);
        if (step->session->out_of_time)
            return r;
        if (r == 0 && !altpick_setup_of(step->session->condition)->shot)
            r = warm_candidates(step, first, last);
        for (uint32_t round = 0;
             round < step->effort.rounds && r == 0 && !step->session->out_of_time; round++)
            r = measure_round(step, layout, round, first, last);
        if (step->session->out_of_time)
            return r;
    }
    return r;
}

/* Whether this batch has spent its time on the current condition. */
static bool slice_is_over(const struct altpick_session *session, uint64_t now_ticks)
{
    uint64_t limit = session->plan.effort[session->condition].batch_ticks;

    return limit && session->slice_layouts >= SLICE_LAYOUTS_MIN &&
           now_ticks - session->slice_start_ticks > limit;
}

/* Move on to the next condition that has layouts left in this batch, or to the next batch. */
static void advance(struct altpick_session *session, uint64_t now_ticks, bool *ret_batch_done)
{
    *ret_batch_done = false;
    for (unsigned step = 0; step < ALTPICK_N_CONDITIONS; step++) {
        unsigned c = session->condition;

        if (session->plan.effort[c].block_bytes && !(session->stopped >> c & 1) &&
            !(session->lacking >> c & 1) &&
            session->layouts_done[c] < layouts_until(&session->plan, c, session->batch) &&
            !slice_is_over(session, now_ticks))
            return;
        session->slice_layouts = 0;
        session->condition = (c + 1) % ALTPICK_N_CONDITIONS;
        altpick_zero(session->trips, sizeof session->trips);
        if (session->condition == 0) {
            session->batch++;
            *ret_batch_done = true;
            return;
        }
    }
}

static bool is_done(const struct altpick_session *session)
{
    return session->batch >= session->plan.batches + session->plan.extra_batches;
}

int altpick_session_step(struct altpick_session *session, const struct altpick_timer *timer,
                         uint64_t deadline_ticks, bool *ret_batch_done, bool *ret_done)
{
    struct step step = {
        .session = session,
        .timer = timer,
        .deadline_ticks = deadline_ticks,
        .reference = {.session = session, .timer = timer, .deadline_ticks = deadline_ticks}
    };
    int r;

    *ret_batch_done = false;
    *ret_done = is_done(session);
    if (*ret_done)
        return ALTPICK_OK;

    for (uint32_t i = 0; i < session->n_candidates; i++) {
        if (session->state[i] == ALTPICK_CELL_ACTIVE)
            step.active[step.n_active++] = i;
    }
    step.effort = session->plan.effort[session->condition];
    if (step.effort.block_bytes && step.effort.layouts &&
        !((session->stopped | session->lacking) >> session->condition & 1)) {
        if (session->slice_layouts++ == 0)
            session->slice_start_ticks = timer->now(timer->ctx);
        r = altpick_reference_place(&step.reference);
        if (r == 0 && !session->out_of_time)
            r = measure_layout(&step, session->layouts_done[session->condition]);
        if (r < 0)
            return r;
        session->layouts_done[session->condition]++;
    }
    advance(session, timer->now(timer->ctx), ret_batch_done);
    *ret_done = is_done(session) || session->out_of_time;
    return ALTPICK_OK;
}
