/* SPDX-License-Identifier: MIT */
/* The cheapest filling from single costs: a shortest path over bytes, as a check on even splits. */
#include "bytes.h"
#include "nop_fill.h"

struct plan {
    uint64_t cost_micro[ALTPICK_NOP_GAP_MAX + 1]; /* of the cheapest filling of n bytes */
    const uint8_t *last[ALTPICK_NOP_GAP_MAX + 1]; /* its last instruction */
    uint32_t last_bytes[ALTPICK_NOP_GAP_MAX + 1];
};

/* Sum over the conditions measured so far; 0 where one that others have is missing. */
static uint64_t plain_sum(const struct altpick_result *result,
                          const struct altpick_measurement *measurement)
{
    uint64_t sum = 0;

    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
        if (!result->condition[c].asked || result->condition[c].status != ALTPICK_STATUS_MEASURED)
            continue;
        if (!altpick_cost_is_known(&measurement->cost[c]))
            return 0;
        sum += measurement->cost[c].cycles_micro;
    }
    return sum;
}

static void plan_with(struct plan *plan, uint32_t bits, const struct altpick_result *so_far,
                      const struct altpick_measurement *measurement)
{
    struct altpick_padding scan;
    uint32_t bytes = measurement->candidate.code_bytes;
    uint64_t sum = plain_sum(so_far, measurement);

    if (sum == 0 || bytes > ALTPICK_NOP_LONGEST ||
        !altpick_padding_scan_in(bits, measurement->candidate.code, bytes, &scan) ||
        scan.instructions != 1 || scan.jumps)
        return;
    for (uint32_t n = bytes; n <= ALTPICK_NOP_GAP_MAX; n++) {
        uint64_t cost = plan->cost_micro[n - bytes] + sum;

        if (plan->cost_micro[n - bytes] == UINT64_MAX || cost >= plan->cost_micro[n])
            continue;
        plan->cost_micro[n] = cost;
        plan->last[n] = measurement->candidate.code;
        plan->last_bytes[n] = bytes;
    }
}

static void write_plan(const struct plan *plan, uint32_t bytes, struct altpick_candidate *candidate)
{
    uint32_t left = bytes;

    if (plan->cost_micro[bytes] == UINT64_MAX)
        return;
    while (left > 0) {
        altpick_copy_bytes(candidate->code + bytes - left, plan->last[left],
                           plan->last_bytes[left]);
        left -= plan->last_bytes[left];
    }
    candidate->code_bytes = bytes;
}

void altpick_nop_refine(const struct altpick_question *question,
                        const struct altpick_result *so_far,
                        struct altpick_candidate candidates[ALTPICK_CANDIDATES_MAX], size_t n)
{
    struct plan plan = {.cost_micro = {0}};
    size_t gap = 0;

    for (size_t i = 1; i <= ALTPICK_NOP_GAP_MAX; i++)
        plan.cost_micro[i] = UINT64_MAX;
    /* As in the coin problem: after every coin was offered once for all sums, costs are final. */
    for (size_t i = 0; i < so_far->n_candidates; i++)
        plan_with(&plan, question->bits, so_far, &so_far->candidates[i]);
    for (size_t i = 0; i < n && gap < NOP_GAPS; i++) {
        if (candidates[i].code_bytes == 0)
            write_plan(&plan, altpick_nop_gaps[gap++], &candidates[i]);
    }
}
