/* SPDX-License-Identifier: MIT */
/* Equal things must tie and losers must lose: simulations of test-only questions. */
#include "checks.h"
#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INSTRUCTION_BYTES = 2, POWER_10_PERCENT_PERMILLE = 990 };

static const double cycles_per_instruction = 0.25;

/* add eax, ebx, some times over. */
static struct altpick_candidate adds(const char *name, unsigned n)
{
    struct altpick_candidate c = {.code_bytes = INSTRUCTION_BYTES * n};

    snprintf(c.name, sizeof c.name, "%s", name);
    for (unsigned i = 0; i < n; i++)
        memcpy(c.code + INSTRUCTION_BYTES * i, "\x01\xd8", INSTRUCTION_BYTES);
    return c;
}

static double adds_cycles(const void *ctx, const struct altpick_candidate *candidate)
{
    (void) ctx;
    return candidate->code_bytes / INSTRUCTION_BYTES * cycles_per_instruction;
}

static size_t candidates(const struct altpick_question *question,
                         struct altpick_candidate ret[ALTPICK_CANDIDATES_MAX])
{
    (void) question;
    ret[0] = adds("20a", 20);
    ret[1] = adds("20b", 20);
    ret[2] = adds("22", 22);
    ret[3] = adds("25", 25);
    return 4;
}

/* Item n: candidate n + 1 is preferred, the first is its rival. */
static void item(const struct altpick_question *question, size_t index,
                 const struct altpick_result *result, const struct altpick_policy *policy,
                 const struct altpick_decision *earlier, struct altpick_contest *ret_contest)
{
    static const char *const name[] = {"same", "10", "25"};
    const size_t order[] = {index + 1, 0};
    (void) earlier;

    altpick_contest_init(ret_contest, question, name[index], result, policy);
    for (uint32_t i = 0; i < 2; i++) {
        const struct altpick_measurement *m = &result->candidates[order[i]];

        altpick_contest_add(ret_contest, m->candidate.name, m)->rank = i;
    }
}

static const struct altpick_question adds_question = {
    .name = "test.adds",
    .title = "independent adds",
    .conditions = 1u << ALTPICK_HOT,
    .candidates = candidates,
    .n_items = 3,
    .item = item,
};

static void simulate_noise(struct replay_run *run, uint64_t seed, const struct replay_noise *noise)
{
    struct replay replay;

    replay_init(&replay, seed, noise, adds_cycles, NULL);
    replay_run_measure(run, &replay, (uint32_t) seed);
    replay_run_decide(run, altpick_decide);
}

static void simulate(struct replay_run *run, uint64_t seed)
{
    struct replay_noise noise = replay_noise_draw(seed);

    simulate_noise(run, seed, &noise);
}

static bool displaced(const struct altpick_decision *decision)
{
    return decision->verdict == ALTPICK_VERDICT_CLEAR && decision->winner != decision->preferred;
}

bool replay_check_same(size_t runs)
{
    struct replay_run *run = replay_run_new(&adds_question);
    size_t wrong = 0, undecided = 0;
    int64_t largest_ppm = 0;

    run->n_candidates = 2;
    for (size_t i = 0; i < runs; i++) {
        const struct altpick_decision *d = &run->decisions.decision[0];

        simulate(run, i + 1);
        wrong += d->winner != d->preferred;
        undecided += d->verdict != ALTPICK_VERDICT_TIE;
        if (llabs(d->gain_ppm) > largest_ppm)
            largest_ppm = llabs(d->gain_ppm);
    }
    printf("same bytes under two names: %zu false winners in %zu runs, %zu without a tie; largest "
           "difference %.2f %%\n",
           wrong, runs, undecided, (double) largest_ppm / 1e4);
    free(run);
    return wrong == 0;
}

bool replay_check_power(size_t runs)
{
    struct replay_run *run = replay_run_new(&adds_question);
    size_t same = 0, ten = 0, twenty_five = 0;

    for (size_t i = 0; i < runs; i++) {
        simulate(run, 1000000 + i);
        same += displaced(&run->decisions.decision[0]);
        ten += displaced(&run->decisions.decision[1]);
        twenty_five += displaced(&run->decisions.decision[2]);
    }
    printf("losers found in %zu runs: %zu by 10 %%, %zu by 25 %%; %zu by nothing\n", runs, ten,
           twenty_five, same);
    free(run);
    return 1000 * ten >= POWER_10_PERCENT_PERMILLE * runs && twenty_five == runs && same == 0;
}

/* How a sibling comes and goes: seconds between bursts, and that they last. */
static const double shared[][3] = {
    {0.05,   0.002,  0.05 }, /* bursts within a batch */
    {0.0005, 0.0005, 0.004},
    {0.002,  0.02,   0.2  }, /* hardly ever a quiet sample */
    {0.2,    0.2,    1.5  }, /* some batches, or all */
    {0.05,   0.2,    1    },
};

bool replay_check_shared(size_t runs)
{
    struct replay_run *run = replay_run_new(&adds_question);
    size_t wrong = 0;

    for (size_t k = 0; k < sizeof shared / sizeof *shared; k++) {
        size_t same = 0, twenty_five = 0;

        for (uint64_t seed = 2000000; seed < 2000000 + runs; seed++) {
            struct replay_noise noise = replay_noise_draw(seed);

            noise.burst_gap_seconds = shared[k][0];
            memcpy(noise.burst_seconds, &shared[k][1], sizeof noise.burst_seconds);
            simulate_noise(run, seed, &noise);
            same += displaced(&run->decisions.decision[0]);
            twenty_five += displaced(&run->decisions.decision[2]);
        }
        printf("bursts of %g to %g s, %g s apart, %zu runs: %zu false winners, losers by 25 %% "
               "found in %zu\n",
               shared[k][1], shared[k][2], shared[k][0], runs, same, twenty_five);
        wrong += same;
    }
    free(run);
    return wrong == 0;
}
