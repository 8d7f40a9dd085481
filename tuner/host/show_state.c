/* SPDX-License-Identifier: MIT */
/*
 * Questions about state rather than code size, as text: costs and guarantees of all candidates
 * once, then what each item made of them, then what follows from the costs.
 */
#include "show_parts.h"

#include <stdio.h>
#include <string.h>

enum { NOTES_MAX = 256, COLUMNS_BY_CONDITION_MAX = 7, GROUPS_MAX = 6, HEAD_MAX = 32 };

/* Guarantees with the same word before a colon, told by a letter each in one column. */
struct group {
    char name[HEAD_MAX];
    unsigned member[ALTPICK_N_GUARANTEES];
    size_t n;
};

bool altpick_show_is_state(const struct altpick_result *result)
{
    return !result->condition[ALTPICK_HOT].asked && !result->condition[ALTPICK_LEGACY_DECODE].asked;
}

/* Asked for, and some candidate has a figure. */
static bool has_figures(const struct altpick_result *result, unsigned condition)
{
    for (size_t i = 0; i < result->n_candidates; i++) {
        const struct altpick_cost *cost = &result->candidates[i].cost[condition];

        if (altpick_cost_is_known(cost) || cost->status == ALTPICK_STATUS_ESTIMATED)
            return true;
    }
    return false;
}

static size_t list_conditions(const struct altpick_result *result,
                              unsigned ret[ALTPICK_N_CONDITIONS])
{
    size_t n = 0;

    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
        if (result->condition[c].asked && has_figures(result, c))
            ret[n++] = c;
    }
    return n;
}

static void cost_cell(struct altpick_table *table, const struct altpick_cost *cost)
{
    if (altpick_cost_is_known(cost) || cost->status == ALTPICK_STATUS_ESTIMATED)
        altpick_table_cell(table, "%s%s", altpick_figure_cost(cost->cycles_micro).text,
                           cost->status == ALTPICK_STATUS_ESTIMATED ? "e" : "");
    else
        altpick_table_cell(table, "-");
}

/* Heads of two lines, divided behind the first hyphen: "cold-" over "unmodified". */
static void head_cells(struct altpick_table *table, const char *name, unsigned line)
{
    const char *hyphen = strchr(name, '-');
    size_t first = hyphen ? (size_t) (hyphen - name) + 1 : 0;

    if (line == 0)
        altpick_table_cell(table, "%.*s", (int) first, name);
    else
        altpick_table_cell(table, "%s", name + first);
}

static void count_cell(struct altpick_table *table, uint32_t count)
{
    if (count)
        altpick_table_cell(table, "%u", count);
    else
        altpick_table_cell(table, "-");
}

static void show_by_candidate(const struct altpick_result *result, const unsigned *conditions,
                              size_t n, struct altpick_out *out)
{
    char align[ALTPICK_TABLE_COLUMNS_MAX + 1] = "lrr";
    struct altpick_table table;

    for (size_t i = 0; i < n; i++)
        strcat(align, "r");
    altpick_table_init(&table, align, 2);
    for (unsigned line = 0; line < 2; line++) {
        altpick_table_cell(&table, "%s", line ? "candidate" : "");
        altpick_table_cell(&table, "%s", line ? "bytes" : "code");
        altpick_table_cell(&table, "%s", line ? "bytes" : "data");
        for (size_t i = 0; i < n; i++)
            head_cells(&table, altpick_condition_name(conditions[i]), line);
    }
    for (size_t i = 0; i < result->n_candidates; i++) {
        const struct altpick_measurement *m = &result->candidates[i];

        altpick_table_cell(&table, "%s", m->candidate.name);
        count_cell(&table, m->candidate.code_bytes);
        altpick_table_cell(&table, "%u", altpick_data_bytes(m->candidate.data));
        for (size_t k = 0; k < n; k++)
            cost_cell(&table, &m->cost[conditions[k]]);
    }
    altpick_table_print(&table, out);
}

/* Candidates without figures, a reason a line. */
static void show_reasons(const struct altpick_result *result, struct altpick_out *out)
{
    for (size_t i = 0; i < result->n_candidates; i++) {
        if (result->candidates[i].reason[0])
            altpick_line(out, 4, "  %s: %s", result->candidates[i].candidate.name,
                         result->candidates[i].reason);
    }
}

