/* SPDX-License-Identifier: MIT */
/* Decisions as tables that paste into a mail: plain ASCII, at most 100 columns. */
#include "show.h"

#include "show_parts.h"

#include <stdio.h>
#include <string.h>

enum { CODE_COLUMNS = 22, CODE_COLUMNS_NARROW = 14, NOTES_MAX = 256 };

const char *altpick_show_item(const struct altpick_contest *contest)
{
    size_t n = strlen(contest->question);

    if (strncmp(contest->item, contest->question, n) == 0 && contest->item[n] == '.')
        return contest->item + n + 1;
    return contest->item;
}

struct altpick_figure altpick_show_code(const struct altpick_entry *entry, unsigned columns)
{
    if (!entry->measurement || entry->measurement->candidate.code_bytes == 0)
        return (struct altpick_figure){.text = "-"};
    return altpick_figure_code(entry->measurement->candidate.code,
                               entry->measurement->candidate.code_bytes, columns);
}

bool altpick_show_gain(const struct altpick_decision *decision, const char **ret_of,
                       const char **ret_over)
{
    int of = decision->displaced ? decision->winner : decision->rival;
    int over = decision->verdict == ALTPICK_VERDICT_PINNED ? decision->winner : decision->preferred;

    if (of == ALTPICK_NO_ENTRY || over == ALTPICK_NO_ENTRY)
        return false;
    *ret_of = decision->contest.entries[of].name;
    *ret_over = decision->contest.entries[over].name;
    return true;
}

static void label(struct altpick_table *table, const char *name)
{
    altpick_table_cell(table, "%s", name);
}

/* Whether nothing in it was measured by altpick. */
static bool is_published(const struct altpick_machine *machine)
{
    for (size_t i = 0; i < machine->n_results; i++) {
        if (!altpick_result_is_published(&machine->results[i]))
            return false;
    }
    return machine->n_results > 0;
}

static void show_identity(const struct altpick_choices *choices, struct altpick_table *table)
{
    const struct altpick_machine *machine = choices->machine;

    label(table, "machine");
    altpick_table_cell(table, "%s%s%s", machine->name, machine->cpu.brand[0] ? ", " : "",
                       machine->cpu.brand);
    label(table, "trust");
    altpick_table_cell(table, "%s%s%s%s%s", altpick_trust_name(machine->trust),
                       machine->cpu.hypervisor[0] ? " (hypervisor " : "", machine->cpu.hypervisor,
                       machine->cpu.hypervisor[0] ? ")" : "",
                       altpick_trust_is_usable(machine->trust) ? ""
                                                               : ": times taken here mean nothing");
    label(table, "measured");
    if (is_published(machine))
        altpick_table_cell(table, "by others, as altpick %s knows it", machine->altpick_version);
    else
        altpick_table_cell(table, "ring %u, TSC %llu MHz in steps of %u, by altpick %s",
                           machine->ring, (unsigned long long) (machine->tsc_hz / 1000000),
                           machine->quantum_ticks, machine->altpick_version);
    label(table, "decided");
    altpick_table_cell(table, "for %s with a tie margin of %s %%",
                       altpick_target_name(choices->policy->target),
                       altpick_figure_permille(choices->policy->tie_margin_permille).text);
    for (size_t i = 0; i < machine->n_warnings; i++) {
        label(table, "warning");
        altpick_table_cell(table, "%s", machine->warnings[i]);
    }
    if (machine->selftest_shuffle) {
        label(table, "warning");
        altpick_table_cell(table, "a self-test (seed %u): names do not belong to their bytes",
                           machine->selftest_shuffle);
    }
}

static void show_unknown(const struct altpick_choices *choices, struct altpick_table *table)
{
    for (size_t i = 0; i < choices->machine->n_results; i++) {
        const char *question = choices->machine->results[i].question;

        if (altpick_choices_find(choices, question))
            continue;
        label(table, "unknown");
        altpick_table_cell(table, "%s: this version has no such question", question);
    }
}

/* Whether nothing has a cost of its own: a contest that only follows others. */
static bool drops_all(const struct altpick_contest *contest)
{
    for (unsigned i = 0; i < ALTPICK_N_CONDITIONS; i++) {
        if (contest->weight[i] > 0 && !contest->dropped[i])
            return false;
    }
    return true;
}

