/* SPDX-License-Identifier: MIT */
/* Turns a profile into its file, and finds things in it. */
#include "altpick/profile.h"

#include "altpick/json.h"
#include "bytes.h"
#include "fields.h"

static void write_costs(struct altpick_json *json, const struct altpick_result *result,
                        const struct altpick_measurement *m)
{
    altpick_json_object(json, "costs");
    for (unsigned i = 0; i < ALTPICK_N_CONDITIONS; i++) {
        if (!result->condition[i].asked)
            continue;
        altpick_json_object(json, altpick_condition_name(i));
        altpick_fields_write(json, &altpick_fields_status, &m->cost[i]);
        if (altpick_status_has_figures(m->cost[i].status))
            altpick_fields_write(json, &altpick_fields_figures, &m->cost[i]);
        altpick_json_end(json);
    }
    altpick_json_end(json);
}

static void write_observed(struct altpick_json *json, const struct altpick_measurement *m)
{
    altpick_json_object(json, "observed");
    for (unsigned i = 0; i < ALTPICK_N_COUNTS; i++) {
        altpick_json_object(json, altpick_count_name(i));
        altpick_fields_write(json, &altpick_fields_observed, &m->observed[i]);
        altpick_json_end(json);
    }
    altpick_json_end(json);
}

static void write_candidate(struct altpick_json *json, const struct altpick_result *result,
                            const struct altpick_measurement *m)
{
    altpick_json_object(json, m->candidate.name);
    altpick_json_code(json, "code", m->candidate.code, m->candidate.code_bytes);
    altpick_json_text(json, "status", altpick_status_name(m->status));
    altpick_fields_write(json, &altpick_fields_reason, m);
    altpick_fields_write(json, &altpick_fields_counted, m);
    altpick_json_object(json, "guarantees");
    for (unsigned i = 0; i < ALTPICK_N_GUARANTEES; i++) {
        if (m->guarantee[i] != ALTPICK_GUARANTEE_IS_NONE)
            altpick_json_text(json, altpick_guarantee_name(i),
                              altpick_guarantee_state_name(m->guarantee[i]));
    }
    altpick_json_end(json);
    if (m->has_observed)
        write_observed(json, m);
    write_costs(json, result, m);
    altpick_json_end(json);
}

static void write_result(struct altpick_json *json, const struct altpick_result *result)
{
    altpick_json_object(json, result->question);
    altpick_json_u64(json, "batches", result->batches);
    altpick_json_object(json, "conditions");
    for (unsigned i = 0; i < ALTPICK_N_CONDITIONS; i++) {
        if (!result->condition[i].asked)
            continue;
        altpick_json_object(json, altpick_condition_name(i));
        altpick_fields_write(json, &altpick_fields_condition, &result->condition[i]);
        altpick_json_end(json);
    }
    altpick_json_end(json);
    altpick_json_object(json, "candidates");
    for (size_t i = 0; i < result->n_candidates; i++)
        write_candidate(json, result, &result->candidates[i]);
    altpick_json_end(json);
    altpick_json_end(json);
}

static void write_machine(struct altpick_json *json, const struct altpick_machine *machine)
{
    altpick_json_object(json, NULL);
    altpick_json_text(json, "name", machine->name);
    altpick_json_object(json, "cpu");
    altpick_fields_write(json, &altpick_fields_cpu, &machine->cpu);
    altpick_json_end(json);
    altpick_json_object(json, "measured");
    altpick_fields_write(json, &altpick_fields_measured, machine);
    altpick_json_end(json);
    altpick_json_object(json, "questions");
    for (size_t i = 0; i < machine->n_results; i++)
        write_result(json, &machine->results[i]);
    altpick_json_end(json);
    altpick_json_end(json);
}

int altpick_profile_write(const struct altpick_profile *profile, struct altpick_out *out)
{
    struct altpick_json json;

    altpick_json_init(&json, out);
    altpick_json_object(&json, NULL);
    altpick_json_text(&json, "format", ALTPICK_PROFILE_FORMAT);
    altpick_json_u64(&json, "version", ALTPICK_PROFILE_VERSION);
    altpick_json_array(&json, "machines");
    for (size_t i = 0; i < profile->n_machines; i++)
        write_machine(&json, &profile->machines[i]);
    altpick_json_end(&json);
    altpick_json_end(&json);
    return altpick_json_finish(&json);
}

const struct altpick_result *altpick_machine_result(const struct altpick_machine *machine,
                                                    const char *question)
{
    for (size_t i = 0; i < machine->n_results; i++) {
        if (altpick_equal(machine->results[i].question, question))
            return &machine->results[i];
    }
    return NULL;
}

bool altpick_result_is_published(const struct altpick_result *result)
{
    bool published = false;

    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
        if (result->condition[c].asked && result->condition[c].status == ALTPICK_STATUS_MEASURED)
            return false;
        published = published || (result->condition[c].asked &&
                                  result->condition[c].status == ALTPICK_STATUS_PUBLISHED);
    }
    return published;
}

const struct altpick_measurement *altpick_result_candidate(const struct altpick_result *result,
                                                           const char *name)
{
    for (size_t i = 0; i < result->n_candidates; i++) {
        if (altpick_equal(result->candidates[i].candidate.name, name))
            return &result->candidates[i];
    }
    return NULL;
}
