/* SPDX-License-Identifier: MIT */
/* The claims of the thread about NOPs on four AMD families (docs/claims.md). */
#include "claim_figures.h"

#include "altpick/nop.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHORTEST_SEQUENCE = 5, /* from here on K8 forms are two instructions */
    LONGEST = 8,           /* of both tables */
    K8_LONGEST = 4,
    DOUBLE_PPM = 100000, /* less far from twice is twice */
};

static const char fill[] = "nop.fill.64", poke[] = "nop.text-poke";

/* The hot figure of @code, a sum of published ones included; NULL without one. */
static const struct altpick_cost *cost_of(const struct altpick_machine *machine,
                                          const char *question, const uint8_t *code, size_t bytes)
{
    const struct altpick_result *result = altpick_machine_result(machine, question);

    for (size_t i = 0; result && i < result->n_candidates; i++) {
        const struct altpick_measurement *m = &result->candidates[i];
        const struct altpick_cost *hot = &m->cost[ALTPICK_HOT];

        if (m->candidate.code_bytes == bytes && memcmp(m->candidate.code, code, bytes) == 0 &&
            (altpick_cost_is_known(hot) || hot->status == ALTPICK_STATUS_ESTIMATED) &&
            hot->cycles_micro > 0)
            return hot;
    }
    return NULL;
}

static const struct altpick_cost *p6_cost(const struct altpick_machine *machine, uint32_t bytes)
{
    uint8_t code[ALTPICK_NOP_LONGEST];

    altpick_nop_recommended(code, bytes);
    return cost_of(machine, fill, code, bytes);
}

static const struct altpick_cost *k8_cost(const struct altpick_machine *machine, uint32_t bytes)
{
    uint8_t code[ALTPICK_NOP_LONGEST];

    altpick_nop_even(code, bytes, bytes > K8_LONGEST ? 2 : 1, altpick_nop_6690);
    return cost_of(machine, fill, code, bytes);
}

static double cycles(const struct altpick_cost *cost)
{
    return altpick_claim_number(cost->cycles_micro);
}

static const char of_sums[] = " (K8: sums of single NOPs)";
static const char no_figures[] = "it has no hot figures of the forms that are compared";

static void test_p6_wins(const struct altpick_machine *machine, struct altpick_finding *ret)
{
    struct altpick_claim_tally tally = {0};
    bool sums = false;

    altpick_claim_say(ret, "P6/K8 cycles by bytes:");
    for (uint32_t bytes = SHORTEST_SEQUENCE; bytes <= LONGEST; bytes++) {
        const struct altpick_cost *p6 = p6_cost(machine, bytes), *k8 = k8_cost(machine, bytes);

        if (!p6 || !k8)
            continue;
        altpick_claim_say(ret, "%s %u: %.3f/%.3f", tally.n ? "," : "", bytes, cycles(p6),
                          cycles(k8));
        altpick_claim_pair(ret, &tally, p6, k8);
        sums = sums || k8->status == ALTPICK_STATUS_ESTIMATED;
    }
    if (tally.n == 0) {
        altpick_claim_untestable(ret, "%s", no_figures);
        return;
    }
    altpick_claim_say(ret, "%s", sums ? of_sums : "");
    altpick_claim_decide(ret, &tally);
}

static void test_k8_doubles(const struct altpick_machine *machine, struct altpick_finding *ret)
{
    const struct altpick_cost *four = k8_cost(machine, K8_LONGEST);
    bool sums = false;
    size_t n = 0;

    if (!four) {
        altpick_claim_untestable(ret, "%s", no_figures);
        return;
    }
    ret->verdict = ALTPICK_CLAIM_TRUE;
    altpick_claim_say(ret, "K8 cycles by bytes: 4: %.3f; times that:", cycles(four));
    for (uint32_t bytes = SHORTEST_SEQUENCE; bytes <= LONGEST; bytes++) {
        const struct altpick_cost *k8 = k8_cost(machine, bytes);
        struct altpick_cost twice = *four;
        int64_t excess;

        if (!k8)
            continue;
        twice.cycles_micro *= 2;
        twice.low_micro *= 2;
        twice.high_micro *= 2;
        sums = sums || k8->status == ALTPICK_STATUS_ESTIMATED;
        excess = llabs(altpick_claim_excess_ppm(k8, twice.cycles_micro));
        altpick_claim_say(ret, "%s %u: %.2f", n++ ? "," : "", bytes, cycles(k8) / cycles(four));
        if (excess > DOUBLE_PPM && altpick_claim_is_sure(k8, &twice))
            altpick_claim_except(ret, excess);
    }
    if (n == 0)
        altpick_claim_untestable(ret, "%s", no_figures);
    else if (sums)
        altpick_claim_say(ret, "%s", of_sums);
}