static bool is_dropped(const struct altpick_decisions *decisions, unsigned condition)
{
    for (size_t i = 0; i < decisions->n_decisions; i++) {
        const struct altpick_contest *contest = &decisions->decision[i].contest;

        if (contest->dropped[condition] && !drops_all(contest))
            return true;
    }
    return false;
}

/* What the first item was decided by: some questions weigh by what figures there are. */
static uint32_t weight_of(const struct altpick_decisions *decisions,
                          const struct altpick_policy *policy, unsigned condition)
{
    return decisions->n_decisions ? decisions->decision[0].contest.weight[condition]
                                  : altpick_policy_weight(policy, decisions->question, condition);
}

static void show_conditions(const struct altpick_decisions *decisions,
                            const struct altpick_policy *policy, struct altpick_out *out)
{
    const struct altpick_result *result = decisions->result;
    bool blocks = !altpick_show_is_state(result);
    struct altpick_table table;

    altpick_table_init(&table, blocks ? "lrrl" : "lrl", 2);
    altpick_table_cell(&table, "condition");
    altpick_table_cell(&table, "weight");
    if (blocks)
        altpick_table_cell(&table, "block");
    altpick_table_cell(&table, "%s", "");
    for (unsigned i = 0; i < ALTPICK_N_CONDITIONS; i++) {
        const struct altpick_condition_facts *facts = &result->condition[i];

        if (!facts->asked)
            continue;
        altpick_table_cell(&table, "%s", altpick_condition_name(i));
        altpick_table_cell(&table, "%u", weight_of(decisions, policy, i));
        if (blocks)
            altpick_table_cell(&table, "%u", facts->block_bytes);
        altpick_table_cell(&table, "%s%s%s%s", altpick_status_name(facts->status),
                           is_dropped(decisions, i) ? ", dropped from the mean" : "",
                           facts->reason[0] ? ": " : "", facts->reason);
    }
    altpick_table_print(&table, out);
}

/* A fraction of a cycle counts for code of a few; hundreds vary by more. */
static struct altpick_figure mean_of(const struct altpick_result *result,
                                     const struct altpick_entry *entry)
{
    return altpick_show_is_state(result) ? altpick_figure_cost(entry->sum.cycles_micro)
                                         : altpick_figure_cycles(entry->sum.cycles_micro);
}

static void show_summary(const struct altpick_decisions *decisions, struct altpick_out *out)
{
    static const char *const heads[] = {"item",    "winner", "bytes", "mean",
                                        "verdict", "gain %", "rule"};
    struct altpick_table table;

    altpick_table_init(&table, "lllrlrl", 2);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        altpick_table_cell(&table, "%s", heads[i]);
    for (size_t i = 0; i < decisions->n_decisions; i++) {
        const struct altpick_decision *decision = &decisions->decision[i];
        const struct altpick_contest *contest = &decision->contest;
        const char *of, *over;
        const struct altpick_entry *winner =
            decision->winner == ALTPICK_NO_ENTRY ? NULL : &contest->entries[decision->winner];

        altpick_table_cell(&table, "%s", altpick_show_item(contest));
        altpick_table_cell(&table, "%s", winner ? winner->name : "-");
        altpick_table_cell(&table, "%s",
                           winner ? altpick_show_code(winner, CODE_COLUMNS).text : "-");
        altpick_table_cell(&table, "%s",
                           winner && altpick_cost_is_known(&winner->sum)
                               ? mean_of(decisions->result, winner).text
                               : "-");
        altpick_table_cell(&table, "%s", altpick_verdict_name(decision->verdict));
        altpick_table_cell(&table, "%s",
                           altpick_show_gain(decision, &of, &over)
                               ? altpick_figure_percent(decision->gain_ppm).text
                               : "-");
        altpick_table_cell(&table, "%s",
                           contest->n_trace ? contest->trace[contest->n_trace - 1].rule : "-");
    }
    altpick_table_print(&table, out);
}

static void append(char *notes, const char *before, const char *text)
{
    strncat(notes, notes[0] ? before : "", NOTES_MAX - 1 - strlen(notes));
    strncat(notes, text, NOTES_MAX - 1 - strlen(notes));
}

