/* SPDX-License-Identifier: MIT */
/* Results of a registered question with figures made up for a test, and what is decided of them. */
#ifndef ALTPICK_TESTS_STATE_SAMPLE_H
#define ALTPICK_TESTS_STATE_SAMPLE_H

#include "altpick/decide.h"
#include "altpick/derived.h"
#include "altpick/xstate.h"
#include "test.h"

#include <string.h>

#define MICRO  UINT64_C(1000000)
#define BIT(n) (UINT64_C(1) << (n))

struct state_sample {
    const struct altpick_question *question;
    struct altpick_measurement candidates[ALTPICK_CANDIDATES_MAX];
    struct altpick_result result;
    struct altpick_policy policy;
    struct altpick_decisions decisions;
    struct altpick_derived derived;
};

static struct altpick_candidate sample_built_in[ALTPICK_CANDIDATES_MAX];

/* All candidates of @name, with what they declare and without a figure. */
static inline void sample_init(struct state_sample *sample, const char *name)
{
    const struct altpick_question *question = altpick_question_find(name);
    size_t n;

    assert_non_null(question);
    memset(sample, 0, sizeof *sample);
    n = question->candidates(question, sample_built_in);
    for (size_t i = 0; i < n; i++) {
        struct altpick_measurement *m = &sample->candidates[i];

        m->candidate = sample_built_in[i];
        m->status = ALTPICK_STATUS_UNMEASURED;
        for (unsigned g = 0; g < ALTPICK_N_GUARANTEES; g++)
            m->guarantee[g] = sample_built_in[i].guarantees >> g & 1 ? ALTPICK_GUARANTEE_IS_DECLARED
                                                                     : ALTPICK_GUARANTEE_IS_NONE;
    }
    sample->question = question;
    strcpy(sample->result.question, name);
    sample->result.candidates = sample->candidates;
    sample->result.n_candidates = n;
    sample->result.batches = 3;
    sample->result.components = BIT(ALTPICK_COMPONENT_X87) | BIT(ALTPICK_COMPONENT_XMM);
    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++)
        sample->result.condition[c].asked = question->conditions >> c & 1;
    altpick_policy_init(&sample->policy);
    sample->policy.target = ALTPICK_TARGET_THIS_CPU;
}

static inline struct altpick_measurement *sample_find(struct state_sample *sample, const char *name)
{
    for (size_t i = 0; i < sample->result.n_candidates; i++) {
        if (strcmp(sample->candidates[i].candidate.name, name) == 0)
            return &sample->candidates[i];
    }
    fail_msg("no candidate %s", name);
    return NULL;
}

/* The interval is 1 % to both sides. */
static inline void sample_cost(struct state_sample *sample, const char *name,
                               enum altpick_condition condition, uint64_t milli)
{
    struct altpick_measurement *m = sample_find(sample, name);

    m->status = ALTPICK_STATUS_MEASURED;
    sample->result.condition[condition].status = ALTPICK_STATUS_MEASURED;
    m->cost[condition] = (struct altpick_cost){.status = ALTPICK_STATUS_MEASURED,
                                               .count = 18,
                                               .cycles_micro = milli * 1000,
                                               .low_micro = milli * 990,
                                               .high_micro = milli * 1010};
}

static inline const struct altpick_decision *sample_decide(struct state_sample *sample,
                                                           const char *item)
{
    const struct altpick_decision *decision;

    altpick_decide(sample->question, &sample->result, &sample->policy, &sample->decisions);
    decision = altpick_decision_find(&sample->decisions, item);
    assert_non_null(decision);
    return decision;
}

static inline void assert_winner(struct state_sample *sample, const char *item, const char *name,
                                 enum altpick_verdict verdict)
{
    const struct altpick_decision *d = sample_decide(sample, item);

    assert_int_not_equal(d->winner, ALTPICK_NO_ENTRY);
    assert_string_equal(d->contest.entries[d->winner].name, name);
    assert_string_equal(altpick_verdict_name(d->verdict), altpick_verdict_name(verdict));
}

/* Why @name may not win @item as last decided; NULL where it may. */
static inline const char *why_out(const struct state_sample *sample, const char *item,
                                  const char *name)
{
    const struct altpick_decision *d = altpick_decision_find(&sample->decisions, item);

    assert_non_null(d);
    for (size_t i = 0; i < d->contest.n_entries; i++) {
        if (strcmp(d->contest.entries[i].name, name) == 0)
            return d->contest.entries[i].out;
    }
    fail_msg("%s is not in %s", name, item);
    return NULL;
}

static inline const struct altpick_derived *sample_derive(struct state_sample *sample, size_t index)
{
    altpick_decide(sample->question, &sample->result, &sample->policy, &sample->decisions);
    assert_true(
        altpick_derive_find(sample->question->name)(&sample->decisions, index, &sample->derived));
    return &sample->derived;
}

static inline const struct altpick_cell *cell_at(const struct altpick_derived *derived,
                                                 const char *row, size_t column)
{
    for (size_t i = 0; i < derived->n_rows; i++) {
        if (strcmp(derived->row[i].name, row) == 0)
            return &derived->row[i].cell[column];
    }
    fail_msg("no row %s", row);
    return NULL;
}

#endif