static void test_single_to_8(const struct altpick_machine *machine, struct altpick_finding *ret)
{
    const struct altpick_cost *one = p6_cost(machine, 1);
    size_t n = 0;

    if (!one) {
        altpick_claim_untestable(ret, "%s", no_figures);
        return;
    }
    ret->verdict = ALTPICK_CLAIM_TRUE;
    altpick_claim_say(ret, "cycles by bytes: 1: %.3f", cycles(one));
    for (uint32_t bytes = 2; bytes <= LONGEST; bytes++) {
        const struct altpick_cost *p6 = p6_cost(machine, bytes);

        if (!p6)
            continue;
        altpick_claim_say(ret, ", %u: %.3f", bytes, cycles(p6));
        n++;
        if (altpick_claim_is_dearer(p6, one))
            altpick_claim_except(ret, altpick_claim_excess_ppm(p6, one->cycles_micro));
    }
    if (n == 0)
        altpick_claim_untestable(ret, "%s", no_figures);
}

/* The other 5-byte forms of the thread's program; bytes beyond n_code are whatever a jump skips. */
static const struct {
    const char *name;
    uint8_t code[5];
    size_t n_code;
} alternatives[] = {
    {"LEA",    {0x48, 0x8d, 0x74, 0x26, 0x00}, 5}, /* lea 0x0(%rsi,%riz,1),%rsi */
    {"XCHG",   {0x66, 0x66, 0x66, 0x87, 0xc0}, 5}, /* xchg %ax,%ax */
    {"MOV",    {0x66, 0x66, 0x66, 0x89, 0xc0}, 5}, /* mov %ax,%ax */
    {"FDISI",  {0x66, 0x66, 0x66, 0xdb, 0xe1}, 5}, /* fndisi */
    {"FENI",   {0x66, 0x66, 0x66, 0xdb, 0xe0}, 5}, /* fneni */
    {"E9 JMP", {0xe9, 0x00, 0x00, 0x00, 0x00}, 5}, /* jmp rel32 */
    {"EB JMP", {0xeb, 0x03},                   2}, /* jmp rel8 */
};

enum { N_ALTERNATIVES = sizeof alternatives / sizeof *alternatives };

/* The name of the alternative that @candidate is, or NULL: the bytes decide. */
static const char *alternative_name(const struct altpick_candidate *candidate)
{
    for (size_t i = 0; i < N_ALTERNATIVES; i++) {
        if (candidate->code_bytes == sizeof alternatives[i].code &&
            memcmp(candidate->code, alternatives[i].code, alternatives[i].n_code) == 0)
            return alternatives[i].name;
    }
    return NULL;
}

static void test_five_bytes(const struct altpick_machine *machine, struct altpick_finding *ret)
{
    const struct altpick_result *result = altpick_machine_result(machine, poke);
    uint8_t code[ALTPICK_NOP_LONGEST];
    const struct altpick_cost *p6;
    size_t n = 0;

    altpick_nop_recommended(code, SHORTEST_SEQUENCE);
    p6 = cost_of(machine, poke, code, SHORTEST_SEQUENCE);
    if (!result || !p6) {
        altpick_claim_untestable(
            ret, "no figures of LEA, XCHG, MOV, FDISI, FENI and JMP (nop.text-poke)");
        return;
    }
    ret->verdict = ALTPICK_CLAIM_TRUE;
    altpick_claim_say(ret, "0F1F %.3f;", cycles(p6));
    for (size_t i = 0; i < result->n_candidates; i++) {
        const struct altpick_measurement *m = &result->candidates[i];
        const struct altpick_cost *cost = &m->cost[ALTPICK_HOT];
        const char *name = alternative_name(&m->candidate);

        if (!name || !altpick_cost_is_known(cost) || cost->cycles_micro == 0)
            continue;
        altpick_claim_say(ret, "%s %s %.3f", n++ ? "," : "", name, cycles(cost));
        if (altpick_claim_is_dearer(p6, cost))
            altpick_claim_except(ret, altpick_claim_excess_ppm(p6, cost->cycles_micro));
    }
    if (n == 0)
        altpick_claim_untestable(ret, "%s", no_figures);
}

