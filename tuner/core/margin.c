/* SPDX-License-Identifier: MIT */
/* Turns weighted sums into a winner: who beats the preferred form by more than the margin. */
#include "margin.h"

/* (b - a) / base in millionths; costs are below 2^50, so the product stays within 64 bits by
 * scaling. */
static int64_t ratio_ppm(uint64_t a, uint64_t b, uint64_t base)
{
    uint64_t difference = b > a ? b - a : a - b;

    while (difference >> 43) {
        difference >>= 1;
        base >>= 1;
    }
    int64_t ppm = base ? (int64_t) (difference * 1000000 / base) : 0;
    return b >= a ? ppm : -ppm;
}

void altpick_gain(const struct altpick_cost *a, const struct altpick_cost *b, int64_t *ret_gain_ppm,
                  int64_t *ret_low_ppm, int64_t *ret_high_ppm)
{
    *ret_gain_ppm = ratio_ppm(a->cycles_micro, b->cycles_micro, b->cycles_micro);
    *ret_low_ppm = ratio_ppm(a->high_micro, b->low_micro, b->low_micro);
    *ret_high_ppm = ratio_ppm(a->low_micro, b->high_micro, b->high_micro);
}

static bool is_measured(const struct altpick_entry *entry)
{
    return entry->sum.status == ALTPICK_STATUS_MEASURED;
}

/* The gain that @rival must exceed with its whole interval. */
static int64_t clear_ppm(const struct altpick_contest *contest, const struct altpick_entry *rival)
{
    return ((int64_t) contest->clear_permille + rival->handicap_permille) * 1000;
}

/*
 * The gain below which @rival is equal with its whole interval.  After few batches this is less
 * than what would be clear, and what lies between is undecided.
 */
static int64_t tie_ppm(const struct altpick_contest *contest, const struct altpick_entry *rival)
{
    return ((int64_t) contest->margin_permille + rival->handicap_permille) * 1000;
}

bool altpick_contest_beats(const struct altpick_contest *contest, const struct altpick_entry *a,
                           const struct altpick_entry *b)
{
    int64_t gain, low, high, clear = clear_ppm(contest, a);
    bool separated = false, each = true;

    if (!is_measured(a) || !is_measured(b))
        return false;
    altpick_gain(&a->sum, &b->sum, &gain, &low, &high);
    if (low <= clear)
        return false;
    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
        if (!altpick_contest_counts(contest, c))
            continue;
        altpick_gain(&a->cost[c], &b->cost[c], &gain, &low, &high);
        separated = separated || low > 0;
        each = each && low > clear;
    }
    return separated && (each || !a->must_win_each);
}

/*
 * The winner among those that clearly beat the preferred form: of the cheapest and those within the
 * margin of it, the most preferred.
 */
static int clear_winner(const struct altpick_contest *contest, int preferred)
{
    const struct altpick_entry *entries = contest->entries;
    int best = ALTPICK_NO_ENTRY, winner;

    for (size_t i = 0; i < contest->n_entries; i++) {
        if (!entries[i].out && altpick_contest_beats(contest, &entries[i], &entries[preferred]) &&
            (best < 0 || entries[i].sum.cycles_micro < entries[best].sum.cycles_micro))
            best = (int) i;
    }
    winner = best;
    for (size_t i = 0; best >= 0 && i < contest->n_entries; i++) {
        int64_t gain, low, high;

        if (entries[i].out || entries[i].rank >= entries[winner].rank ||
            !altpick_contest_beats(contest, &entries[i], &entries[preferred]))
            continue;
        altpick_gain(&entries[best].sum, &entries[i].sum, &gain, &low, &high);
        if (gain <= (int64_t) contest->margin_permille * 1000)
            winner = (int) i;
    }
    return winner;
}

static void set_gain(struct altpick_decision *decision, int over)
{
    const struct altpick_entry *entries = decision->contest.entries;
    struct altpick_trace *trace;
    int a = decision->displaced ? decision->winner : decision->rival;

    altpick_gain(&entries[a].sum, &entries[over].sum, &decision->gain_ppm, &decision->gain_low_ppm,
                 &decision->gain_high_ppm);
    trace = altpick_contest_note(
        &decision->contest, "margin",
        decision->displaced ? "beats the preferred form" : "closest to replacing it", a);
    if (trace) {
        trace->other = over;
        trace->has_gain = true;
        trace->gain_ppm = decision->gain_ppm;
        trace->low_ppm = decision->gain_low_ppm;
        trace->high_ppm = decision->gain_high_ppm;
    }
}

