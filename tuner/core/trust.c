/* SPDX-License-Identifier: MIT */
/*
 * Turns timings of compiled-in code into a verdict: a core, or a program that plays one.
 *
 * What gives a translator away is what it does not model: padding and fences that it drops, an
 * instruction that should be slow and is a lookup, floating point and memory through helper
 * functions.  Integer chains look right under it, and CPUID says what it was told to say.
 */
#include "altpick/trust.h"
#include "altpick/clock.h"
#include "trust_kernels.h"

enum {
    ROUNDS = 21,
    ROUNDS_MIN = 5,
    INTEGER_ROUNDS = 2,       /* of integer kernels, before others are risked */
    SLOW_RUN_TICKS = 1000000, /* an interpreter: more rounds would take seconds */
    COARSE_CLOCK_TICKS = 1000,
    FIGURES_MIN = 5, /* of ten kernels: fewer are no evidence of a core */
};

static uint64_t time_run(const struct altpick_trust_code *code, struct altpick_trust_ring *ring,
                         bool *backwards)
{
    uint64_t start, stop;

    if (code->prepare)
        code->prepare(ring);
    start = altpick_clock_start();
    code->run(ring);
    stop = altpick_clock_stop();
    if (stop < start) {
        *backwards = true;
        return UINT64_MAX;
    }
    return stop - start;
}

static void keep_least(uint64_t *least, uint64_t ticks)
{
    if (ticks < *least)
        *least = ticks;
}

static bool known(const struct altpick_trust_figures *f, enum altpick_trust_kernel kernel)
{
    return f->ticks_x100[kernel] != UINT64_MAX;
}

/* Whether @times executions of @a are cheaper than @b_times of @b. */
static bool cheaper(const struct altpick_trust_figures *f, uint32_t times,
                    enum altpick_trust_kernel a, uint32_t b_times, enum altpick_trust_kernel b)
{
    return known(f, a) && known(f, b) && f->ticks_x100[a] * times < f->ticks_x100[b] * b_times;
}

static bool below(const struct altpick_trust_figures *f, enum altpick_trust_kernel kernel,
                  uint32_t ticks)
{
    return known(f, kernel) && f->ticks_x100[kernel] < (uint64_t) ticks * 100;
}

static bool above(const struct altpick_trust_figures *f, enum altpick_trust_kernel kernel,
                  uint32_t ticks)
{
    return known(f, kernel) && f->ticks_x100[kernel] > (uint64_t) ticks * 100;
}

/* Cores are known that execute 16 NOPs a cycle and IMUL in 3; translators leave nothing of them. */
static bool nops_vanish(const struct altpick_trust_figures *f)
{
    return cheaper(f, 80, ALTPICK_TRUST_NOP, 1, ALTPICK_TRUST_IMUL_CHAIN);
}

/* LFENCE is cheap on AMD's cores where it does not serialise dispatch; there CPUID is not. */
static bool fences_vanish(const struct altpick_trust_figures *f)
{
    return cheaper(f, 8, ALTPICK_TRUST_LFENCE, 1, ALTPICK_TRUST_IMUL_CHAIN) &&
           below(f, ALTPICK_TRUST_CPUID, 60);
}

static bool cpuid_is_a_lookup(const struct altpick_trust_figures *f)
{
    return below(f, ALTPICK_TRUST_CPUID, 40);
}

static bool loads_are_slow(const struct altpick_trust_figures *f)
{
    return cheaper(f, 3, ALTPICK_TRUST_IMUL_CHAIN, 1, ALTPICK_TRUST_LOAD_CHAIN);
}

static bool mulps_is_slow(const struct altpick_trust_figures *f)
{
    return cheaper(f, 6, ALTPICK_TRUST_IMUL_CHAIN, 1, ALTPICK_TRUST_MULPS_CHAIN);
}

static bool clflush_does_nothing(const struct altpick_trust_figures *f)
{
    uint64_t flushed = f->ticks_x100[ALTPICK_TRUST_LOAD_FLUSHED];
    uint64_t warm = f->ticks_x100[ALTPICK_TRUST_LOAD_WARM];

    return known(f, ALTPICK_TRUST_LOAD_FLUSHED) && known(f, ALTPICK_TRUST_LOAD_WARM) &&
           (flushed < warm + 30 * 100 || flushed * 2 < warm * 3);
}

static bool nops_are_slow(const struct altpick_trust_figures *f)
{
    return cheaper(f, 1, ALTPICK_TRUST_IMUL_CHAIN, 2, ALTPICK_TRUST_NOP);
}

/* Also true of a core whose multiplier is not pipelined. */
static bool imuls_do_not_overlap(const struct altpick_trust_figures *f)
{
    return cheaper(f, 9, ALTPICK_TRUST_IMUL_CHAIN, 10, ALTPICK_TRUST_IMUL_FREE);
}

static bool clock_is_trapped(const struct altpick_trust_figures *f)
{
    return above(f, ALTPICK_TRUST_CLOCK_PAIR, 400);
}

