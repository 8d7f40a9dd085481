/* SPDX-License-Identifier: MIT */
/* One contest through the rules: filters, then the margin.  Each rule leaves a trace for `why`. */
#include "altpick/decide.h"
#include "bytes.h"
#include "margin.h"
#include "pin.h"

struct altpick_trace *altpick_contest_note(struct altpick_contest *contest, const char *rule,
                                           const char *text, int entry)
{
    struct altpick_trace *trace;

    if (contest->n_trace == ALTPICK_TRACE_MAX)
        return NULL;
    trace = &contest->trace[contest->n_trace++];
    *trace = (struct altpick_trace){
        .rule = rule, .text = text, .entry = entry, .other = ALTPICK_NO_ENTRY};
    return trace;
}

static void exclude(struct altpick_contest *contest, const char *rule, const char *why, int entry)
{
    contest->entries[entry].out = why;
    altpick_contest_note(contest, rule, why, entry);
}

void altpick_contest_init(struct altpick_contest *ret_contest,
                          const struct altpick_question *question, const char *index_name,
                          const struct altpick_result *result, const struct altpick_policy *policy)
{
    altpick_zero(ret_contest, offsetof(struct altpick_contest, entries));
    altpick_append(ret_contest->question, sizeof ret_contest->question, question->name);
    altpick_append(ret_contest->item, sizeof ret_contest->item, question->name);
    altpick_append(ret_contest->item, sizeof ret_contest->item, ".");
    altpick_append(ret_contest->item, sizeof ret_contest->item, index_name);
    ret_contest->given = ret_contest->fixed = ALTPICK_NO_ENTRY;
    ret_contest->margin_permille = policy->tie_margin_permille;
    if (question->margin_permille > policy->tie_margin_permille)
        ret_contest->margin_permille = question->margin_permille;
    ret_contest->clear_permille = ret_contest->margin_permille;
    if (result->batches < 3 && !altpick_result_is_published(result) &&
        ret_contest->clear_permille < ALTPICK_ONE_BATCH_MARGIN_PERMILLE)
        ret_contest->clear_permille = ALTPICK_ONE_BATCH_MARGIN_PERMILLE;
    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
        if (result->condition[c].asked)
            ret_contest->weight[c] = altpick_policy_weight(policy, question, c);
    }
}

void altpick_contest_like(struct altpick_contest *ret_contest, const struct altpick_contest *like)
{
    altpick_copy_bytes(ret_contest, like, offsetof(struct altpick_contest, entries));
    ret_contest->n_entries = ret_contest->n_trace = 0;
}

struct altpick_entry *altpick_contest_add(struct altpick_contest *contest, const char *name,
                                          const struct altpick_measurement *measurement)
{
    /* A profile may hold more candidates of a length than a contest takes; the last slot is reused.
     */
    size_t at =
        contest->n_entries < ALTPICK_ENTRIES_MAX ? contest->n_entries++ : ALTPICK_ENTRIES_MAX - 1;
    struct altpick_entry *entry = &contest->entries[at];

    *entry = (struct altpick_entry){.measurement = measurement, .rank = (uint32_t) at};
    altpick_append(entry->name, sizeof entry->name, name);
    if (measurement) {
        altpick_copy_bytes(entry->cost, measurement->cost, sizeof entry->cost);
        altpick_copy_bytes(entry->guarantee, measurement->guarantee, sizeof entry->guarantee);
    }
    return entry;
}

static bool holds(const struct altpick_entry *entry, unsigned guarantee)
{
    unsigned state = entry->guarantee[guarantee];

    return state == ALTPICK_GUARANTEE_IS_DECLARED || state == ALTPICK_GUARANTEE_IS_CHECKED;
}

/* What the question itself keeps out says why, too. */
static void rule_question(struct altpick_contest *contest, const struct altpick_policy *policy)
{
    (void) policy;
    for (size_t i = 0; i < contest->n_entries; i++) {
        if (contest->entries[i].out)
            altpick_contest_note(contest, "question", contest->entries[i].out, (int) i);
    }
}

