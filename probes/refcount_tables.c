/* SPDX-License-Identifier: MIT */
/* The properties of reference counters side by side: one row each, one column an implementation. */
#include "refcount.h"

#include "altpick/decide.h"
#include "altpick/derived.h"
#include "bytes.h"
#include "count.h"

enum table { FIGURES, AFTER, JUDGED, RETURNED, N_TABLES };

static const struct {
    const char *title, *note, *row_head;
} heads[N_TABLES] = {
    [FIGURES] = {.title = "properties of each implementation",
                 .note = "two threads are shown, and never ranked: their order does not stay",
                 .row_head = "property"},
    [AFTER] = {.title = "value afterwards, in hexadecimal, as seen with an amount of 1",
                 .note = "atomic never saturates: there, it is at its most negative value",
                 .row_head = "operation at state"},
    [JUDGED] = {.title = "safe or not, and what it says, as seen with an amount of 1",
                 .note = "unsafe: it ends in a live count, or in a released object that is in use",
                 .row_head = "operation at state"},
    [RETURNED] = {.title = "what is returned, as seen with an amount of 1",
                 .row_head = "operation at state"                                            },
};

/* What a row of figures is of. */
enum figure { COST, INSTRUCTIONS, BYTES };

static struct altpick_cell figure_of(const struct altpick_measurement *m, enum figure figure)
{
    struct altpick_cell none = {.unit = ALTPICK_UNIT_NONE};

    if (!m)
        return none;
    switch (figure) {
    case COST:
        return altpick_cell_cost(&m->cost[ALTPICK_WARM]);
    case INSTRUCTIONS:
        return m->instructions ? altpick_cell_number(ALTPICK_UNIT_COUNT, m->instructions) : none;
    case BYTES:
        return altpick_cell_number(ALTPICK_UNIT_COUNT, m->candidate.code_bytes);
    }
    return none;
}

static void add_figure(struct altpick_derived *derived, const struct altpick_result *result,
                       enum altpick_counter_op op, const char *what, enum figure figure)
{
    char name[ALTPICK_NAME_MAX] = "";
    struct altpick_cell *cells;

    altpick_append(name, sizeof name, altpick_refcount_op_name(op));
    altpick_append(name, sizeof name, what);
    cells = altpick_derived_row(derived, name);
    for (unsigned v = 0; v < ALTPICK_REFCOUNT_VARIANTS; v++)
        cells[v] =
            figure_of(altpick_refcount_find(result, (enum altpick_refcount_variant) v, op), figure);
}

static void add_pair(struct altpick_derived *derived, const struct altpick_result *result,
                     unsigned condition, const char *name)
{
    struct altpick_cell *cells = altpick_derived_row(derived, name);

    for (unsigned v = 0; v < ALTPICK_REFCOUNT_VARIANTS; v++) {
        struct altpick_cost cost =
            altpick_refcount_pair(result, (enum altpick_refcount_variant) v, condition);

        cells[v] = altpick_cell_cost(&cost);
    }
}

static void add_promise(struct altpick_derived *derived, const struct altpick_result *result,
                        enum altpick_guarantee guarantee)
{
    struct altpick_cell *cells = altpick_derived_row(derived, altpick_guarantee_name(guarantee));

    for (unsigned v = 0; v < ALTPICK_REFCOUNT_VARIANTS; v++)
        cells[v] = altpick_cell_text(altpick_guarantee_state_name(
            altpick_refcount_promise(result, (enum altpick_refcount_variant) v, guarantee)));
}

