/* SPDX-License-Identifier: MIT */
/* When to stop measuring what: unreachable conditions, settled candidates. */
#include "altpick/stop.h"

#include "altpick/cost.h"
#include "altpick/estimate.h"

enum {
    SETTLED_GAIN_PPM = 333333,
    JUDGED_LAYOUTS = 4,       /* a condition that went on so far is reached, whatever comes later */
    OPEN_DISTANCE_PPM = 3000, /* nearer to its margin a decision is measured on */
    EXTRA_MS = 560,
};

/* Cost in @condition against @before, median over candidates, in percent; 0 unknown. */
static uint32_t reached_percent(struct altpick_session *session, unsigned condition,
                                unsigned before)
{
    uint64_t percent[ALTPICK_CANDIDATES_MAX];
    size_t n = 0;

    for (size_t i = 0; i < session->n_candidates; i++) {
        struct altpick_cost here, there;

        altpick_cost_estimate(session, i, condition, &here);
        altpick_cost_estimate(session, i, before, &there);
        if (altpick_cost_is_known(&here) && altpick_cost_is_known(&there) && there.cycles_micro)
            percent[n++] = here.cycles_micro * 100 / there.cycles_micro;
    }
    if (n == 0)
        return 0;
    altpick_sort_u64(percent, n);
    return (uint32_t) percent[n / 2];
}

/* Begin @condition again with its larger block, if it has one that was not tried. */
static bool try_larger(struct altpick_session *session, unsigned condition)
{
    struct altpick_effort *effort = &session->plan.effort[condition];

    if (effort->retry_bytes <= effort->block_bytes)
        return false;
    effort->block_bytes = effort->retry_bytes;
    session->layouts_done[condition] = 0;
    return true;
}

uint32_t altpick_stop_unreached(struct altpick_session *session,
                                uint32_t ret_percent[ALTPICK_N_CONDITIONS])
{
    static const unsigned order[] = {ALTPICK_HOT, ALTPICK_LEGACY_DECODE, ALTPICK_L1I_MISS};
    uint32_t unreached = 0;
    unsigned before = order[0];

    for (size_t i = 1; i < sizeof order / sizeof *order; i++) {
        uint32_t percent;

        if (session->plan.effort[order[i]].block_bytes == 0 || session->layouts_done[order[i]] < 2)
            continue;
        percent = reached_percent(session, order[i], before);
        if (ret_percent)
            ret_percent[order[i]] = percent;
        bool reaches = percent == 0 || percent >= ALTPICK_REACHED_PERCENT ||
                       session->layouts_done[order[i]] > JUDGED_LAYOUTS;

        if (session->stopped >> order[i] & 1 || (!reaches && !try_larger(session, order[i])))
            unreached |= 1u << order[i];
        else if (reaches)
            before = order[i];
    }
    session->stopped |= unreached;
    return unreached;
}

/* Whether the entry for @measurement in @decision is far behind the winner. */
static bool far_behind(const struct altpick_decision *decision, const struct altpick_entry *entry)
{
    const struct altpick_entry *winner = &decision->contest.entries[decision->winner];
    int64_t gain, low, high;

    if (winner->sum.status != ALTPICK_STATUS_MEASURED ||
        entry->sum.status != ALTPICK_STATUS_MEASURED)
        return false;
    altpick_gain(&winner->sum, &entry->sum, &gain, &low, &high);
    return low > SETTLED_GAIN_PPM;
}

static bool is_settled(const struct altpick_decisions *decisions,
                       const struct altpick_measurement *measurement)
{
    bool settled = false;

    for (size_t i = 0; i < decisions->n_decisions; i++) {
        const struct altpick_decision *decision = &decisions->decision[i];

        for (size_t k = 0; k < decision->contest.n_entries; k++) {
            if (decision->contest.entries[k].measurement != measurement)
                continue;
            if (decision->winner == ALTPICK_NO_ENTRY ||
                !far_behind(decision, &decision->contest.entries[k]))
                return false;
            settled = true;
        }
    }
    return settled;
}

