/* SPDX-License-Identifier: MIT */
/* The claims of the thread about reference counters that saturate (docs/claims.md). */
#include "claim_figures.h"

#include <stdio.h>

#define MICRO UINT64_C(1000000)

/* Cycles and instructions of the thread for all pairs of inc and dec_and_test. */
#define PAIRS               (UINT64_C(1) << 31)
#define ATOMIC_CYCLES       UINT64_C(82249267387)
#define FULL_CYCLES         UINT64_C(144814735193)
#define ATOMIC_INSTRUCTIONS UINT64_C(11208720041)
#define FAST_INSTRUCTIONS   UINT64_C(15486246572)

static const char question[] = "refcount";
static const char no_figures[] = "no warm figures of both (refcount)";

/* inc and dec_and_test of @variant. */
struct pair {
    struct altpick_cost cost;
    uint32_t instructions; /* 0: not counted */
    bool has_cost;
};

static struct pair pair_of(const struct altpick_machine *machine, const char *variant)
{
    static const char *const operations[] = {"inc", "dec_and_test"};
    const struct altpick_cost *cost[2];
    uint32_t instructions[2];
    struct pair pair = {.has_cost = false};

    for (size_t i = 0; i < 2; i++) {
        const struct altpick_measurement *m;
        char name[ALTPICK_NAME_MAX];

        snprintf(name, sizeof name, "%s.%s", variant, operations[i]);
        m = altpick_claim_candidate(machine, question, name);
        cost[i] = altpick_claim_cost(machine, question, name, ALTPICK_WARM);
        instructions[i] = m ? m->instructions : 0;
    }
    if (cost[0] && cost[1]) {
        pair.cost = altpick_claim_sum(cost[0], cost[1]);
        pair.has_cost = true;
    }
    if (instructions[0] && instructions[1])
        pair.instructions = instructions[0] + instructions[1];
    return pair;
}

static double ratio(uint64_t a, uint64_t b)
{
    return (double) a / (double) b;
}

static uint64_t ratio_micro(uint64_t a, uint64_t b)
{
    return (uint64_t) (ratio(a, b) * 1e6 + 0.5);
}

static void test_fast_is_free(const struct altpick_machine *machine, struct altpick_finding *ret)
{
    struct pair atomic = pair_of(machine, "atomic"), fast = pair_of(machine, "fast");
    int64_t excess;

    if (!atomic.has_cost || !fast.has_cost) {
        altpick_claim_untestable(ret, "%s", no_figures);
        return;
    }
    excess = altpick_claim_excess_ppm(&fast.cost, atomic.cost.cycles_micro);
    ret->verdict =
        excess > ALTPICK_CLAIM_DIFFERENT_PPM ? ALTPICK_CLAIM_UNTESTABLE : ALTPICK_CLAIM_TRUE;
    altpick_claim_say(ret, "cycles of a pair: atomic %.2f, fast %.2f",
                      altpick_claim_number(atomic.cost.cycles_micro),
                      altpick_claim_number(fast.cost.cycles_micro));
    if (altpick_claim_is_dearer(&fast.cost, &atomic.cost))
        altpick_claim_except(ret, excess);
    if (ret->verdict == ALTPICK_CLAIM_UNTESTABLE)
        altpick_claim_say(ret, "; no difference beyond doubt");
}

static void test_full_costs_176(const struct altpick_machine *machine, struct altpick_finding *ret)
{
    struct pair atomic = pair_of(machine, "atomic"), full = pair_of(machine, "full");

    if (!atomic.has_cost || !full.has_cost) {
        altpick_claim_untestable(ret, "%s", no_figures);
        return;
    }
    ret->verdict = ALTPICK_CLAIM_TRUE;
    altpick_claim_say(ret, "cycles of a pair: atomic %.2f, full %.2f, %.2f times",
                      altpick_claim_number(atomic.cost.cycles_micro),
                      altpick_claim_number(full.cost.cycles_micro),
                      ratio(full.cost.cycles_micro, atomic.cost.cycles_micro));
    altpick_claim_near(ret, ratio_micro(full.cost.cycles_micro, atomic.cost.cycles_micro),
                       FULL_CYCLES * MICRO / ATOMIC_CYCLES, FULL_CYCLES * MICRO / ATOMIC_CYCLES);
}

