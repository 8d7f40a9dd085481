/* SPDX-License-Identifier: MIT */
/* What switches cost: sums of saves, restores, writes of CR0 and exceptions. */
#include "fpu_switch.h"

#include "altpick/xstate.h"
#include "bytes.h"

#define MICRO UINT64_C(1000000)

/* The terms of a switch. */
enum term {
    SAVE_INIT,
    SAVE_DIRTY,
    RESTORE_INIT,
    RESTORE_DIRTY,
    CR0_READ,
    CR0_WRITE,
    CLTS,
    NM,
    TERMS,
};
#define T(id) (1u << (id))

const char *const altpick_fpu_switch_policies[FPU_SWITCH_POLICIES] = {
    "eager-only", "eager-deferred", "mixed", "lazy"};

/*
 * Setting CR0.TS is a read and a write of CR0, clearing it is CLTS.  A lazy restore comes with #NM
 * and CLTS.  A mixed policy restores at the switch what will be used, and else sets CR0.TS, as
 * Linux did until 2015.  Between user tasks a deferred restore is as much work as an eager one: it
 * saves where a kernel thread or an idle loop comes between.
 */
/* clang-format off */
static const uint16_t terms[FPU_SWITCH_POLICIES][FPU_SWITCH_KINDS] = {
    [FPU_SWITCH_EAGER] = {T(SAVE_INIT) | T(RESTORE_INIT),
                          T(SAVE_INIT) | T(RESTORE_DIRTY),
                          T(SAVE_DIRTY) | T(RESTORE_INIT),
                          T(SAVE_DIRTY) | T(RESTORE_DIRTY)},
    [FPU_SWITCH_DEFERRED] = {T(SAVE_INIT) | T(RESTORE_INIT),
                             T(SAVE_INIT) | T(RESTORE_DIRTY),
                             T(SAVE_DIRTY) | T(RESTORE_INIT),
                             T(SAVE_DIRTY) | T(RESTORE_DIRTY)},
    [FPU_SWITCH_MIXED] = {0,
                          T(CLTS) | T(RESTORE_DIRTY),
                          T(SAVE_DIRTY) | T(CR0_READ) | T(CR0_WRITE),
                          T(SAVE_DIRTY) | T(RESTORE_DIRTY)},
    [FPU_SWITCH_LAZY] = {0,
                         T(NM) | T(CLTS) | T(RESTORE_DIRTY),
                         T(SAVE_DIRTY) | T(CR0_READ) | T(CR0_WRITE),
                         T(SAVE_DIRTY) | T(CR0_READ) | T(CR0_WRITE) | T(NM) | T(CLTS) |
                             T(RESTORE_DIRTY)},
};
/* clang-format on */

bool altpick_fpu_switch_is_eager(enum fpu_switch_policy policy)
{
    return policy == FPU_SWITCH_EAGER || policy == FPU_SWITCH_DEFERRED;
}

/*
 * Saves and restores that go together, by their format: the pair that makes a switch cheapest
 * counts.  XRSTORS reads what XSAVES wrote, and nothing else does.
 */
enum family { STANDARD, SUPERVISOR, LEGACY, FAMILIES };

/* Candidates for a term, the cheapest counts; and what the 2015 thread found where none has run. */
/* clang-format off */
static const struct {
    const char *candidates[FAMILIES][4]; /* what is no save or restore has one list */
    uint64_t estimate_cycles;
    bool estimated; /* there is one */
    bool init;
} sources[TERMS] = {
    [SAVE_INIT] = {.candidates = {{"xsaveopt", "xsavec", "xsave"}, {"xsaves"}, {"fxsave"}},
                   .init = true},
    [SAVE_DIRTY] = {.candidates = {{"xsaveopt", "xsavec", "xsave"}, {"xsaves"}, {"fxsave"}}},
    [RESTORE_INIT] = {.candidates = {{"xrstor"}, {"xrstors"}, {"fxrstor"}}, .init = true},
    [RESTORE_DIRTY] = {.candidates = {{"xrstor"}, {"xrstors"}, {"fxrstor"}}},
    [CR0_READ] = {.candidates = {{"cr0-read"}}, .estimate_cycles = 4, .estimated = true},
    [CR0_WRITE] = {.candidates = {{"cr0-write"}}, .estimate_cycles = 208, .estimated = true},
    /* No figure is published: nothing, in favour of lazy switching. */
    [CLTS] = {.candidates = {{"clts"}}, .estimate_cycles = 0, .estimated = true},
    [NM] = {.candidates = {{"nm", "nm-sse", "nm-avx", "nm-xsave"}}, .estimate_cycles = 1156, .estimated = true},
};
/* clang-format on */

/* The state that a term is measured in; what is no access to memory has a warm figure only. */
static unsigned condition_of(enum term term, bool cold)
{
    if (sources[term].estimated)
        return ALTPICK_WARM;
    if (sources[term].init)
        return cold ? ALTPICK_COLD_INIT : ALTPICK_INIT;
    return cold ? ALTPICK_COLD_DATA : ALTPICK_WARM;
}

/* FXSAVE and FXRSTOR do for all where there is nothing but x87 and SSE. */
static bool saves_all(const struct altpick_result *result, const char *name)
{
    uint32_t legacy = 1u << ALTPICK_COMPONENT_X87 | 1u << ALTPICK_COMPONENT_XMM;

    return name[0] != 'f' || (result->components & ~legacy) == 0;
}

/* The cheapest figure of @family for @term, or an estimate, or unmeasured. */
static struct altpick_cost term_cost(const struct altpick_result *result, enum term term,
                                     enum family family, bool cold)
{
    struct altpick_cost best = {.status = ALTPICK_STATUS_UNMEASURED};
    unsigned condition = condition_of(term, cold);
    uint64_t estimate = sources[term].estimate_cycles * MICRO;