static void decide_here(const struct altpick_question *question,
                        const struct altpick_result *so_far, struct altpick_decisions *decisions)
{
    struct altpick_policy policy;

    altpick_policy_local(&policy);
    policy.rebuild_world = true; /* figures serve whoever asks later */
    altpick_decide(question, so_far, &policy, decisions);
}

void altpick_stop_settle(struct altpick_session *session, const struct altpick_question *question,
                         const struct altpick_result *so_far, struct altpick_decisions *scratch)
{
    decide_here(question, so_far, scratch);
    for (size_t i = 0; i < session->n_candidates; i++) {
        if (session->state[i] == ALTPICK_CELL_ACTIVE && is_settled(scratch, &so_far->candidates[i]))
            session->state[i] = ALTPICK_CELL_SETTLED;
    }
}

/* Whether @decision is undecided, or only noise could have decided it. */
static bool is_near(const struct altpick_decision *decision)
{
    return decision->distance_ppm < OPEN_DISTANCE_PPM;
}

/*
 * Whether more samples of @measurement are worth it: it is in a contest that is near its margin.
 * What no contest names stands behind computed entries, and serves all of them.
 */
static bool is_open(const struct altpick_decisions *decisions,
                    const struct altpick_measurement *measurement)
{
    bool named = false, open = false, any = false;

    for (size_t i = 0; i < decisions->n_decisions; i++) {
        const struct altpick_decision *decision = &decisions->decision[i];

        any = any || is_near(decision);
        for (size_t k = 0; k < decision->contest.n_entries; k++) {
            if (decision->contest.entries[k].measurement != measurement)
                continue;
            named = true;
            open = open || is_near(decision);
        }
    }
    return named ? open : any;
}

uint32_t altpick_stop_focus(struct altpick_session *session,
                            const struct altpick_question *question,
                            const struct altpick_result *so_far, struct altpick_decisions *scratch)
{
    uint32_t open = 0;

    decide_here(question, so_far, scratch);
    for (size_t i = 0; i < session->n_candidates; i++) {
        bool runs =
            session->state[i] == ALTPICK_CELL_ACTIVE || session->state[i] == ALTPICK_CELL_SETTLED;

        if (!runs || !session->candidates[i].code_bytes)
            continue;
        if (is_open(scratch, &so_far->candidates[i]) &&
            !is_settled(scratch, &so_far->candidates[i])) {
            session->state[i] = ALTPICK_CELL_ACTIVE;
            open++;
        } else {
            session->state[i] = ALTPICK_CELL_SETTLED;
        }
    }
    return open;
}

uint64_t altpick_stop_extra_ms(const struct altpick_question *question)
{
    return (uint64_t) EXTRA_MS * (question->layouts_percent ? question->layouts_percent : 100) /
           100;
}

void altpick_stop_wake(struct altpick_session *session, const struct altpick_question *question,
                       const struct altpick_result *so_far)
{
    if (question->refine && session->batch == 1)
        question->refine(question, so_far, session->candidates, session->n_candidates);
    for (uint32_t i = 0; i < session->n_candidates; i++) {
        if (session->state[i] == ALTPICK_CELL_WAITING && session->candidates[i].code_bytes)
            session->state[i] = ALTPICK_CELL_ACTIVE;
    }
}

/* Streaming has a layout in few batches: whoever was settled after the first had no figure. */
bool altpick_stop_between(struct altpick_session *session, const struct altpick_question *question,
                          const struct altpick_result *so_far, bool may_extend,
                          struct altpick_decisions *scratch)
{
    if (session->batch >= session->plan.batches)
        return may_extend && altpick_stop_focus(session, question, so_far, scratch) > 0;
    if (!session->plan.effort[ALTPICK_STREAMED].block_bytes)
        altpick_stop_settle(session, question, so_far, scratch);
    return true;
}
