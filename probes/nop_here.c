/* SPDX-License-Identifier: MIT */
/*
 * What published figures say of a NOP on the very machine that they are of.  The sum of two single
 * figures is an estimate, too weak to choose by; but a single NOP that fails the test of the veto
 * on its own machine is not used there either, for any target.
 */
#include "nop_fill.h"

enum { TOXIC_RATIO = 2, TOXIC_MICRO = 1000000 }; /* as in published/tables.py */

/* The one NOP that @measurement consists of, where it has a published figure. */
static bool single_of(const struct altpick_measurement *measurement, struct altpick_nop *ret_nop)
{
    const struct altpick_candidate *candidate = &measurement->candidate;

    return measurement->cost[ALTPICK_HOT].status == ALTPICK_STATUS_PUBLISHED &&
           candidate->code_bytes > 0 &&
           altpick_nop_decode(candidate->code, candidate->code_bytes, ret_nop) ==
               candidate->code_bytes;
}

/* Cycles of the cheapest sequence of published single NOPs for every number of bytes. */
static void best_fillings(const struct altpick_result *result,
                          uint64_t ret_micro[ALTPICK_NOP_LONGEST + 1])
{
    ret_micro[0] = 0;
    for (uint32_t n = 1; n <= ALTPICK_NOP_LONGEST; n++)
        ret_micro[n] = UINT64_MAX;
    for (uint32_t n = 1; n <= ALTPICK_NOP_LONGEST; n++) {
        for (size_t i = 0; i < result->n_candidates; i++) {
            const struct altpick_measurement *m = &result->candidates[i];
            uint64_t cost = m->cost[ALTPICK_HOT].cycles_micro;
            struct altpick_nop nop;

            if (!single_of(m, &nop) || nop.bytes > n || ret_micro[n - nop.bytes] == UINT64_MAX)
                continue;
            cost += ret_micro[n - nop.bytes];
            ret_micro[n] = cost < ret_micro[n] ? cost : ret_micro[n];
        }
    }
}

static bool is_toxic(const struct altpick_result *result, const struct altpick_nop *nop,
                     const uint64_t *best_micro)
{
    for (size_t i = 0; i < result->n_candidates; i++) {
        uint64_t cost = result->candidates[i].cost[ALTPICK_HOT].cycles_micro;
        struct altpick_nop other;

        if (single_of(&result->candidates[i], &other) && other.opcode == nop->opcode &&
            other.bytes == nop->bytes && other.prefixes == nop->prefixes)
            return cost > TOXIC_RATIO * best_micro[nop->bytes] &&
                   cost > best_micro[nop->bytes] + TOXIC_MICRO;
    }
    return false;
}

bool altpick_nop_toxic_here(const struct altpick_result *result, const uint8_t *code, size_t bytes)
{
    uint64_t best_micro[ALTPICK_NOP_LONGEST + 1];
    struct altpick_nop nop;
    size_t n;

    if (!altpick_result_is_published(result))
        return false;
    best_fillings(result, best_micro);
    for (size_t at = 0; at < bytes; at += n) {
        n = altpick_nop_decode(code + at, bytes - at, &nop);
        if (n == 0)
            return false;
        if (is_toxic(result, &nop, best_micro))
            return true;
    }
    return false;
}
