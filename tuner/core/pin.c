/* SPDX-License-Identifier: MIT */
/* Decisions that were made before any figure: by the policy, or by code that compares bytes. */
#include "pin.h"

#include "bytes.h"

/* A pin beats every figure, but not a guarantee that is required. */
static bool may_be_pinned(const struct altpick_entry *entry)
{
    return !entry->out || entry->vetoed;
}

static int pinned_by_policy(const struct altpick_contest *contest,
                            const struct altpick_policy *policy)
{
    for (size_t k = 0; k < policy->n_pins; k++) {
        if (!altpick_equal(policy->pins[k].item, contest->item))
            continue;
        for (size_t i = 0; i < contest->n_entries; i++) {
            const struct altpick_entry *entry = &contest->entries[i];

            if (altpick_equal(entry->name, policy->pins[k].candidate) && may_be_pinned(entry))
                return (int) i;
        }
    }
    return ALTPICK_NO_ENTRY;
}

/* The cheapest entry besides @pinned that may win, or that only the veto keeps from it. */
static int best_other(const struct altpick_contest *contest, int pinned, bool vetoed)
{
    int best = ALTPICK_NO_ENTRY;

    for (size_t i = 0; i < contest->n_entries; i++) {
        const struct altpick_entry *entry = &contest->entries[i];

        if ((int) i == pinned || !altpick_cost_is_known(&entry->sum) ||
            (vetoed ? !entry->vetoed : entry->out != NULL))
            continue;
        if (best == ALTPICK_NO_ENTRY ||
            entry->sum.cycles_micro < contest->entries[best].sum.cycles_micro)
            best = (int) i;
    }
    return best;
}

/* What the pin costs: the gain of the best of the others over it. */
static void note_cost(struct altpick_decision *decision)
{
    struct altpick_contest *contest = &decision->contest;
    const char *text = "what the pin costs";
    struct altpick_trace *trace;
    int pinned = decision->winner, other;

    if (!altpick_cost_is_known(&contest->entries[pinned].sum))
        return;
    other = best_other(contest, pinned, false);
    if (other == ALTPICK_NO_ENTRY) {
        other = best_other(contest, pinned, true);
        text = "what the pin costs here, were it not for the veto";
    }
    if (other == ALTPICK_NO_ENTRY)
        return;
    decision->rival = other;
    altpick_gain(&contest->entries[other].sum, &contest->entries[pinned].sum, &decision->gain_ppm,
                 &decision->gain_low_ppm, &decision->gain_high_ppm);
    if (decision->gain_high_ppm <= 0)
        text = "the pin costs nothing";
    trace = altpick_contest_note(contest, "pin", text, other);
    if (!trace)
        return;
    trace->other = pinned;
    trace->has_gain = true;
    trace->gain_ppm = decision->gain_ppm;
    trace->low_ppm = decision->gain_low_ppm;
    trace->high_ppm = decision->gain_high_ppm;
}

bool altpick_pin_apply(struct altpick_decision *decision, const struct altpick_policy *policy)
{
    struct altpick_contest *contest = &decision->contest;
    int pinned = pinned_by_policy(contest, policy);

    if (pinned != ALTPICK_NO_ENTRY)
        altpick_contest_note(contest, "pin", "named by the policy", pinned);
    else if (contest->fixed != ALTPICK_NO_ENTRY && !policy->rebuild_world &&
             may_be_pinned(&contest->entries[contest->fixed])) {
        pinned = contest->fixed;
        altpick_contest_note(contest, "pin", "other code compares these bytes", pinned);
    }
    if (pinned == ALTPICK_NO_ENTRY)
        return false;
    decision->winner = pinned;
    decision->verdict = ALTPICK_VERDICT_PINNED;
    note_cost(decision);
    return true;
}