/* The thread counted its loop, too: what a pair has more is set beside the thread's whole pair. */
static void test_fast_executes_more(const struct altpick_machine *machine,
                                    struct altpick_finding *ret)
{
    struct pair atomic = pair_of(machine, "atomic"), fast = pair_of(machine, "fast");
    uint64_t thread = ratio_micro(FAST_INSTRUCTIONS, ATOMIC_INSTRUCTIONS);
    double whole = ratio(ATOMIC_INSTRUCTIONS, PAIRS), times;

    if (!atomic.instructions || !fast.instructions) {
        altpick_claim_untestable(ret, "instructions of both were not counted (refcount)");
        return;
    }
    times = 1 + ((double) fast.instructions - (double) atomic.instructions) / whole;
    times = times > 0 ? times : 0;
    ret->verdict = ALTPICK_CLAIM_TRUE;
    altpick_claim_say(
        ret,
        "instructions of a pair: atomic %u, fast %u, %.2f times; of the %.1f that the "
        "thread counted, loop included, %.2f times",
        atomic.instructions, fast.instructions, ratio(fast.instructions, atomic.instructions),
        whole, times);
    altpick_claim_near(ret, (uint64_t) (times * 1e6 + 0.5), thread, thread);
}

/* Instructions are a poor guide where they say something else than cycles by more than a tenth. */
static void test_cycles_not_instructions(const struct altpick_machine *machine,
                                         struct altpick_finding *ret)
{
    static const char *const variants[] = {"fast", "full"};
    struct pair atomic = pair_of(machine, "atomic");
    size_t n = 0, misled = 0;

    altpick_claim_say(ret, "times atomic in instructions and in cycles:");
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        struct pair other = pair_of(machine, variants[i]);
        struct altpick_finding same = {0};

        if (!atomic.instructions || !atomic.has_cost || !other.instructions || !other.has_cost)
            continue;
        altpick_claim_say(ret, "%s %s %.2f and %.2f", n++ ? "," : "", variants[i],
                          ratio(other.instructions, atomic.instructions),
                          ratio(other.cost.cycles_micro, atomic.cost.cycles_micro));
        altpick_claim_near(&same, ratio_micro(other.instructions, atomic.instructions),
                           ratio_micro(other.cost.cycles_micro, atomic.cost.cycles_micro),
                           ratio_micro(other.cost.cycles_micro, atomic.cost.cycles_micro));
        misled += same.verdict == ALTPICK_CLAIM_FALSE;
    }
    if (n == 0)
        altpick_claim_untestable(ret, "no figures of both cycles and instructions (refcount)");
    else if (misled > 0)
        ret->verdict = ALTPICK_CLAIM_TRUE;
    else
        altpick_claim_except(ret, 0);
}

/* clang-format off */
static const struct altpick_claim claims[] = {
    {
        .id = "fast-is-free",
        .text = "A counter that saturates by a flag test (fast) costs no more cycles than a plain "
                "one (atomic).",
        .test = test_fast_is_free,
        .thread_says = "time: atomic 25255.1 ms, fast 25259.6 ms",
    },
    {
        .id = "fast-executes-more",
        .text = "It executes 1.4 times the instructions; within 10 % here.",
        .test = test_fast_executes_more,
        .thread_says = "instructions with the loop: atomic 11208720041, fast 15486246572, 1.38 "
                       "times",
    },
    {
        .id = "full-costs-1.76",
        .text = "A counter in a CMPXCHG loop (full) costs 1.76 times the cycles; within 10 % here.",
        .test = test_full_costs_176,
        .thread_says = "time: atomic 25255.1 ms, full 44625.9 ms, 1.77 times",
    },
    {
        .id = "cycles-not-instructions",
        .text = "Counters must be compared by cycles: instructions say something else.",
        .test = test_cycles_not_instructions,
        .thread_says = "times atomic in instructions and in cycles: fast 1.38 and 1.00, full 9.45 "
                       "and 1.76",
    },
};
/* clang-format on */

extern const struct altpick_claim_thread altpick_claim_thread_refcount_2017;
const struct altpick_claim_thread altpick_claim_thread_refcount_2017 = {
    .name = "refcount-2017",
    .title = "reference counters that saturate",
    .source = "Linux kernel mailing list, 2017-07; 2^31 pairs of inc and dec_and_test",
    .claims = claims,
    .n_claims = sizeof claims / sizeof *claims,
};