static void fill_figures(struct altpick_derived *derived, const struct altpick_result *result)
{
    static const enum altpick_counter_op pair[] = {ALTPICK_COUNTER_INC,
                                                   ALTPICK_COUNTER_DEC_AND_TEST};
    static const char *const what[] = {
        [COST] = ", cycles", [INSTRUCTIONS] = ", instructions", [BYTES] = ", code bytes"};

    for (unsigned figure = COST; figure <= BYTES; figure++) {
        for (size_t i = 0; i < sizeof pair / sizeof *pair; i++)
            add_figure(derived, result, pair[i], what[figure], (enum figure) figure);
        if (figure == COST) {
            add_pair(derived, result, ALTPICK_WARM, "both, cycles");
            add_pair(derived, result, ALTPICK_CONTENDED, "both, cycles, two threads");
        }
    }
    add_promise(derived, result, ALTPICK_GUARANTEE_SATURATES_ON_OVERFLOW);
    add_promise(derived, result, ALTPICK_GUARANTEE_SAFE_ON_UNDERFLOW);
    add_promise(derived, result, ALTPICK_GUARANTEE_BLOCKS_INC_FROM_ZERO);
    add_promise(derived, result, ALTPICK_GUARANTEE_REPORTS_MISUSE);
}

/* "safe, silent" */
static const char *judgement(bool safe, uint32_t report)
{
    static const char *const texts[2][ALTPICK_N_REPORTS] = {
#define X(id, number, name) [0][number] = "unsafe, " name, [1][number] = "safe, " name,
        ALTPICK_REPORTS(X)
#undef X
    };

    return report < ALTPICK_N_REPORTS ? texts[safe][report] : NULL;
}

/* What one operation did in one state, as @table shows it. */
static struct altpick_cell seen_cell(const struct altpick_measurement *m, enum table table,
                                     enum altpick_count count)
{
    struct altpick_cell none = {.unit = ALTPICK_UNIT_NONE};
    struct altpick_counter counter;
    bool safe;

    if (!m || !m->has_observed || !altpick_refcount_counter(&m->candidate, &counter))
        return none;
    switch (table) {
    case AFTER:
        return altpick_cell_number(ALTPICK_UNIT_HEX, m->observed[count].after);
    case JUDGED:
        safe = altpick_count_is_safe(&counter, count, 1, &m->observed[count]);
        return altpick_cell_text(judgement(safe, m->observed[count].report));
    case RETURNED:
        return altpick_cell_number(ALTPICK_UNIT_COUNT, m->observed[count].result);
    default:
        return none;
    }
}

static void add_seen(struct altpick_derived *derived, const struct altpick_result *result,
                     enum table table, enum altpick_counter_op op, enum altpick_count count)
{
    char name[ALTPICK_NAME_MAX] = "";
    struct altpick_cell *cells;

    altpick_append(name, sizeof name, altpick_refcount_op_name(op));
    altpick_append(name, sizeof name, " at ");
    altpick_append(name, sizeof name, altpick_count_name(count));
    cells = altpick_derived_row(derived, name);
    for (unsigned v = 0; v < ALTPICK_REFCOUNT_VARIANTS; v++)
        cells[v] = seen_cell(altpick_refcount_find(result, (enum altpick_refcount_variant) v, op),
                             table, count);
}

static void fill_seen(struct altpick_derived *derived, const struct altpick_result *result,
                      enum table table)
{
    for (unsigned op = 0; op < ALTPICK_N_COUNTER_OPS; op++) {
        if (table == RETURNED && !altpick_count_returns((enum altpick_counter_op) op))
            continue;
        for (unsigned count = 0; count < ALTPICK_N_COUNTS; count++)
            add_seen(derived, result, table, (enum altpick_counter_op) op,
                     (enum altpick_count) count);
    }
}

bool altpick_refcount_derive(const struct altpick_decisions *decisions, size_t index,
                             struct altpick_derived *ret_derived)
{
    if (index >= N_TABLES)
        return false;
    altpick_zero(ret_derived, sizeof *ret_derived);
    ret_derived->title = heads[index].title;
    ret_derived->note = heads[index].note;
    ret_derived->row_head = heads[index].row_head;
    for (unsigned v = 0; v < ALTPICK_REFCOUNT_VARIANTS; v++)
        ret_derived->column[v] = altpick_refcount_variant_name((enum altpick_refcount_variant) v);
    ret_derived->n_columns = ALTPICK_REFCOUNT_VARIANTS;
    if (index == FIGURES)
        fill_figures(ret_derived, decisions->result);
    else
        fill_seen(ret_derived, decisions->result, (enum table) index);
    return true;
}
