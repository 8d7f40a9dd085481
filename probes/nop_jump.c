/* SPDX-License-Identifier: MIT */
/* From which gap on a jump over filler is better: follows from the contests about gaps. */
#include "bytes.h"
#include "nop_fill.h"

/* Whether the jump of @gap beats what fills the gap without one, in @condition alone. */
static bool jump_wins(const struct altpick_contest *gap, unsigned condition)
{
    const struct altpick_entry *jump = NULL, *fill = NULL;
    int64_t gain, low, high;

    for (size_t i = 0; i < gap->n_entries; i++) {
        const struct altpick_entry *entry = &gap->entries[i];

        if (entry->must_win_each)
            jump = entry;
        else if (entry->rank == 0)
            fill = entry;
    }
    if (!jump || !fill || !altpick_cost_is_known(&jump->cost[condition]) ||
        !altpick_cost_is_known(&fill->cost[condition]))
        return false;
    altpick_gain(&jump->cost[condition], &fill->cost[condition], &gain, &low, &high);
    return low > (int64_t) gap->clear_permille * 1000;
}

/* For each weighted condition, the gap from which on a jump wins there: said, not decided on. */
static void note_thresholds(struct altpick_contest *contest, const struct altpick_decision *gap)
{
    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
        int from = NOP_GAPS;

        if (contest->weight[c] == 0 || gap[0].contest.dropped[c])
            continue;
        while (from > 0 && jump_wins(&gap[from - 1].contest, c))
            from--;
        altpick_contest_note(contest, "threshold", altpick_condition_name(c),
                             from == NOP_GAPS ? 0 : from + 1);
    }
}

/*
 * That no jump wins is open where the longest gap is: its jump may win in every condition yet, or
 * what it has to beat follows from an open item.
 */
static enum altpick_verdict verdict_of_never(const struct altpick_decision *longest,
                                             const struct altpick_decision *gap)
{
    if (longest->verdict == ALTPICK_VERDICT_UNDECIDED)
        return ALTPICK_VERDICT_UNDECIDED;
    if (gap->verdict == ALTPICK_VERDICT_UNDECIDED && gap->rival != ALTPICK_NO_ENTRY &&
        gap->contest.entries[gap->rival].must_win_each)
        return ALTPICK_VERDICT_UNDECIDED;
    return ALTPICK_VERDICT_TIE;
}

void altpick_nop_item_jump(struct altpick_contest *contest, const struct altpick_decision *longest,
                           const struct altpick_decision *gap)
{
    int from = 0;
    int64_t distance_ppm = ALTPICK_DISTANCE_FAR;

    altpick_contest_add(contest, "never", NULL);
    for (size_t i = 0; i < NOP_GAPS; i++) {
        char name[ALTPICK_NAME_MAX] = "";

        altpick_append_u64(name, sizeof name, altpick_nop_gaps[i]);
        altpick_contest_add(contest, name, NULL);
    }
    for (int i = NOP_GAPS - 1; i >= 0; i--) {
        const struct altpick_contest *gap_contest = &gap[i].contest;

        if (gap[i].winner == ALTPICK_NO_ENTRY || !gap_contest->entries[gap[i].winner].must_win_each)
            break;
        from = i + 1;
        if (gap[i].distance_ppm < distance_ppm)
            distance_ppm = gap[i].distance_ppm;
    }
    note_thresholds(contest, gap);
    altpick_nop_follow(
        contest, from, "follows from the gaps, where a jump must win in every condition",
        from ? ALTPICK_VERDICT_CLEAR : verdict_of_never(longest, &gap[NOP_GAPS - 1]), distance_ppm);
}
