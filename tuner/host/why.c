/* SPDX-License-Identifier: MIT */
/* A decision explained from its trace: costs, rules, distance. */
#include "why.h"

#include "show.h"
#include "table.h"
#include "what_if.h"

#include <string.h>

enum { CODE_COLUMNS = 30 };

static const char *entry_name(const struct altpick_contest *contest, int index)
{
    return index == ALTPICK_NO_ENTRY ? "nothing" : contest->entries[index].name;
}

/* Parts per million as percentage points with one decimal. */
static struct altpick_figure points(int64_t ppm)
{
    struct altpick_figure figure = altpick_figure_percent(ppm);

    if (figure.text[0] == '+')
        memmove(figure.text, figure.text + 1, strlen(figure.text));
    return figure;
}

/* Nothing pinned, and nothing that is the only one eligible, has a distance. */
static bool has_distance(const struct altpick_decision *decision)
{
    return decision->distance_ppm != ALTPICK_DISTANCE_FAR;
}

/* Four cells: the gain, its interval and over what. */
static void gain_cells(struct altpick_table *table, const struct altpick_decision *decision)
{
    const char *of, *over;

    if (!altpick_show_gain(decision, &of, &over)) {
        for (int i = 0; i < 4; i++)
            altpick_table_cell(table, "-");
        return;
    }
    altpick_table_cell(table, "%s", altpick_figure_percent(decision->gain_ppm).text);
    altpick_table_cell(table, "%s", altpick_figure_percent(decision->gain_low_ppm).text);
    altpick_table_cell(table, "%s", altpick_figure_percent(decision->gain_high_ppm).text);
    altpick_table_cell(table, "%s", of);
}

void altpick_why_question(const struct altpick_decisions *decisions, struct altpick_out *out)
{
    static const char *const heads[] = {"item", "winner", "verdict", "gain %", "from",
                                        "to",   "of",     "points",  "rule"};
    struct altpick_table table;

    altpick_line(out, 2, "%s: %s", decisions->question->name, decisions->question->title);
    altpick_line(out, 2,
                 "points: distance of the gain's interval to the margin, percentage points");
    altpick_printf(out, "\n");
    altpick_table_init(&table, "lllrrrlrl", 0);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        altpick_table_cell(&table, "%s", heads[i]);
    for (size_t i = 0; i < decisions->n_decisions; i++) {
        const struct altpick_decision *decision = &decisions->decision[i];
        const struct altpick_contest *contest = &decision->contest;

        altpick_table_cell(&table, "%s", altpick_show_item(contest));
        altpick_table_cell(&table, "%s", entry_name(contest, decision->winner));
        altpick_table_cell(&table, "%s", altpick_verdict_name(decision->verdict));
        gain_cells(&table, decision);
        altpick_table_cell(&table, "%s",
                           has_distance(decision) ? points(decision->distance_ppm).text : "-");
        altpick_table_cell(&table, "%s",
                           contest->n_trace ? contest->trace[contest->n_trace - 1].rule : "");
    }
    altpick_table_print(&table, out);
}

static void interval_row(struct altpick_table *table, const char *name, const char *condition,
                         const struct altpick_cost *cost, const char *note)
{
    altpick_table_cell(table, "%s", name);
    altpick_table_cell(table, "%s", condition);
    if (altpick_cost_is_known(cost) || cost->status == ALTPICK_STATUS_ESTIMATED) {
        altpick_table_cell(table, "%s", altpick_figure_cycles(cost->cycles_micro).text);
        altpick_table_cell(table, "%s", altpick_figure_cycles(cost->low_micro).text);
        altpick_table_cell(table, "%s", altpick_figure_cycles(cost->high_micro).text);
        altpick_table_cell(table, "%u", cost->count);
    } else {
        for (int i = 0; i < 4; i++)
            altpick_table_cell(table, "-");
    }
    altpick_table_cell(table, "%s%s%s", altpick_status_name(cost->status), *note ? ", " : "", note);
}

static bool has_costs(const struct altpick_entry *entry)
{
    for (unsigned i = 0; i < ALTPICK_N_CONDITIONS; i++) {
        if (altpick_cost_is_known(&entry->cost[i]) ||
            entry->cost[i].status == ALTPICK_STATUS_ESTIMATED)
            return true;
    }
    return false;
}

static void entry_rows(const struct altpick_decisions *decisions,
                       const struct altpick_contest *contest, const struct altpick_entry *entry,
                       struct altpick_table *table)
{
    const char *name = entry->name;

    for (unsigned i = 0; i < ALTPICK_N_CONDITIONS; i++) {
        if (!decisions->result->condition[i].asked)
            continue;
        interval_row(table, name, altpick_condition_name(i), &entry->cost[i],
                     contest->dropped[i]       ? "dropped"
                     : contest->weight[i] == 0 ? "does not count"
                                               : "");
        name = "";
    }
    interval_row(table, name, "mean", &entry->sum,
                 entry->measurement ? altpick_show_code(entry, CODE_COLUMNS).text : "");
}

