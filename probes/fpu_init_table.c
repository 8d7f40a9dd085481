/* SPDX-License-Identifier: MIT */
/* What follows from fpu.init's costs: bytes, the save that comes next, and from where on cold calls
 * decide. */
#include "fpu_init.h"

#include "bytes.h"

#define WHOLE UINT64_C(100000000) /* 100 percent in millionths */

enum { SHARE_BITS = 36 }; /* times WHOLE, that stays within 64 bits */

static void derive_bytes(const struct altpick_result *result, struct altpick_derived *ret)
{
    ret->title = "bytes of code and of data; core cycles of the save that follows, and with both";
    ret->note = "the save is XSAVEC of all components: what was cleared but is in use is saved";
    ret->row_head = "candidate";
    ret->column[0] = "code bytes";
    ret->column[1] = "data bytes";
    ret->column[2] = "next save";
    ret->column[3] = "warm + save";
    ret->column[4] = "cold + save";
    ret->n_columns = 5;
    for (size_t i = 0; i < result->n_candidates; i++) {
        const struct altpick_measurement *m = &result->candidates[i];
        struct altpick_cell *cell = altpick_derived_row(ret, m->candidate.name);
        static const unsigned with[] = {ALTPICK_WARM, ALTPICK_COLD_BOTH};

        cell[0] = altpick_cell_number(ALTPICK_UNIT_COUNT, m->candidate.code_bytes);
        cell[1] = altpick_cell_number(ALTPICK_UNIT_COUNT, altpick_data_bytes(m->candidate.data));
        cell[2] = altpick_cell_cost(&m->cost[ALTPICK_NEXT_SAVE]);
        for (unsigned k = 0; k < 2; k++) {
            if (!altpick_cost_is_known(&m->cost[with[k]]) || cell[2].unit == ALTPICK_UNIT_NONE)
                continue;
            cell[3 + k] = altpick_cell_cost(&m->cost[with[k]]);
            cell[3 + k].value += cell[2].value;
            cell[3 + k].low += cell[2].low;
            cell[3 + k].high += cell[2].high;
        }
    }
}

/* The cheapest eligible entry in one condition, or NULL. */
static const struct altpick_entry *cheapest(const struct altpick_contest *contest,
                                            unsigned condition)
{
    const struct altpick_entry *best = NULL;

    for (size_t i = 0; i < contest->n_entries; i++) {
        const struct altpick_entry *entry = &contest->entries[i];

        if (!entry->out && altpick_cost_is_known(&entry->cost[condition]) &&
            (!best || entry->cost[condition].cycles_micro < best->cost[condition].cycles_micro))
            best = entry;
    }
    return best;
}

/*
 * The share of cold calls at which a gain of @warm when warm and a loss of @cold when cold are
 * equal: warm / (warm + cold).
 */
static uint64_t share(int64_t warm, int64_t cold)
{
    if (warm <= 0)
        return 0;
    if (cold <= 0)
        return WHOLE;
    while ((warm | cold) >> SHARE_BITS) {
        warm >>= 1;
        cold >>= 1;
    }
    return (uint64_t) warm * WHOLE / (uint64_t) (warm + cold);
}

static int64_t apart(uint64_t a, uint64_t b)
{
    return (int64_t) a - (int64_t) b;
}

/* Below the share @warm is the better choice, above it @cold. */
static struct altpick_cell break_even(const struct altpick_entry *warm,
                                      const struct altpick_entry *cold)
{
    const struct altpick_cost *ww = &warm->cost[ALTPICK_WARM], *wc = &warm->cost[ALTPICK_COLD_BOTH];
    const struct altpick_cost *cw = &cold->cost[ALTPICK_WARM], *cc = &cold->cost[ALTPICK_COLD_BOTH];

    return (struct altpick_cell){
        .unit = ALTPICK_UNIT_PERCENT,
        .status = ALTPICK_STATUS_ESTIMATED,
        .value = share(apart(cw->cycles_micro, ww->cycles_micro),
                       apart(wc->cycles_micro, cc->cycles_micro)),
        .low = share(apart(cw->low_micro, ww->high_micro), apart(wc->high_micro, cc->low_micro)),
        .high = share(apart(cw->high_micro, ww->low_micro), apart(wc->low_micro, cc->high_micro)),
    };
}

/* Names in cells are those of the measurements, which outlive the table. */
static void derive_break_even(const struct altpick_decision *body, struct altpick_derived *ret)
{
    const struct altpick_entry *warm = cheapest(&body->contest, ALTPICK_WARM);
    const struct altpick_entry *cold = cheapest(&body->contest, ALTPICK_COLD_BOTH);
    struct altpick_cell *cell;

    ret->title = "which one, by the share of calls that find code and data cold";
    ret->row_head = "calls";
    ret->column[0] = "cheapest";
    ret->column[1] = "from % cold calls on";
    ret->n_columns = 2;
    if (!warm || !cold)
        return;
    cell = altpick_derived_row(ret, "all warm");
    cell[0] = altpick_cell_text(warm->measurement->candidate.name);
    cell = altpick_derived_row(ret, "all cold");
    cell[0] = altpick_cell_text(cold->measurement->candidate.name);
    if (warm == cold) {
        ret->note = "the same one warm and cold: no share of cold calls changes it";
        return;
    }
    ret->note = "e: computed from the costs above; the interval is what theirs allow";
    cell[1] = break_even(warm, cold);
}

bool altpick_fpu_init_derive(const struct altpick_decisions *decisions, size_t index,
                             struct altpick_derived *ret_derived)
{
    altpick_zero(ret_derived, sizeof *ret_derived);
    if (index == 0)
        derive_bytes(decisions->result, ret_derived);
    else if (index == 1)
        derive_break_even(&decisions->decision[FPU_INIT_BODY], ret_derived);
    return index < 2;
}