/* The cheapest filling of @bytes other than @p6 that is cheaper beyond doubt, else the cheapest. */
static const struct altpick_measurement *best_other(const struct altpick_machine *machine,
                                                    const struct altpick_cost *p6, uint32_t bytes)
{
    const struct altpick_result *result = altpick_machine_result(machine, fill);
    const struct altpick_measurement *best = NULL;
    bool best_wins = false;

    for (size_t i = 0; result && i < result->n_candidates; i++) {
        const struct altpick_measurement *m = &result->candidates[i];
        const struct altpick_cost *cost = &m->cost[ALTPICK_HOT];
        bool wins;

        if (m->candidate.code_bytes != bytes || cost == p6 || cost->cycles_micro == 0)
            continue;
        wins = altpick_claim_is_dearer(p6, cost);
        if (!best || wins > best_wins ||
            (wins == best_wins && cost->cycles_micro < best->cost[ALTPICK_HOT].cycles_micro)) {
            best = m;
            best_wins = wins;
        }
    }
    return best;
}

static void test_as_fast_as_any(const struct altpick_machine *machine, struct altpick_finding *ret)
{
    int64_t closest = INT64_MIN;

    altpick_claim_untestable(ret, "%s", no_figures);
    for (uint32_t bytes = 3; bytes <= LONGEST; bytes++) {
        const struct altpick_cost *p6 = p6_cost(machine, bytes);
        const struct altpick_measurement *other = p6 ? best_other(machine, p6, bytes) : NULL;
        int64_t excess;
        bool loses;

        if (!other)
            continue;
        excess = altpick_claim_excess_ppm(p6, other->cost[ALTPICK_HOT].cycles_micro);
        loses = altpick_claim_is_dearer(p6, &other->cost[ALTPICK_HOT]);
        if (ret->verdict == ALTPICK_CLAIM_FALSE ? !loses || excess <= ret->excess_ppm
                                                : !loses && excess <= closest)
            continue;
        closest = excess;
        *ret = (struct altpick_finding){.verdict = loses ? ALTPICK_CLAIM_FALSE : ALTPICK_CLAIM_TRUE,
                                        .excess_ppm = loses ? excess : 0};
        altpick_claim_say(ret, "%s at %u bytes: 0F1F %.3f, %s %.3f", loses ? "worst" : "closest",
                          bytes, cycles(p6), other->candidate.name,
                          cycles(&other->cost[ALTPICK_HOT]));
    }
}

/* clang-format off */
static const struct altpick_claim claims[] = {
    {
        .id = "p6-wins",
        .text = "P6 forms (0F 1F) beat K8 forms (66 66 90 ...) from 5 bytes on: faster at some "
                "length, slower at none.",
        .test = test_p6_wins,
    },
    {
        .id = "k8-doubles",
        .text = "K8 forms cost twice as much from 5 bytes on as up to 4.",
        .test = test_k8_doubles,
    },
    {
        .id = "single-to-8",
        .text = "A single instruction fills up to 8 bytes at the cost of a one-byte NOP.",
        .test = test_single_to_8,
    },
    {
        .id = "five-bytes",
        .text = "The other 5-byte forms (LEA, XCHG, MOV, FDISI, FENI, JMP) are no faster than "
                "0F 1F.",
        .test = test_five_bytes,
    },
    {
        .id = "as-fast-as-any",
        .text = "0F 1F is as fast as or faster than any alternative of 3 to 8 bytes.",
        .test = test_as_fast_as_any,
    },
};
/* clang-format on */

extern const struct altpick_claim_thread altpick_claim_thread_nop_2015;
const struct altpick_claim_thread altpick_claim_thread_nop_2015 = {
    .name = "nop-2015",
    .title = "NOPs on AMD families 10h, 14h, 15h and 16h",
    .source = "Linux kernel mailing list, 2015-05; 1000 copies in a row, minimum of 30 x 10^6",
    .claims = claims,
    .n_claims = sizeof claims / sizeof *claims,
};