/*
 * The gain that a rival must show to replace the preferred form: on the sum, or, where it must win
 * in each condition, in the condition where it does worst.
 */
static void rival_gain(const struct altpick_contest *contest, const struct altpick_entry *rival,
                       const struct altpick_entry *kept, int64_t *ret_low, int64_t *ret_high)
{
    int64_t gain, low, high;

    altpick_gain(&rival->sum, &kept->sum, &gain, ret_low, ret_high);
    for (unsigned c = 0; rival->must_win_each && c < ALTPICK_N_CONDITIONS; c++) {
        if (!altpick_contest_counts(contest, c))
            continue;
        altpick_gain(&rival->cost[c], &kept->cost[c], &gain, &low, &high);
        *ret_low = low < *ret_low ? low : *ret_low;
        *ret_high = high < *ret_high ? high : *ret_high;
    }
}

/* Nothing beats the preferred form: how sure is that?  The rival that comes closest tells. */
static void judge_kept(struct altpick_decision *decision)
{
    struct altpick_contest *contest = &decision->contest;
    int64_t low, high, distance = 0, lead = 0;

    for (size_t i = 0; i < contest->n_entries; i++) {
        const struct altpick_entry *rival = &contest->entries[i];

        if (rival->out || (int) i == decision->preferred || !is_measured(rival))
            continue;
        rival_gain(contest, rival, &contest->entries[decision->preferred], &low, &high);
        if (decision->rival == ALTPICK_NO_ENTRY || high > lead)
            lead = high;
        if (decision->rival == ALTPICK_NO_ENTRY || tie_ppm(contest, rival) - high < distance) {
            distance = tie_ppm(contest, rival) - high;
            decision->rival = (int) i;
        }
    }
    if (decision->rival == ALTPICK_NO_ENTRY) {
        decision->verdict = ALTPICK_VERDICT_UNMEASURED;
        altpick_contest_note(contest, "margin", "nothing else has a figure", decision->preferred);
        return;
    }
    decision->distance_ppm = distance;
    if (distance < 0)
        decision->verdict = ALTPICK_VERDICT_UNDECIDED;
    else
        decision->verdict = lead < -(int64_t) contest->clear_permille * 1000 ? ALTPICK_VERDICT_CLEAR
                                                                             : ALTPICK_VERDICT_TIE;
    set_gain(decision, decision->preferred);
}

/* Whether something that only its cost elsewhere keeps out would have won here. */
static bool veto_decided(const struct altpick_contest *contest, int kept)
{
    for (size_t i = 0; i < contest->n_entries; i++) {
        if (contest->entries[i].vetoed &&
            altpick_contest_beats(contest, &contest->entries[i], &contest->entries[kept]))
            return true;
    }
    return false;
}

void altpick_margin_decide(struct altpick_decision *decision)
{
    struct altpick_contest *contest = &decision->contest;
    int winner;

    decision->winner = decision->preferred;
    if (!is_measured(&contest->entries[decision->preferred])) {
        decision->verdict = ALTPICK_VERDICT_UNMEASURED;
        altpick_contest_note(contest, "margin", "the preferred form has no figure and is kept",
                             decision->preferred);
        return;
    }
    winner = clear_winner(contest, decision->preferred);
    if (winner != ALTPICK_NO_ENTRY) {
        decision->winner = winner;
        decision->displaced = true;
        decision->verdict = ALTPICK_VERDICT_CLEAR;
        set_gain(decision, decision->preferred);
        decision->distance_ppm =
            decision->gain_low_ppm - clear_ppm(contest, &contest->entries[winner]);
        return;
    }
    judge_kept(decision);
    if (veto_decided(contest, decision->preferred)) {
        decision->verdict = ALTPICK_VERDICT_VETOED;
        altpick_contest_note(contest, "veto", "something vetoed is faster here",
                             decision->preferred);
    }
}