/* What is wrong with the entry, or why it may not win. */
static void entry_notes(const struct altpick_entry *entry, char *ret_notes)
{
    const struct altpick_measurement *measurement = entry->measurement;

    ret_notes[0] = '\0';
    if (measurement && measurement->reason[0]) {
        append(ret_notes, "", measurement->reason);
        return;
    }
    if (entry->out && !entry->vetoed)
        append(ret_notes, "", entry->out);
    if (measurement && measurement->status != ALTPICK_STATUS_MEASURED &&
        measurement->status != ALTPICK_STATUS_PUBLISHED)
        append(ret_notes, "; ", altpick_status_name(measurement->status));
}

/* Bit n: some candidate has enum altpick_guarantee n, in whatever state. */
static uint64_t guarantees_of(const struct altpick_result *result)
{
    uint64_t guarantees = 0;

    for (size_t i = 0; i < result->n_candidates; i++) {
        for (unsigned g = 0; g < ALTPICK_N_GUARANTEES; g++)
            guarantees |= (uint64_t) (result->candidates[i].guarantee[g] != 0) << g;
    }
    return guarantees;
}

void altpick_show_letters(struct altpick_table *table,
                          const uint8_t guarantee[ALTPICK_N_GUARANTEES], const unsigned *member,
                          size_t n)
{
    static const char letters[ALTPICK_N_GUARANTEE_STATES] = {
        [ALTPICK_GUARANTEE_IS_NONE] = '-',
        [ALTPICK_GUARANTEE_IS_DECLARED] = 'd',
        [ALTPICK_GUARANTEE_IS_CHECKED] = 'C',
        [ALTPICK_GUARANTEE_IS_CONTRADICTED] = 'X',
    };
    char text[ALTPICK_N_GUARANTEES + 1];

    for (size_t i = 0; i < n; i++)
        text[i] = letters[guarantee[member[i]]];
    text[n] = '\0';
    altpick_table_cell(table, "%s", n ? text : "-");
}

/* A letter for each of @guarantees. */
static void guarantee_cell(struct altpick_table *table, const struct altpick_entry *entry,
                           uint64_t guarantees)
{
    unsigned member[ALTPICK_N_GUARANTEES];
    size_t n = 0;

    for (unsigned g = 0; g < ALTPICK_N_GUARANTEES && entry->measurement; g++) {
        if (guarantees >> g & 1)
            member[n++] = g;
    }
    altpick_show_letters(table, entry->guarantee, member, n);
}

static void show_legend(uint64_t guarantees, struct altpick_out *out)
{
    char names[NOTES_MAX] = "";

    altpick_printf(out, "\n  every candidate: * is the winner, v is vetoed for what published "
                        "figures of other CPUs "
                        "say,\n  x is out for another reason\n");
    if (!guarantees)
        return;
    for (unsigned g = 0; g < ALTPICK_N_GUARANTEES; g++) {
        if (guarantees >> g & 1)
            append(names, ", ", altpick_guarantee_name(g));
    }
    altpick_line(out, 2, "  has %s: C checked, d declared, X contradicted, - no", names);
}

char altpick_show_mark(const struct altpick_decision *decision, size_t index)
{
    const struct altpick_entry *entry = &decision->contest.entries[index];

    if ((int) index == decision->winner)
        return '*';
    return entry->vetoed ? 'v' : entry->out ? 'x' : ' ';
}

static void cost_cell(struct altpick_table *table, const struct altpick_cost *cost)
{
    if (altpick_cost_is_known(cost) || cost->status == ALTPICK_STATUS_ESTIMATED)
        altpick_table_cell(table, "%s%s", altpick_figure_cycles(cost->cycles_micro).text,
                           cost->status == ALTPICK_STATUS_ESTIMATED ? "e" : "");
    else
        altpick_table_cell(table, "-");
}

static void show_entry(const struct altpick_decisions *decisions,
                       const struct altpick_decision *decision, size_t index, uint64_t guarantees,
                       struct altpick_table *table)
{
    const struct altpick_entry *entry = &decision->contest.entries[index];
    char notes[NOTES_MAX];

    altpick_table_cell(table, "%c %s", altpick_show_mark(decision, index), entry->name);
    if (entry->measurement)
        altpick_table_cell(table, "%u", entry->measurement->candidate.code_bytes);
    else
        altpick_table_cell(table, "-");
    altpick_table_cell(table, "%s", altpick_show_code(entry, CODE_COLUMNS_NARROW).text);
    for (unsigned i = 0; i < ALTPICK_N_CONDITIONS; i++) {
        if (decisions->result->condition[i].asked)
            cost_cell(table, &entry->cost[i]);
    }
    cost_cell(table, &entry->sum);
    if (guarantees)
        guarantee_cell(table, entry, guarantees);
    entry_notes(entry, notes);
    altpick_table_cell(table, "%s", notes);
}

