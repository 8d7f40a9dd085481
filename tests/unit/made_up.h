/* SPDX-License-Identifier: MIT */
/* Machines on which only what a test adds has figures, and claims tested on them. */
#ifndef ALTPICK_TESTS_MADE_UP_H
#define ALTPICK_TESTS_MADE_UP_H

#include "claim.h"

#include "test.h"

#include <string.h>

enum { MADE_UP_RESULTS = 3, MADE_UP_CANDIDATES = 24 };

struct made_up {
    struct altpick_measurement candidates[MADE_UP_RESULTS][MADE_UP_CANDIDATES];
    struct altpick_result results[MADE_UP_RESULTS];
    struct altpick_machine machine;
};

static inline void made_up_init(struct made_up *made_up)
{
    memset(made_up, 0, sizeof *made_up);
    strcpy(made_up->machine.name, "MadeUp-6-1-1");
    made_up->machine.ring = 3;
    made_up->machine.results = made_up->results;
}

/* The result of @question, a new one where it has none. */
static inline struct altpick_result *made_up_result(struct made_up *made_up, const char *question)
{
    struct altpick_machine *machine = &made_up->machine;

    for (size_t i = 0; i < machine->n_results; i++) {
        if (strcmp(made_up->results[i].question, question) == 0)
            return &made_up->results[i];
    }
    assert_true(machine->n_results < MADE_UP_RESULTS);
    strcpy(made_up->results[machine->n_results].question, question);
    made_up->results[machine->n_results].candidates = made_up->candidates[machine->n_results];
    return &made_up->results[machine->n_results++];
}

/* @candidate of @question, a new one where it has none. */
static inline struct altpick_measurement *
made_up_candidate(struct made_up *made_up, const char *question, const char *candidate)
{
    struct altpick_result *result = made_up_result(made_up, question);

    for (size_t i = 0; i < result->n_candidates; i++) {
        if (strcmp(result->candidates[i].candidate.name, candidate) == 0)
            return &result->candidates[i];
    }
    assert_true(result->n_candidates < MADE_UP_CANDIDATES);
    strcpy(result->candidates[result->n_candidates].candidate.name, candidate);
    return &result->candidates[result->n_candidates++];
}

/* @cycles measured, within half a percent. */
static inline void made_up_cost(struct made_up *made_up, const char *question,
                                const char *candidate, enum altpick_condition condition,
                                double cycles)
{
    struct altpick_measurement *m = made_up_candidate(made_up, question, candidate);
    uint64_t micro = (uint64_t) (cycles * 1e6);

    m->status = ALTPICK_STATUS_MEASURED;
    m->cost[condition] = (struct altpick_cost){
        .status = ALTPICK_STATUS_MEASURED,
        .count = 24,
        .cycles_micro = micro,
        .low_micro = micro - micro / 200,
        .high_micro = micro + micro / 200,
    };
}

/* The interval of a figure made so wide that nothing can be said of it. */
static inline void made_up_doubt(struct made_up *made_up, const char *question,
                                 const char *candidate, enum altpick_condition condition)
{
    struct altpick_cost *cost = &made_up_candidate(made_up, question, candidate)->cost[condition];

    cost->low_micro = cost->cycles_micro / 10;
    cost->high_micro = cost->cycles_micro * 10;
}

static inline struct altpick_finding made_up_test(const struct made_up *made_up, const char *thread,
                                                  const char *id)
{
    struct altpick_finding finding = {0};

    for (size_t i = 0; i < altpick_claim_thread_count; i++) {
        const struct altpick_claim_thread *t = altpick_claim_threads[i];

        for (size_t k = 0; k < t->n_claims && strcmp(t->name, thread) == 0; k++) {
            if (strcmp(t->claims[k].id, id) != 0)
                continue;
            t->claims[k].test(&made_up->machine, &finding);
            assert_int_not_equal(finding.text[0], '\0');
            assert_true(strlen(finding.text) < sizeof finding.text - 1);
            return finding;
        }
    }
    fail_msg("no claim %s.%s", thread, id);
    return finding;
}

#endif