    for (size_t i = 0; i < sizeof *sources->candidates / sizeof **sources->candidates; i++) {
        const char *name = sources[term].candidates[sources[term].estimated ? 0 : family][i];
        const struct altpick_measurement *m = name ? altpick_result_candidate(result, name) : NULL;

        if (m && altpick_cost_is_known(&m->cost[condition]) && saves_all(result, name) &&
            (!altpick_cost_is_known(&best) || m->cost[condition].cycles_micro < best.cycles_micro))
            best = m->cost[condition];
    }
    if (!altpick_cost_is_known(&best) && sources[term].estimated)
        best = (struct altpick_cost){.status = ALTPICK_STATUS_ESTIMATED,
                                     .cycles_micro = estimate,
                                     .low_micro = estimate,
                                     .high_micro = estimate};
    return best;
}

/* The sum of the terms in @set with the saves and restores of @family. */
static struct altpick_cost sum_of(const struct altpick_result *result, unsigned set,
                                  enum family family, bool cold)
{
    struct altpick_cost sum = {.status = ALTPICK_STATUS_MEASURED, .count = UINT32_MAX};

    for (unsigned t = 0; t < TERMS; t++) {
        struct altpick_cost cost;

        if (!(set >> t & 1))
            continue;
        cost = term_cost(result, (enum term) t, family, cold);
        if (cost.status == ALTPICK_STATUS_UNMEASURED)
            return cost;
        if (cost.status != ALTPICK_STATUS_MEASURED)
            sum.status = ALTPICK_STATUS_ESTIMATED;
        sum.cycles_micro += cost.cycles_micro;
        sum.low_micro += cost.low_micro;
        sum.high_micro += cost.high_micro;
        sum.count = cost.count < sum.count ? cost.count : sum.count;
    }
    if (sum.count == UINT32_MAX)
        sum.count = 1;
    return sum;
}

void altpick_fpu_switch_cost(const struct altpick_result *result, enum fpu_switch_policy policy,
                             enum fpu_switch_kind kind, bool cold, struct altpick_cost *ret_cost)
{
    struct altpick_cost best = {.status = ALTPICK_STATUS_UNMEASURED};

    for (unsigned f = 0; f < FAMILIES; f++) {
        struct altpick_cost cost = sum_of(result, terms[policy][kind], (enum family) f, cold);

        if (cost.status != ALTPICK_STATUS_UNMEASURED &&
            (best.status == ALTPICK_STATUS_UNMEASURED || cost.cycles_micro < best.cycles_micro))
            best = cost;
    }
    *ret_cost = best;
}

enum { SHARES = 6, SHARE_WHOLE = 100 };
static const uint32_t share_percent[SHARES] = {0, 10, 25, 50, 75, 100};
static const char *const share_names[SHARES] = {"0 %", "10 %", "25 %", "50 %", "75 %", "100 %"};

/* The mean over switches where @share of the tasks use the FPU, in no particular order. */
static struct altpick_cell at_share(const struct altpick_result *result,
                                    enum fpu_switch_policy policy, bool cold, uint32_t share)
{
    uint32_t other = SHARE_WHOLE - share;
    const uint32_t weight[FPU_SWITCH_KINDS] = {other * other, other * share, share * other,
                                               share * share};
    struct altpick_cell cell = {.unit = ALTPICK_UNIT_CYCLES, .status = ALTPICK_STATUS_MEASURED};

    for (unsigned k = 0; k < FPU_SWITCH_KINDS; k++) {
        struct altpick_cost cost;

        altpick_fpu_switch_cost(result, policy, (enum fpu_switch_kind) k, cold, &cost);
        if (cost.status == ALTPICK_STATUS_UNMEASURED)
            return (struct altpick_cell){.unit = ALTPICK_UNIT_NONE};
        if (cost.status != ALTPICK_STATUS_MEASURED && weight[k])
            cell.status = ALTPICK_STATUS_ESTIMATED;
        cell.value += cost.cycles_micro * weight[k] / (SHARE_WHOLE * SHARE_WHOLE);
        cell.low += cost.low_micro * weight[k] / (SHARE_WHOLE * SHARE_WHOLE);
        cell.high += cost.high_micro * weight[k] / (SHARE_WHOLE * SHARE_WHOLE);
    }
    return cell;
}

bool altpick_fpu_switch_derive(const struct altpick_decisions *decisions, size_t index,
                               struct altpick_derived *ret_derived)
{
    static const char *const titles[] = {
        "cycles of a switch by the share of tasks that use the FPU, save areas in the caches",
        "cycles of a switch by the share of tasks that use the FPU, save areas in no cache"};

    altpick_zero(ret_derived, sizeof *ret_derived);
    if (index > 1)
        return false;
    ret_derived->title = titles[index];
    ret_derived->note = "e: estimated with CR0 read 4, CR0 write 208, #NM 1156 cycles (the 2015 "
                        "thread), CLTS 0, where no ring-0 probe measured them";
    ret_derived->row_head = "policy";
    ret_derived->n_columns = SHARES;
    for (unsigned s = 0; s < SHARES; s++)
        ret_derived->column[s] = share_names[s];
    for (unsigned p = 0; p < FPU_SWITCH_POLICIES; p++) {
        struct altpick_cell *cell =
            altpick_derived_row(ret_derived, altpick_fpu_switch_policies[p]);

        for (unsigned s = 0; s < SHARES; s++)
            cell[s] = at_share(decisions->result, (enum fpu_switch_policy) p, index == 1,
                               share_percent[s]);
    }
    return true;
}