static bool cpuid_is_trapped(const struct altpick_trust_figures *f)
{
    return above(f, ALTPICK_TRUST_CPUID, 600);
}

static bool clock_stands_still(const struct altpick_trust_figures *f)
{
    return f->quantum_ticks == 0;
}

static bool clock_is_coarse(const struct altpick_trust_figures *f)
{
    return f->quantum_ticks > COARSE_CLOCK_TICKS;
}

static bool clock_goes_backwards(const struct altpick_trust_figures *f)
{
    return f->backwards;
}

static bool integers_say_interpreted(const struct altpick_trust_figures *f)
{
    return nops_are_slow(f) && imuls_do_not_overlap(f);
}

/*
 * A CPU whose CPUID has no counter runs none of the kernels, and no figures are no evidence.  One
 * or two may be missing: the rules do without.
 */
static bool figures_are_missing(const struct altpick_trust_figures *f)
{
    unsigned n = 0;

    for (unsigned k = 0; k < ALTPICK_N_TRUST_KERNELS; k++)
        n += known(f, (enum altpick_trust_kernel) k);
    return n < FIGURES_MIN && !f->out_of_time && !integers_say_interpreted(f);
}

static bool time_ran_out(const struct altpick_trust_figures *f)
{
    return f->out_of_time && !integers_say_interpreted(f);
}

/* What each rule speaks for, and what the user is told. */
static const struct {
    bool (*fires)(const struct altpick_trust_figures *f);
    enum altpick_trust speaks_for;
    const char *reason;
} rules[] = {
    {clock_stands_still,   ALTPICK_TRUST_UNSTABLE,      "the time-stamp counter stands still"             },
    {clock_goes_backwards, ALTPICK_TRUST_UNSTABLE,      "the time-stamp counter went backwards"           },
    {clock_is_coarse,      ALTPICK_TRUST_UNSTABLE,
     "the time-stamp counter advances in steps of more than 1000"                                         },
    {figures_are_missing,  ALTPICK_TRUST_UNSTABLE,
     "CPUID tells of no time-stamp counter: nothing was timed"                                            },
    {time_ran_out,         ALTPICK_TRUST_UNSTABLE,      "the time given ended before all of it was timed" },
    {nops_are_slow,        ALTPICK_TRUST_INTERPRETED,
     "nop > imul/2: every instruction costs the dispatch of an interpreter"                               },
    {imuls_do_not_overlap, ALTPICK_TRUST_INTERPRETED,
     "independent imul > 0.9 dependent imul: instructions do not overlap"                                 },
    {nops_vanish,          ALTPICK_TRUST_TRANSLATED,    "nop < imul/80: a translator removed the nops"    },
    {fences_vanish,        ALTPICK_TRUST_TRANSLATED,    "lfence < imul/8: a translator removed the fences"},
    {cpuid_is_a_lookup,    ALTPICK_TRUST_TRANSLATED,
     "cpuid < 40 ticks: less than any core takes to serialise"                                            },
    {loads_are_slow,       ALTPICK_TRUST_TRANSLATED,
     "L1 load > 3 imul: loads go through an address translation in software"                              },
    {mulps_is_slow,        ALTPICK_TRUST_TRANSLATED,    "mulps > 6 imul: floating point in software"      },
    {clflush_does_nothing, ALTPICK_TRUST_TRANSLATED,    "clflush without effect on the next load"         },
    {clock_is_trapped,     ALTPICK_TRUST_TRAPPED_CLOCK,
     "clock read > 400 ticks: reading the counter traps"                                                  },
    {cpuid_is_trapped,     ALTPICK_TRUST_GUEST,         "cpuid > 600 ticks: it traps to a hypervisor"     },
};

static void add_reason(struct altpick_trust_verdict *verdict, const char *reason)
{
    if (verdict->n_reasons < ALTPICK_TRUST_REASONS_MAX)
        verdict->reason[verdict->n_reasons++] = reason;
}

/*
 * Two rules must agree before a machine is called a fake: each of them compares minima that one
 * odd reading, or one odd core, can upset (a busy sibling thread, a multiplier that is not
 * pipelined, an LFENCE that does not serialise), while every known translator and interpreter
 * fires three or more.  A rule for either side counts: a slow translator shares an interpreter's
 * signs.  The clock's rules stand alone, since they are not matters of degree.
 */
static enum altpick_trust weigh(const unsigned votes[ALTPICK_N_TRUSTS])
{
    unsigned fake = votes[ALTPICK_TRUST_INTERPRETED] + votes[ALTPICK_TRUST_TRANSLATED];

    if (votes[ALTPICK_TRUST_UNSTABLE])
        return ALTPICK_TRUST_UNSTABLE;
    if (votes[ALTPICK_TRUST_INTERPRETED] >= 2)
        return ALTPICK_TRUST_INTERPRETED;
    if (fake >= 2)
        return ALTPICK_TRUST_TRANSLATED;
    if (votes[ALTPICK_TRUST_TRAPPED_CLOCK])
        return ALTPICK_TRUST_TRAPPED_CLOCK;
    return votes[ALTPICK_TRUST_GUEST] ? ALTPICK_TRUST_GUEST : ALTPICK_TRUST_NATIVE;
}