static void why_costs(const struct altpick_decisions *decisions,
                      const struct altpick_decision *decision, struct altpick_out *out)
{
    static const char *const heads[] = {"candidate", "condition", "cycles", "low",
                                        "high",      "count",     "status"};
    const struct altpick_contest *contest = &decision->contest;
    struct altpick_table table;

    altpick_table_init(&table, "llrrrrl", 2);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        altpick_table_cell(&table, "%s", heads[i]);
    for (size_t k = 0; k < contest->n_entries; k++) {
        const struct altpick_entry *entry = &contest->entries[k];

        if (has_costs(entry))
            entry_rows(decisions, contest, entry, &table);
        else
            interval_row(&table, entry->name, "-", &entry->sum,
                         entry->measurement ? entry->measurement->reason : "");
    }
    altpick_table_print(&table, out);
}

static bool any_costs(const struct altpick_contest *contest)
{
    for (size_t i = 0; i < contest->n_entries; i++) {
        if (has_costs(&contest->entries[i]))
            return true;
    }
    return false;
}

static void why_rules(const struct altpick_contest *contest, struct altpick_out *out)
{
    struct altpick_table table;

    altpick_table_init(&table, "ll", 2);
    for (size_t i = 0; i < contest->n_trace; i++) {
        const struct altpick_trace *trace = &contest->trace[i];
        const char *of =
            trace->entry == ALTPICK_NO_ENTRY ? "" : contest->entries[trace->entry].name;
        const char *over =
            trace->other == ALTPICK_NO_ENTRY ? "" : contest->entries[trace->other].name;

        altpick_table_cell(&table, "%s", trace->rule);
        if (trace->has_gain)
            altpick_table_cell(&table, "%s%s%s%s%s: gain %s %% (%s to %s)", of,
                               *over ? " over " : "", over, *of ? ": " : "", trace->text,
                               altpick_figure_percent(trace->gain_ppm).text,
                               altpick_figure_percent(trace->low_ppm).text,
                               altpick_figure_percent(trace->high_ppm).text);
        else
            altpick_table_cell(&table, "%s%s%s%s%s", of, *over ? " over " : "", over,
                               *of ? ": " : "", trace->text);
    }
    altpick_table_print(&table, out);
}

static void why_weights(const struct altpick_decisions *decisions,
                        const struct altpick_contest *contest, struct altpick_out *out)
{
    const struct altpick_result *result = decisions->result;

    for (unsigned i = 0; i < ALTPICK_N_CONDITIONS; i++) {
        if (!result->condition[i].asked && !contest->dropped[i])
            continue;
        altpick_line(out, 2, "  %s: weight %u%s%s%s", altpick_condition_name(i), contest->weight[i],
                     contest->dropped[i] ? ", dropped: no candidate has a figure" : "",
                     result->condition[i].reason[0] ? ": " : "", result->condition[i].reason);
    }
}

void altpick_why_item(const struct altpick_decisions *decisions,
                      const struct altpick_decision *decision, const struct altpick_policy *policy,
                      struct altpick_out *out)
{
    const struct altpick_contest *contest = &decision->contest;
    const char *of, *over;

    altpick_line(out, 2, "%s: %s, %s", contest->item, entry_name(contest, decision->winner),
                 altpick_verdict_name(decision->verdict));
    altpick_line(out, 2, "preferred: %s; target: %s; batches: %u",
                 entry_name(contest, decision->preferred), altpick_target_name(policy->target),
                 decisions->result->batches);
    altpick_line(out, 2, "margin: equal within %s %%, clear beyond %s %%%s",
                 altpick_figure_permille(contest->margin_permille).text,
                 altpick_figure_permille(contest->clear_permille).text,
                 contest->clear_permille > contest->margin_permille ? " after so few batches" : "");
    if (any_costs(contest)) {
        altpick_printf(out, "\nweights\n");
        why_weights(decisions, contest, out);
        altpick_printf(out, "\ncosts in core cycles; mean: weighted over the conditions\n");
        why_costs(decisions, decision, out);
    } else {
        altpick_printf(out, "\nno candidate has a cost of its own\n");
    }
    altpick_printf(out, "\nrules\n");
    why_rules(contest, out);
    altpick_printf(out, "\n");
    if (altpick_show_gain(decision, &of, &over))
        altpick_line(out, 2, "gain of %s over %s: %s %% (%s to %s)", of, over,
                     altpick_figure_percent(decision->gain_ppm).text,
                     altpick_figure_percent(decision->gain_low_ppm).text,
                     altpick_figure_percent(decision->gain_high_ppm).text);
    if (has_distance(decision))
        altpick_line(out, 2, "distance to the margin: %s points%s",
                     points(decision->distance_ppm).text,
                     decision->distance_ppm < 0 ? " (the interval crosses it)" : "");
    else
        altpick_line(out, 2, "distance to the margin: none, no margin decided this");
    altpick_what_if(decisions, decision, policy, out);
}
