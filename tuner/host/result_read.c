/* SPDX-License-Identifier: MIT */
/* Turns one question of a profile file into a result. */
#include "result_read.h"

#include "diag.h"
#include "exits.h"
#include "fields_read.h"

#include <stdlib.h>
#include <string.h>

/* What this version has built in for the question that is being read. */
struct built_in {
    struct altpick_candidate candidate[ALTPICK_CANDIDATES_MAX];
    size_t n;                                /* 0: the question is not known */
    const struct altpick_question *question; /* NULL: not one of ours */
    bool shuffled;
};

/* The key of a member as a name of something. */
static int read_key(const struct altpick_value *value, size_t capacity, char *ret_name)
{
    const char *fault = altpick_name_fault(value->key, capacity);

    if (fault)
        return altpick_value_fail(value, ALTPICK_EFORMAT, "%s", fault);
    strcpy(ret_name, value->key);
    return ALTPICK_OK;
}

/* The key of a member as the name of an enumerator. */
static int read_enum_key(const struct altpick_value *value, const char *(*name)(unsigned),
                         const char *what, unsigned *ret_value)
{
    int found = altpick_enum_find(name, value->key);

    if (found < 0)
        return altpick_value_fail(value, ALTPICK_EFORMAT, "unknown %s", what);
    *ret_value = (unsigned) found;
    return ALTPICK_OK;
}

static bool same_code(const struct altpick_candidate *a, const struct altpick_candidate *b)
{
    return a->code_bytes == b->code_bytes && memcmp(a->code, b->code, a->code_bytes) == 0;
}

/* The bytes decide, not the names: figures of other bytes than ours would decide about nothing. */
static int check_code(const struct altpick_value *code, const struct altpick_candidate *candidate,
                      const struct built_in *built_in)
{
    const struct altpick_candidate *ours = NULL;

    for (size_t i = 0; i < built_in->n; i++) {
        if (strcmp(built_in->candidate[i].name, candidate->name) == 0)
            ours = &built_in->candidate[i];
    }
    if (!ours || same_code(ours, candidate))
        return ALTPICK_OK;
    if (ours->code_bytes == 0)
        return built_in->question->accepts &&
                       built_in->question->accepts(built_in->question, candidate->code,
                                                   candidate->code_bytes)
                   ? ALTPICK_OK
                   : altpick_value_fail(code, ALTPICK_EFORMAT,
                                        "code is none that the question could have made");

    if (built_in->shuffled && ours->code_bytes == candidate->code_bytes) {
        for (size_t i = 0; i < built_in->n; i++) {
            if (same_code(&built_in->candidate[i], candidate))
                return ALTPICK_OK;
        }
    }
    return altpick_value_fail(code, ALTPICK_EFORMAT, "code is not that of this candidate");
}

/* What is not in the file: what the code needs and works on. */
static void complete(struct altpick_candidate *candidate, const struct built_in *built_in)
{
    for (size_t i = 0; i < built_in->n; i++) {
        const struct altpick_candidate *ours = &built_in->candidate[i];

        if (strcmp(ours->name, candidate->name) != 0 || !same_code(ours, candidate))
            continue;
        candidate->branches = ours->branches;
        candidate->ring0 = ours->ring0;
        candidate->data = ours->data;
        candidate->needs = ours->needs;
        candidate->saves = ours->saves;
    }
}

static int read_guarantees(const struct altpick_value *object, struct altpick_measurement *ret)
{
    const char *key;
    json_t *json;
    int r = altpick_value_object(object);

    if (r < 0)
        return r;
    json_object_foreach (object->json, key, json) {
        struct altpick_value value = altpick_value_of(object, key, json);
        unsigned guarantee = 0, state = 0;

        r = read_enum_key(&value, altpick_guarantee_name, "guarantee", &guarantee);
        if (r == 0)
            r = altpick_value_enum(&value, altpick_guarantee_state_name, &state);
        if (r == 0 && state == ALTPICK_GUARANTEE_IS_NONE)
            r = altpick_value_fail(&value, ALTPICK_EFORMAT, "a guarantee in no state is left out");
        if (r < 0)
            return r;
        ret->guarantee[guarantee] = (uint8_t) state;
    }
    return ALTPICK_OK;
}

/* A candidate of ours has no guarantee that neither it nor its question speaks of. */
static int check_claims(const struct altpick_value *guarantees, const struct built_in *built_in,
                        const struct altpick_measurement *m)
{
    const struct altpick_candidate *ours = NULL;
    uint64_t spoken;

    for (size_t i = 0; i < built_in->n && !ours; i++) {
        if (strcmp(built_in->candidate[i].name, m->candidate.name) == 0 &&
            same_code(&built_in->candidate[i], &m->candidate))
            ours = &built_in->candidate[i];
    }
    if (!ours || built_in->shuffled)
        return ALTPICK_OK;
    spoken = ours->guarantees | built_in->question->promises | built_in->question->examines;
    for (unsigned g = 0; g < ALTPICK_N_GUARANTEES; g++) {
        if (m->guarantee[g] && !(spoken >> g & 1))
            return altpick_value_fail(guarantees, ALTPICK_EFORMAT,
                                      "%s is nothing that this candidate promises",
                                      altpick_guarantee_name(g));
    }
    return ALTPICK_OK;
}

