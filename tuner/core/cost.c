/* SPDX-License-Identifier: MIT */
/* Turns samples into an estimate with an interval, in integers. */
#include "altpick/cost.h"

#include "altpick/estimate.h"

enum {
    SHARERS = 2,   /* threads of a core */
    GROUPS = 9,    /* of layouts, for the interval */
    GROUP_LOW = 1, /* 2nd and 8th of 9: hold the median with 96 % (1 - 2 * (1 + 9) / 2^9) */
    GROUP_HIGH = 7,
};

int altpick_cost_is_known(const struct altpick_cost *cost)
{
    return cost->status == ALTPICK_STATUS_MEASURED || cost->status == ALTPICK_STATUS_PUBLISHED;
}

static uint64_t sorted_mid_mean(const uint64_t *values, size_t n, uint64_t *scratch)
{
    for (size_t i = 0; i < n; i++)
        scratch[i] = values[i];
    altpick_sort_u64(scratch, n);
    return altpick_mid_mean(scratch, n);
}

void altpick_cost_from_layouts(const uint64_t *values, size_t n, uint64_t *scratch,
                               struct altpick_cost *ret_cost)
{
    uint64_t group[GROUPS];

    *ret_cost = (struct altpick_cost){.status = ALTPICK_STATUS_UNMEASURED};
    if (n < 2)
        return;

    ret_cost->status = ALTPICK_STATUS_MEASURED;
    ret_cost->count = (uint32_t) n;
    ret_cost->cycles_micro = sorted_mid_mean(values, n, scratch);
    if (n < GROUPS) {
        ret_cost->low_micro = scratch[0];
        ret_cost->high_micro = scratch[n - 1];
        return;
    }
    for (size_t g = 0; g < GROUPS; g++) {
        size_t first = g * n / GROUPS, last = (g + 1) * n / GROUPS;

        group[g] = sorted_mid_mean(values + first, last - first, scratch);
    }
    altpick_sort_u64(group, GROUPS);
    ret_cost->low_micro = group[GROUP_LOW];
    ret_cost->high_micro = group[GROUP_HIGH];
    if (ret_cost->low_micro > ret_cost->cycles_micro)
        ret_cost->low_micro = ret_cost->cycles_micro;
    if (ret_cost->high_micro < ret_cost->cycles_micro)
        ret_cost->high_micro = ret_cost->cycles_micro;
}

/* The estimate of one layout, 0 where too few of its rounds gave a sample. */
static uint64_t layout_estimate(struct altpick_session *session, size_t candidate,
                                unsigned condition, size_t layout, bool quiet_only)
{
    const uint64_t *rounds = altpick_session_layout(session, candidate, condition, layout);
    size_t n_rounds = session->plan.effort[condition].rounds, n = 0;
    uint64_t valid[ALTPICK_ROUNDS_MAX];

    for (size_t i = 0; i < n_rounds && i < ALTPICK_ROUNDS_MAX; i++) {
        if (rounds[i] && (!quiet_only || altpick_session_is_quiet(session, rounds[i])))
            valid[n++] = altpick_sample_micro(rounds[i]);
    }
    if (n == 0 || n * 2 < n_rounds)
        return 0;
    altpick_sort_u64(valid, n);
    return altpick_half_sample_mode(valid, n);
}

/* Estimates of the layouts of one cell; returns how many there are. */
static size_t layout_estimates(struct altpick_session *session, size_t candidate,
                               unsigned condition, bool quiet_only,
                               uint64_t ret_values[ALTPICK_LAYOUTS_MAX])
{
    size_t n = 0;

    for (size_t layout = 0; layout < session->layouts_done[condition] && n < ALTPICK_LAYOUTS_MAX;
         layout++) {
        uint64_t value = layout_estimate(session, candidate, condition, layout, quiet_only);

        if (value)
            ret_values[n++] = value;
    }
    return n;
}

void altpick_cost_estimate(struct altpick_session *session, size_t candidate, unsigned condition,
                           struct altpick_cost *ret_cost)
{
    uint64_t values[ALTPICK_LAYOUTS_MAX], scratch[ALTPICK_LAYOUTS_MAX];
    size_t all = layout_estimates(session, candidate, condition, false, scratch);
    size_t n = layout_estimates(session, candidate, condition, true, values);
    bool shared = n < 2 || n * 4 < all;

    /*
     * What ran beside a busy sibling would widen every interval: it is left out where a quarter of
     * the layouts was quiet.  Else everything counts; but the sibling may have had half of the
     * core, and no other candidate that had it alone may win by that.
     */
    if (shared)
        n = layout_estimates(session, candidate, condition, false, values);
    altpick_cost_from_layouts(values, n, scratch, ret_cost);
    if (shared)
        ret_cost->low_micro /= SHARERS;
    if (session->state[candidate] == ALTPICK_CELL_FAULTED)
        *ret_cost = (struct altpick_cost){.status = ALTPICK_STATUS_FAULTED};
    if (session->state[candidate] == ALTPICK_CELL_TIMED_OUT)
        *ret_cost = (struct altpick_cost){.status = ALTPICK_STATUS_TIMED_OUT};
}
