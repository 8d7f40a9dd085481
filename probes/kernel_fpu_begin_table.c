/* SPDX-License-Identifier: MIT */
/* What follows from kernel-fpu.begin's costs: the speed that a user keeps, and its mean. */
#include "kernel_fpu_begin.h"

#include "bytes.h"
#include "logarithm.h"

#define WHOLE UINT64_C(100000000) /* 100 percent in millionths */

enum {
    MEANS_MAX = KERNEL_FPU_KERNELS * KERNEL_FPU_SIZES,
    N_COMPARED = 4,
    PART_BITS = 36, /* times WHOLE, that stays within 64 bits */
};

static const char *const names[N_COMPARED] = {"none", "ldmxcsr", "fninit", "both"};

/* The figures of what is compared, the first being no reset; false where one is not there. */
static bool find_compared(const struct altpick_result *result,
                          const struct altpick_measurement *ret[N_COMPARED])
{
    bool all = true;

    for (size_t k = 0; k < N_COMPARED; k++) {
        ret[k] = altpick_result_candidate(result, names[k]);
        all = all && ret[k];
    }
    return all;
}

/* @part of @whole in percent. */
static uint64_t percent(uint64_t part, uint64_t whole)
{
    while (part >> PART_BITS) {
        part >>= 1;
        whole >>= 1;
    }
    return whole ? part * WHOLE / whole : 0;
}

/* The speed that is kept: the time without a reset against the time with @cost's. */
static struct altpick_cell kept(const struct altpick_cost *none, const struct altpick_cost *cost)
{
    struct altpick_cell cell = {.unit = ALTPICK_UNIT_NONE, .status = cost->status};

    if (!altpick_cost_is_known(none) || !altpick_cost_is_known(cost) || !cost->low_micro)
        return cell;
    cell.unit = ALTPICK_UNIT_PERCENT;
    cell.value = percent(none->cycles_micro, cost->cycles_micro);
    cell.low = percent(none->low_micro, cost->high_micro);
    cell.high = percent(none->high_micro, cost->low_micro);
    return cell;
}

static void derive_kept(const struct altpick_result *result,
                        const struct altpick_measurement *const compared[N_COMPARED],
                        struct altpick_derived *ret)
{
    ret->title = "speed that a xor of two blocks keeps after a reset, in percent of no reset";
    ret->note = "single cells vary from run to run: nothing is concluded from one of them";
    ret->row_head = "xor, bytes";
    ret->column[0] = "none: cycles";
    for (size_t k = 1; k < N_COMPARED; k++)
        ret->column[k] = names[k];
    ret->n_columns = N_COMPARED;
    for (size_t i = 0; i < KERNEL_FPU_KERNELS; i++) {
        for (size_t s = 0; s < KERNEL_FPU_SIZES; s++) {
            unsigned condition = altpick_kernel_fpu_xor[i][s];
            const struct altpick_cost *none = &compared[0]->cost[condition];
            struct altpick_cell *cell;

            if (!result->condition[condition].asked)
                continue;
            cell = altpick_derived_row(ret, altpick_condition_name(condition));
            for (size_t k = 1; k < N_COMPARED; k++)
                cell[k] = kept(none, &compared[k]->cost[condition]);
            cell[0] = altpick_cell_cost(none);
        }
    }
}

static unsigned workload(size_t i)
{
    return altpick_kernel_fpu_xor[i / KERNEL_FPU_SIZES][i % KERNEL_FPU_SIZES];
}

static bool has_workloads(const struct altpick_measurement *measurement)
{
    for (size_t i = 0; i < MEANS_MAX; i++) {
        if (altpick_cost_is_known(&measurement->cost[workload(i)]))
            return true;
    }
    return false;
}

/* Whether all that have figures of workloads at all have one of @condition. */
static bool is_common(const struct altpick_measurement *const compared[N_COMPARED],
                      unsigned condition)
{
    for (size_t k = 0; k < N_COMPARED; k++) {
        if (has_workloads(compared[k]) && !altpick_cost_is_known(&compared[k]->cost[condition]))
            return false;
    }
    return true;
}

/* Means over different workloads could not be compared: those count that are common to all. */
static void derive_mean(const struct altpick_measurement *const compared[N_COMPARED],
                        struct altpick_derived *ret)
{
    ret->title = "geometric mean of the speed kept, in percent of no reset";
    ret->note = "the order of these is what repeats from run to run";
    ret->row_head = "reset";
    ret->column[0] = "kept %";
    ret->column[1] = "workloads";
    ret->n_columns = 2;
    for (size_t k = 0; k < N_COMPARED; k++) {
        struct altpick_cell *cell = altpick_derived_row(ret, names[k]);
        uint64_t value[3][MEANS_MAX];
        size_t n = 0;

        for (size_t i = 0; i < MEANS_MAX; i++) {
            unsigned condition = workload(i);
            struct altpick_cell each =
                kept(&compared[0]->cost[condition], &compared[k]->cost[condition]);

            if (each.unit != ALTPICK_UNIT_PERCENT || !each.low || !each.value || !each.high ||
                !is_common(compared, condition))
                continue;
            value[0][n] = k ? each.value : WHOLE;
            value[1][n] = k ? each.low : WHOLE;
            value[2][n++] = k ? each.high : WHOLE;
            cell[0].status = each.status;
        }
        if (n == 0)
            continue;
        cell[0].unit = ALTPICK_UNIT_PERCENT;
        cell[0].value = altpick_geometric_mean(value[0], n);
        cell[0].low = altpick_geometric_mean(value[1], n);
        cell[0].high = altpick_geometric_mean(value[2], n);
        cell[1] = (struct altpick_cell){
            .unit = ALTPICK_UNIT_COUNT, .status = cell[0].status, .value = n, .low = n, .high = n};
    }
}

bool altpick_kernel_fpu_begin_derive(const struct altpick_decisions *decisions, size_t index,
                                     struct altpick_derived *ret_derived)
{
    const struct altpick_measurement *compared[N_COMPARED];

    altpick_zero(ret_derived, sizeof *ret_derived);
    if (index > 1 || !find_compared(decisions->result, compared))
        return false;
    if (index == 0)
        derive_kept(decisions->result, compared, ret_derived);
    else
        derive_mean(compared, ret_derived);
    return true;
}