static void show_by_condition(const struct altpick_result *result, const unsigned *conditions,
                              size_t n, struct altpick_out *out)
{
    char align[ALTPICK_TABLE_COLUMNS_MAX + 1] = "l";
    size_t columns = result->n_candidates < ALTPICK_TABLE_COLUMNS_MAX - 1
                         ? result->n_candidates
                         : ALTPICK_TABLE_COLUMNS_MAX - 1;
    struct altpick_table table;

    for (size_t i = 0; i < columns; i++)
        strcat(align, "r");
    altpick_table_init(&table, align, 2);
    for (unsigned line = 0; line < 2; line++) {
        altpick_table_cell(&table, "%s", line ? "condition" : "");
        for (size_t i = 0; i < columns; i++)
            head_cells(&table, result->candidates[i].candidate.name, line);
    }
    altpick_table_cell(&table, "code bytes");
    for (size_t i = 0; i < columns; i++)
        count_cell(&table, result->candidates[i].candidate.code_bytes);
    for (size_t k = 0; k < n; k++) {
        altpick_table_cell(&table, "%s", altpick_condition_name(conditions[k]));
        for (size_t i = 0; i < columns; i++)
            cost_cell(&table, &result->candidates[i].cost[conditions[k]]);
    }
    altpick_table_print(&table, out);
}

static void show_costs(const struct altpick_result *result, struct altpick_out *out)
{
    unsigned conditions[ALTPICK_N_CONDITIONS];
    size_t n = list_conditions(result, conditions);

    altpick_printf(out, "\n");
    if (n > COLUMNS_BY_CONDITION_MAX)
        show_by_condition(result, conditions, n, out);
    else
        show_by_candidate(result, conditions, n, out);
    show_reasons(result, out);
}

/* Whether any candidate was looked at: then what was never seen is of no component here. */
static bool was_looked_at(const struct altpick_result *result, unsigned first, unsigned end)
{
    for (size_t i = 0; i < result->n_candidates; i++) {
        for (unsigned g = first; g < end; g++) {
            if (result->candidates[i].guarantee[g] > ALTPICK_GUARANTEE_IS_DECLARED)
                return true;
        }
    }
    return false;
}

static bool is_declared(const struct altpick_result *result, unsigned g)
{
    for (size_t i = 0; i < result->n_candidates; i++) {
        if (result->candidates[i].guarantee[g])
            return true;
    }
    return false;
}

static size_t make_groups(const struct altpick_result *result, struct group groups[GROUPS_MAX])
{
    bool looked = was_looked_at(result, 0, ALTPICK_N_GUARANTEES);
    size_t n = 0;

    for (unsigned g = 0; g < ALTPICK_N_GUARANTEES; g++) {
        const char *name = altpick_guarantee_name(g), *colon = strchr(name, ':');
        char head[HEAD_MAX] = "has";
        size_t at = 0;

        if (!is_declared(result, g) || (looked && !was_looked_at(result, g, g + 1)))
            continue;
        if (colon)
            snprintf(head, sizeof head, "%.*s", (int) (colon - name), name);
        while (at < n && strcmp(groups[at].name, head) != 0)
            at++;
        if (at == GROUPS_MAX)
            continue;
        if (at == n) {
            groups[n] = (struct group){.n = 0};
            strcpy(groups[n++].name, head);
        }
        groups[at].member[groups[at].n++] = g;
    }
    return n;
}

/* "no-leak: x87, mxcsr": the meaning of the letters in the column of that name. */
static void show_group(const struct group *group, struct altpick_out *out)
{
    char names[NOTES_MAX * 2] = "";

    for (size_t i = 0; i < group->n; i++) {
        const char *name = altpick_guarantee_name(group->member[i]), *colon = strchr(name, ':');

        strncat(names, i ? ", " : "", sizeof names - 1 - strlen(names));
        strncat(names, colon ? colon + 1 : name, sizeof names - 1 - strlen(names));
    }
    altpick_line(out, 4, "  %s, a letter each: %s", group->name, names);
}