static int read_cost(const struct altpick_value *object, struct altpick_cost *ret)
{
    int r = altpick_fields_read(object, &altpick_fields_status, ret);

    if (r < 0)
        return r;
    if (!altpick_status_has_figures(ret->status))
        return altpick_fields_only(object, &altpick_fields_status, NULL);

    r = altpick_fields_only(object, &altpick_fields_status, &altpick_fields_figures);
    if (r == 0)
        r = altpick_fields_read(object, &altpick_fields_figures, ret);
    if (r == 0 && (ret->low_micro > ret->cycles_micro || ret->cycles_micro > ret->high_micro))
        r = altpick_value_fail(object, ALTPICK_EFORMAT, "must be low <= cycles <= high");
    if (r == 0 && ret->status == ALTPICK_STATUS_MEASURED && ret->count == 0)
        r = altpick_value_fail(object, ALTPICK_EFORMAT, "measured, but count is 0");
    return r;
}

static int read_costs(const struct altpick_value *object, const struct altpick_result *result,
                      struct altpick_measurement *ret)
{
    size_t n = 0;
    int r = altpick_value_object(object);

    for (unsigned i = 0; r == 0 && i < ALTPICK_N_CONDITIONS; i++) {
        struct altpick_value value = altpick_value_member(object, altpick_condition_name(i));

        if (value.json && !result->condition[i].asked)
            return altpick_value_fail(&value, ALTPICK_EFORMAT, "not a condition of this question");
        if (!result->condition[i].asked)
            continue;
        r = read_cost(&value, &ret->cost[i]);
        n += altpick_status_has_figures(ret->cost[i].status);
    }
    if (r == 0 && n > 0 && !altpick_status_has_figures(ret->status))
        r = altpick_value_fail(object, ALTPICK_EFORMAT, "figures of a candidate that is %s",
                               altpick_status_name(ret->status));
    if (r == 0 && n == 0 && ret->status == ALTPICK_STATUS_MEASURED)
        r = altpick_value_fail(object, ALTPICK_EFORMAT, "measured, but without a figure");
    if (r == 0) {
        const char *keys[ALTPICK_N_CONDITIONS + 1] = {0};

        for (unsigned i = 0; i < ALTPICK_N_CONDITIONS; i++)
            keys[i] = altpick_condition_name(i);
        r = altpick_value_only(object, keys);
    }
    return r;
}

/* What has no figures has a reason for that; beside figures there is one. */
static int read_reason(const struct altpick_value *candidate, struct altpick_measurement *ret)
{
    struct altpick_value value = altpick_value_member(candidate, "reason");
    int r = altpick_fields_read(candidate, &altpick_fields_reason, ret);

    if (r == 0 && value.json && !ret->reason[0])
        r = altpick_value_fail(&value, ALTPICK_EFORMAT, "an empty reason is left out");
    if (r == 0 && value.json && altpick_status_has_figures(ret->status) &&
        (ret->status != ALTPICK_STATUS_MEASURED ||
         strncmp(ret->reason, ALTPICK_EXITS_REASON, strlen(ALTPICK_EXITS_REASON)) != 0))
        r = altpick_value_fail(&value, ALTPICK_EFORMAT, "a reason where there are figures");
    return r;
}

static int read_counted(const struct altpick_value *candidate, struct altpick_measurement *ret)
{
    struct altpick_value value = altpick_value_member(candidate, "instructions");
    int r = altpick_fields_read(candidate, &altpick_fields_counted, ret);

    if (r == 0 && value.json && ret->instructions == 0)
        r = altpick_value_fail(&value, ALTPICK_EFORMAT, "a count of 0 is left out");
    return r;
}

/* One state of a counter, which begins with the value that stands for it; @counter NULL: any. */
static int read_state(const struct altpick_value *object, const struct altpick_counter *counter,
                      unsigned count, struct altpick_observed *ret)
{
    int r = altpick_fields_read(object, &altpick_fields_observed, ret);

    if (r == 0)
        r = altpick_fields_only(object, &altpick_fields_observed, NULL);
    if (r == 0 && counter && ret->before != counter->at[count])
        r = altpick_value_fail(object, ALTPICK_EFORMAT, "before is another state");
    return r;
}

/* All states, or no such member. */
static int read_observed(const struct altpick_value *candidate, const struct built_in *built_in,
                         struct altpick_measurement *ret)
{
    struct altpick_value object = altpick_value_member(candidate, "observed");
    const struct altpick_question *question = built_in->question;
    const char *keys[ALTPICK_N_COUNTS + 1] = {0};
    struct altpick_counter counter;
    int r;