void altpick_trust_judge(const struct altpick_trust_figures *figures, const struct altpick_cpu *cpu,
                         struct altpick_trust_verdict *ret_verdict)
{
    unsigned votes[ALTPICK_N_TRUSTS] = {0};

    ret_verdict->n_reasons = 0;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (!rules[i].fires(figures))
            continue;
        votes[rules[i].speaks_for]++;
        add_reason(ret_verdict, rules[i].reason);
    }
    if (altpick_cpu_has(cpu, ALTPICK_CPU_HYPERVISOR)) {
        votes[ALTPICK_TRUST_GUEST]++;
        add_reason(ret_verdict, "CPUID says hypervisor");
    }
    ret_verdict->trust = weigh(votes);
}

/* A measurement under way: the least ticks of a run of each kernel, UINT64_MAX before the first. */
struct measuring {
    const struct altpick_trust_code *codes;
    const struct altpick_cpu *cpu;
    uint64_t deadline_ticks;
    struct altpick_trust_ring ring;
    uint64_t run_ticks[ALTPICK_N_TRUST_KERNELS], empty_ticks;
    struct altpick_trust_figures *figures;
};

/* Ticks per 100 operations, from what was seen so far. */
static void update_figures(struct measuring *m)
{
    for (unsigned k = 0; k < ALTPICK_N_TRUST_KERNELS; k++) {
        uint64_t ticks = m->run_ticks[k], ops = m->codes[k].ops;

        if (ticks == UINT64_MAX)
            continue;
        ticks = ticks > m->empty_ticks ? ticks - m->empty_ticks : 0;
        m->figures->ticks_x100[k] = (ticks * 100 + ops / 2) / ops;
    }
}

/* Run each kernel of one stage once, but for those that take long and were seen often enough. */
static void run_stage(struct measuring *m, bool integer, unsigned round)
{
    static const struct altpick_trust_code empty = {.run = altpick_trust_run_empty};

    keep_least(&m->empty_ticks, time_run(&empty, &m->ring, &m->figures->backwards));
    for (unsigned k = 0; k < ALTPICK_N_TRUST_KERNELS; k++) {
        const struct altpick_trust_code *code = &m->codes[k];

        if (code->integer != integer || !altpick_cpu_has(m->cpu, code->needs))
            continue;
        if (round >= ROUNDS_MIN && m->run_ticks[k] > SLOW_RUN_TICKS)
            continue;
        if (altpick_clock_start() >= m->deadline_ticks) {
            m->figures->out_of_time |= m->run_ticks[k] == UINT64_MAX;
            continue;
        }
        keep_least(&m->run_ticks[k], time_run(code, &m->ring, &m->figures->backwards));
    }
    update_figures(m);
}

/*
 * The minimum over rounds of all kernels, not over runs of one: what disturbs a machine comes in
 * bursts longer than the runs of one kernel would take.  For the same reason a first impression of
 * an interpreter is looked at again in each round.
 */
void altpick_trust_measure_codes(const struct altpick_trust_code *codes,
                                 const struct altpick_cpu *cpu,
                                 const struct altpick_trust_effort *effort,
                                 struct altpick_trust_figures *ret_figures)
{
    struct measuring m = {
        .codes = codes,
        .cpu = cpu,
        .deadline_ticks = effort ? effort->deadline_ticks : UINT64_MAX,
        .empty_ticks = UINT64_MAX,
        .figures = ret_figures,
    };
    uint32_t rounds = effort && effort->rounds ? effort->rounds : ROUNDS;

    altpick_trust_ring_init(&m.ring);
    for (unsigned k = 0; k < ALTPICK_N_TRUST_KERNELS; k++)
        ret_figures->ticks_x100[k] = m.run_ticks[k] = UINT64_MAX;
    ret_figures->backwards = ret_figures->out_of_time = false;
    ret_figures->quantum_ticks = altpick_clock_quantum_ticks();

    for (unsigned round = 0; round < INTEGER_ROUNDS; round++)
        run_stage(&m, true, round);
    for (unsigned round = 0; round < rounds; round++) {
        run_stage(&m, true, INTEGER_ROUNDS + round);
        if (!integers_say_interpreted(ret_figures))
            run_stage(&m, false, round);
    }
}

void altpick_trust_measure(const struct altpick_cpu *cpu, const struct altpick_trust_effort *effort,
                           struct altpick_trust_figures *ret_figures)
{
    altpick_trust_measure_codes(altpick_trust_codes, cpu, effort, ret_figures);
}

bool altpick_trust_is_usable(enum altpick_trust trust)
{
    return trust == ALTPICK_TRUST_NATIVE || trust == ALTPICK_TRUST_GUEST;
}