void altpick_show_reason(const struct altpick_decision *decision, struct altpick_table *table)
{
    const struct altpick_contest *contest = &decision->contest;
    const char *text = contest->n_trace ? contest->trace[contest->n_trace - 1].text : "";
    const char *of, *over;

    if (altpick_show_gain(decision, &of, &over))
        altpick_table_line(table, "%s: %s, %s; gain of %s over %s %s %% (%s to %s)", contest->item,
                           altpick_verdict_name(decision->verdict), text, of, over,
                           altpick_figure_percent(decision->gain_ppm).text,
                           altpick_figure_percent(decision->gain_low_ppm).text,
                           altpick_figure_percent(decision->gain_high_ppm).text);
    else
        altpick_table_line(table, "%s: %s%s%s", contest->item,
                           altpick_verdict_name(decision->verdict), *text ? ", " : "", text);
}

static void show_candidates(const struct altpick_decisions *decisions, struct altpick_out *out)
{
    char align[ALTPICK_TABLE_COLUMNS_MAX + 1] = "lrl";
    uint64_t guarantees = guarantees_of(decisions->result);
    struct altpick_table table;

    for (unsigned i = 0; i < ALTPICK_N_CONDITIONS; i++)
        strcat(align, decisions->result->condition[i].asked ? "r" : "");
    strcat(align, guarantees ? "rll" : "rl");
    show_legend(guarantees, out);
    altpick_table_init(&table, align, 2);
    altpick_table_cell(&table, "  candidate");
    altpick_table_cell(&table, "n");
    altpick_table_cell(&table, "bytes");
    for (unsigned i = 0; i < ALTPICK_N_CONDITIONS; i++) {
        if (decisions->result->condition[i].asked)
            altpick_table_cell(&table, "%s", altpick_condition_name(i));
    }
    altpick_table_cell(&table, "mean");
    if (guarantees)
        altpick_table_cell(&table, "has");
    altpick_table_cell(&table, "notes");

    for (size_t i = 0; i < decisions->n_decisions; i++) {
        const struct altpick_decision *decision = &decisions->decision[i];
        const struct altpick_contest *contest = &decision->contest;

        altpick_show_reason(decision, &table);
        for (size_t k = 0; k < contest->n_entries; k++)
            show_entry(decisions, decision, k, guarantees, &table);
    }
    altpick_table_print(&table, out);
}

/* The margin that its contests had, which a question may widen. */
static struct altpick_figure margin_of(const struct altpick_decisions *decisions)
{
    return altpick_figure_permille(
        decisions->n_decisions ? decisions->decision[0].contest.margin_permille : 0);
}

/* Whether fewer batches than are planned were measured, after which a margin has to be larger. */
static bool is_short(const struct altpick_decisions *decisions)
{
    const struct altpick_contest *contest = &decisions->decision[0].contest;

    return decisions->n_decisions && contest->clear_permille == ALTPICK_ONE_BATCH_MARGIN_PERMILLE &&
           contest->clear_permille > contest->margin_permille;
}

void altpick_show_text(const struct altpick_choices *choices, bool brief, struct altpick_out *out)
{
    struct altpick_table table;

    altpick_table_init(&table, "ll", 0);
    show_identity(choices, &table);
    show_unknown(choices, &table);
    altpick_table_print(&table, out);

    for (size_t i = 0; i < choices->n_questions; i++) {
        const struct altpick_decisions *decisions = &choices->questions[i];

        altpick_printf(out, "\n");
        altpick_line(out, 2, "%s: %s", decisions->question->name, decisions->question->title);
        altpick_line(out, 2,
                     "  costs in core cycles; mean: weighted over the conditions; %u batches; ties "
                     "within %s %%%s",
                     decisions->result->batches, margin_of(decisions).text,
                     is_short(decisions) ? ", clear from 25 % on" : "");
        altpick_printf(out, "\n");
        if (!brief) {
            show_conditions(decisions, choices->policy, out);
            altpick_printf(out, "\n");
        }
        show_summary(decisions, out);
        if (brief)
            continue;
        if (altpick_show_is_state(decisions->result))
            altpick_show_state(decisions, out);
        else
            show_candidates(decisions, out);
    }
}