/* Guarantees filter first: what the question requires, and what the policy adds. */
static void rule_required(struct altpick_contest *contest, const struct altpick_policy *policy)
{
    uint64_t required = contest->requires;

    for (size_t k = 0; k < policy->n_requires; k++) {
        uint64_t guarantee = UINT64_C(1) << policy->requires[k].guarantee;
        bool whole = altpick_equal(policy->requires[k].question, contest->question);

        if (altpick_equal(policy->requires[k].question, contest->item) ||
            (whole && !(contest->exempt & guarantee)))
            required |= guarantee;
    }
    for (size_t i = 0; i < contest->n_entries; i++) {
        struct altpick_entry *entry = &contest->entries[i];

        if (!entry->measurement && !entry->promises)
            continue;
        /* A pin brings back what is out for its figures, but not this. */
        for (unsigned g = 0; g < ALTPICK_N_GUARANTEES && (!entry->out || entry->weak); g++) {
            if (required >> g & 1 && !holds(entry, g)) {
                entry->weak = false;
                exclude(contest, "required", altpick_guarantee_lacks(g), (int) i);
            }
        }
    }
}

/* What running @measurement's code showed, or its CPU lacks; NULL: nothing is wrong. */
static const char *why_unavailable(const struct altpick_contest *contest,
                                   const struct altpick_measurement *measurement)
{
    switch (measurement->status) {
    case ALTPICK_STATUS_FAULTED:
        return "faulted when it was run";
    case ALTPICK_STATUS_TIMED_OUT:
        return "did not end when it was run";
    case ALTPICK_STATUS_UNSUPPORTED:
        if (contest->needs_nothing)
            return NULL;
        return measurement->candidate.ring0 ? "needs ring 0" : "needs what this CPU lacks";
    case ALTPICK_STATUS_UNMEASURED:
        return measurement->reason[0] ? "must not be used here, for what a check found" : NULL;
    default:
        return NULL;
    }
}

/* What ran and went wrong is out; a contradicted guarantee disqualifies whatever the policy says.
 */
static void rule_available(struct altpick_contest *contest, const struct altpick_policy *policy)
{
    (void) policy;
    for (size_t i = 0; i < contest->n_entries; i++) {
        struct altpick_entry *entry = &contest->entries[i];
        const char *why;

        if ((entry->out && !entry->weak) || (!entry->measurement && !entry->promises))
            continue;
        why = entry->measurement ? why_unavailable(contest, entry->measurement) : NULL;
        for (unsigned g = 0; g < ALTPICK_N_GUARANTEES && !why; g++) {
            if (entry->guarantee[g] == ALTPICK_GUARANTEE_IS_CONTRADICTED &&
                !(contest->forgives >> g & 1))
                why = "breaks a guarantee that it declares";
        }
        if (!why)
            continue;
        entry->weak = false; /* a pin does not bring this back */
        exclude(contest, "available", why, (int) i);
    }
}

/* A local measurement may not poison others. */
static void rule_elsewhere(struct altpick_contest *contest, const struct altpick_policy *policy)
{
    if (policy->target != ALTPICK_TARGET_ANY_X86_64)
        return;
    for (size_t i = 0; i < contest->n_entries; i++) {
        struct altpick_entry *entry = &contest->entries[i];

        if (entry->out || entry->elsewhere == ALTPICK_ELSEWHERE_FINE)
            continue;
        entry->vetoed = true;
        exclude(contest, "veto",
                entry->elsewhere == ALTPICK_ELSEWHERE_TOXIC
                    ? "costs far more than its bytes need on a published CPU"
                    : "nothing is published about it on other CPUs",
                (int) i);
    }
}

static bool has_cost(const struct altpick_entry *entry, unsigned condition)
{
    return altpick_cost_is_known(&entry->cost[condition]);
}

/* A condition that no eligible candidate has a figure for drops from the sum, and is named. */
static void drop_conditions(struct altpick_contest *contest)
{
    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
        bool known = false;

        if (contest->weight[c] == 0)
            continue;
        for (size_t i = 0; i < contest->n_entries; i++)
            known = known || (!contest->entries[i].out && has_cost(&contest->entries[i], c));
        contest->dropped[c] = !known;
        if (!known)
            altpick_contest_note(contest, "dropped", altpick_condition_name(c), ALTPICK_NO_ENTRY);
    }
}