static void show_guarantees(const struct altpick_result *result, struct altpick_out *out)
{
    char align[GROUPS_MAX + 2] = "l";
    struct group groups[GROUPS_MAX];
    size_t n = make_groups(result, groups);
    struct altpick_table table;

    if (n == 0)
        return;
    altpick_printf(out, "\n  guarantees: C checked, d declared, X contradicted by a check, - no\n");
    for (size_t i = 0; i < n; i++) {
        strcat(align, "l");
        show_group(&groups[i], out);
    }
    altpick_table_init(&table, align, 2);
    altpick_table_cell(&table, "candidate");
    for (size_t i = 0; i < n; i++)
        altpick_table_cell(&table, "%s", groups[i].name);
    for (size_t k = 0; k < result->n_candidates; k++) {
        altpick_table_cell(&table, "%s", result->candidates[k].candidate.name);
        for (size_t i = 0; i < n; i++)
            altpick_show_letters(&table, result->candidates[k].guarantee, groups[i].member,
                                 groups[i].n);
    }
    altpick_table_print(&table, out);
}

/* Computed entries have costs of their own, in the conditions that count. */
static bool is_computed(const struct altpick_contest *contest)
{
    return contest->n_entries > 0 && !contest->entries[0].measurement;
}

/* What other items decide has no sum. */
static bool has_mean(const struct altpick_contest *contest)
{
    for (size_t i = 0; i < contest->n_entries; i++) {
        if (altpick_cost_is_known(&contest->entries[i].sum))
            return true;
    }
    return false;
}

static void show_entry(const struct altpick_decision *decision, size_t index,
                       const unsigned *conditions, size_t n, struct altpick_table *table)
{
    const struct altpick_entry *entry = &decision->contest.entries[index];

    altpick_table_cell(table, "%c %s", altpick_show_mark(decision, index), entry->name);
    for (size_t i = 0; i < n; i++)
        cost_cell(table, &entry->cost[conditions[i]]);
    if (has_mean(&decision->contest))
        cost_cell(table, &entry->sum);
    altpick_table_cell(table, "%s", entry->out ? entry->out : "");
}

static void show_item(const struct altpick_decision *decision, struct altpick_out *out)
{
    const struct altpick_contest *contest = &decision->contest;
    unsigned conditions[ALTPICK_N_CONDITIONS];
    char align[ALTPICK_TABLE_COLUMNS_MAX + 1] = "l";
    struct altpick_table table;
    size_t n = 0;

    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS && is_computed(contest); c++) {
        if (contest->weight[c] && n < COLUMNS_BY_CONDITION_MAX)
            conditions[n++] = c;
    }
    for (size_t i = 0; i < n; i++)
        strcat(align, "r");
    strcat(align, has_mean(contest) ? "rl" : "l");
    altpick_printf(out, "\n");
    altpick_table_init(&table, align, 2);
    altpick_show_reason(decision, &table);
    altpick_table_cell(&table, "  candidate");
    for (size_t i = 0; i < n; i++)
        altpick_table_cell(&table, "%s", altpick_condition_name(conditions[i]));
    if (has_mean(contest))
        altpick_table_cell(&table, "mean");
    altpick_table_cell(&table, "%s", "");
    for (size_t i = 0; i < contest->n_entries; i++)
        show_entry(decision, i, conditions, n, &table);
    altpick_table_print(&table, out);
}

static bool has_estimates(const struct altpick_decisions *decisions)
{
    for (size_t i = 0; i < decisions->n_decisions; i++) {
        const struct altpick_contest *contest = &decisions->decision[i].contest;

        for (size_t k = 0; k < contest->n_entries; k++) {
            for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
                if (contest->entries[k].cost[c].status == ALTPICK_STATUS_ESTIMATED)
                    return true;
            }
        }
    }
    return false;
}

void altpick_show_state(const struct altpick_decisions *decisions, struct altpick_out *out)
{
    show_costs(decisions->result, out);
    show_guarantees(decisions->result, out);
    altpick_printf(out, "\n");
    altpick_line(out, 2, "  items: * is the winner, v is vetoed, x is out for another reason%s",
                 has_estimates(decisions) ? "; e: estimated, which decides nothing" : "");
    for (size_t i = 0; i < decisions->n_decisions; i++)
        show_item(&decisions->decision[i], out);
    altpick_show_derived(decisions, out);
}