    if (!object.json)
        return ALTPICK_OK;
    if (question && (!question->counter || !question->counter(&ret->candidate, &counter)))
        return altpick_value_fail(&object, ALTPICK_EFORMAT, "of no reference counter");
    r = altpick_value_object(&object);
    for (unsigned i = 0; i < ALTPICK_N_COUNTS && r == 0; i++) {
        struct altpick_value state = altpick_value_member(&object, altpick_count_name(i));

        keys[i] = altpick_count_name(i);
        r = read_state(&state, question ? &counter : NULL, i, &ret->observed[i]);
    }
    if (r == 0)
        r = altpick_value_only(&object, keys);
    ret->has_observed = r == 0;
    return r;
}

static int read_candidate(const struct altpick_value *object, const struct built_in *built_in,
                          const struct altpick_result *result, struct altpick_measurement *ret)
{
    static const char *const keys[] = {"code",       "status",   "reason", "instructions",
                                       "guarantees", "observed", "costs",  NULL};
    struct altpick_value code, status, guarantees, costs;
    unsigned value = 0;
    int r;

    r = altpick_value_object(object);
    if (r == 0)
        r = altpick_value_only(object, keys);
    if (r == 0)
        r = read_key(object, sizeof ret->candidate.name, ret->candidate.name);
    if (r < 0)
        return r;

    code = altpick_value_member(object, "code");
    r = altpick_value_code(&code, sizeof ret->candidate.code, ret->candidate.code,
                           &ret->candidate.code_bytes);
    if (r == 0)
        r = check_code(&code, &ret->candidate, built_in);
    if (r == 0)
        complete(&ret->candidate, built_in);
    if (r < 0)
        return r;

    status = altpick_value_member(object, "status");
    r = altpick_value_enum(&status, altpick_status_name, &value);
    if (r < 0)
        return r;
    ret->status = (enum altpick_status) value;
    r = read_reason(object, ret);
    if (r == 0)
        r = read_counted(object, ret);
    if (r < 0)
        return r;

    guarantees = altpick_value_member(object, "guarantees");
    r = read_guarantees(&guarantees, ret);
    if (r == 0)
        r = check_claims(&guarantees, built_in, ret);
    if (r == 0)
        r = read_observed(object, built_in, ret);
    if (r < 0)
        return r;
    costs = altpick_value_member(object, "costs");
    return read_costs(&costs, result, ret);
}

static int read_candidates(const struct altpick_value *object, const struct built_in *built_in,
                           struct altpick_result *ret)
{
    const char *key;
    json_t *json;
    int r = altpick_value_object(object);

    if (r < 0)
        return r;
    if (json_object_size(object->json) > ALTPICK_CANDIDATES_MAX)
        return altpick_value_fail(object, ALTPICK_EFORMAT, "more than %d candidates",
                                  ALTPICK_CANDIDATES_MAX);
    ret->candidates = calloc(json_object_size(object->json) + 1, sizeof *ret->candidates);
    if (!ret->candidates)
        return altpick_fail(object->diag, ALTPICK_ENOMEM, "%s: out of memory", object->name);
    json_object_foreach (object->json, key, json) {
        struct altpick_value value = altpick_value_of(object, key, json);

        r = read_candidate(&value, built_in, ret, &ret->candidates[ret->n_candidates]);
        if (r < 0)
            return r;
        ret->n_candidates++;
    }
    return ALTPICK_OK;
}

static int read_conditions(const struct altpick_value *object, struct altpick_result *ret)
{
    const char *key;
    json_t *json;
    int r = altpick_value_object(object);

    if (r < 0)
        return r;
    json_object_foreach (object->json, key, json) {
        struct altpick_value value = altpick_value_of(object, key, json);
        unsigned condition = 0;

        r = read_enum_key(&value, altpick_condition_name, "condition", &condition);
        if (r == 0)
            r = altpick_fields_read(&value, &altpick_fields_condition, &ret->condition[condition]);
        if (r == 0)
            r = altpick_fields_only(&value, &altpick_fields_condition, NULL);
        if (r < 0)
            return r;
        ret->condition[condition].asked = true;
    }
    return ALTPICK_OK;
}

int altpick_result_read(const struct altpick_value *object, bool shuffled,
                        struct altpick_result *ret)
{
    static const char *const keys[] = {"batches", "conditions", "candidates", NULL};
    const struct altpick_question *question;
    struct built_in built_in = {.shuffled = shuffled};
    struct altpick_value batches, conditions, candidates;
    uint64_t count = 0;
    int r;

    r = altpick_value_object(object);
    if (r == 0)
        r = altpick_value_only(object, keys);
    if (r == 0)
        r = read_key(object, sizeof ret->question, ret->question);
    if (r < 0)
        return r;

    batches = altpick_value_member(object, "batches");
    r = altpick_value_count(&batches, UINT32_MAX, &count);
    if (r < 0)
        return r;
    ret->batches = (uint32_t) count;
    conditions = altpick_value_member(object, "conditions");
    r = read_conditions(&conditions, ret);
    if (r < 0)
        return r;

    question = altpick_question_find(ret->question);
    if (question) {
        built_in.n = question->candidates(question, built_in.candidate);
        built_in.question = question;
    }
    candidates = altpick_value_member(object, "candidates");
    return read_candidates(&candidates, &built_in, ret);
}