bool altpick_contest_counts(const struct altpick_contest *contest, unsigned condition)
{
    return contest->weight[condition] > 0 && !contest->dropped[condition];
}

/* Weighted mean over the conditions that count; unmeasured where one of them is missing. */
static void sum_entry(const struct altpick_contest *contest, struct altpick_entry *entry)
{
    struct altpick_cost sum = {.status = ALTPICK_STATUS_MEASURED, .count = UINT32_MAX};
    uint64_t weights = 0;

    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
        const struct altpick_cost *cost = &entry->cost[c];

        if (!altpick_contest_counts(contest, c))
            continue;
        if (!has_cost(entry, c)) {
            entry->sum = (struct altpick_cost){.status = ALTPICK_STATUS_UNMEASURED};
            return;
        }
        weights += contest->weight[c];
        sum.cycles_micro += contest->weight[c] * cost->cycles_micro;
        sum.low_micro += contest->weight[c] * cost->low_micro;
        sum.high_micro += contest->weight[c] * cost->high_micro;
        sum.count = cost->count < sum.count ? cost->count : sum.count;
    }
    if (weights == 0) {
        entry->sum = (struct altpick_cost){.status = ALTPICK_STATUS_UNMEASURED};
        return;
    }
    sum.cycles_micro /= weights;
    sum.low_micro /= weights;
    sum.high_micro /= weights;
    entry->sum = sum;
}

void altpick_contest_sum(struct altpick_contest *contest)
{
    drop_conditions(contest);
    for (size_t i = 0; i < contest->n_entries; i++)
        sum_entry(contest, &contest->entries[i]);
}

static void rule_sum(struct altpick_contest *contest, const struct altpick_policy *policy)
{
    (void) policy;
    if (contest->given == ALTPICK_NO_ENTRY)
        altpick_contest_sum(contest);
}

static int preferred_entry(const struct altpick_contest *contest)
{
    int best = ALTPICK_NO_ENTRY;

    for (size_t i = 0; i < contest->n_entries; i++) {
        if (!contest->entries[i].out &&
            (best < 0 || contest->entries[i].rank < contest->entries[best].rank))
            best = (int) i;
    }
    return best;
}

static size_t count_eligible(const struct altpick_contest *contest)
{
    size_t n = 0;

    for (size_t i = 0; i < contest->n_entries; i++)
        n += contest->entries[i].out == NULL;
    return n;
}

static const struct {
    void (*apply)(struct altpick_contest *contest, const struct altpick_policy *policy);
} rules[] = {{rule_question}, {rule_required}, {rule_available}, {rule_elsewhere}, {rule_sum}};

void altpick_contest_run(struct altpick_contest *contest, const struct altpick_policy *policy,
                         struct altpick_decision *ret_decision)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        rules[i].apply(contest, policy);

    if (contest != &ret_decision->contest)
        ret_decision->contest = *contest;
    contest = &ret_decision->contest;
    ret_decision->winner = ret_decision->rival = ALTPICK_NO_ENTRY;
    ret_decision->verdict = ALTPICK_VERDICT_UNMEASURED;
    ret_decision->displaced = false;
    ret_decision->gain_ppm = ret_decision->gain_low_ppm = ret_decision->gain_high_ppm = 0;
    ret_decision->distance_ppm = ALTPICK_DISTANCE_FAR;
    ret_decision->preferred = preferred_entry(contest);

    if (altpick_pin_apply(ret_decision, policy))
        return;
    if (contest->given != ALTPICK_NO_ENTRY) {
        ret_decision->winner = contest->given;
        ret_decision->verdict = contest->given_verdict;
        ret_decision->distance_ppm = contest->given_distance_ppm;
        altpick_contest_note(contest, "follows", contest->given_text, contest->given);
    } else if (count_eligible(contest) == 1) {
        ret_decision->winner = ret_decision->preferred;
        ret_decision->verdict = ALTPICK_VERDICT_ONLY_ELIGIBLE;
        altpick_contest_note(contest, "eligible", "nothing else passed the filters",
                             ret_decision->preferred);
    } else if (ret_decision->preferred != ALTPICK_NO_ENTRY) {
        altpick_margin_decide(ret_decision);
    }
}
