/* SPDX-License-Identifier: MIT */
/* Decisions as JSON for programs. */
#include "altpick/derived.h"
#include "show_parts.h"

static const char *entry_name(const struct altpick_decision *decision, int index)
{
    return index == ALTPICK_NO_ENTRY ? "" : decision->contest.entries[index].name;
}

static void json_cost(struct altpick_json *json, const char *key, const struct altpick_cost *cost)
{
    altpick_json_object(json, key);
    altpick_json_text(json, "status", altpick_status_name(cost->status));
    if (altpick_cost_is_known(cost) || cost->status == ALTPICK_STATUS_ESTIMATED) {
        altpick_json_micro(json, "cycles", cost->cycles_micro);
        altpick_json_micro(json, "low", cost->low_micro);
        altpick_json_micro(json, "high", cost->high_micro);
        altpick_json_u64(json, "count", cost->count);
    }
    altpick_json_end(json);
}

static void json_entry(struct altpick_json *json, const struct altpick_result *result,
                       const struct altpick_entry *entry)
{
    const struct altpick_measurement *measurement = entry->measurement;

    altpick_json_object(json, NULL);
    altpick_json_text(json, "name", entry->name);
    if (measurement) {
        altpick_json_text(json, "status", altpick_status_name(measurement->status));
        if (measurement->reason[0])
            altpick_json_text(json, "reason", measurement->reason);
        altpick_json_code(json, "code", measurement->candidate.code,
                          measurement->candidate.code_bytes);
        altpick_json_object(json, "guarantees");
        for (unsigned i = 0; i < ALTPICK_N_GUARANTEES; i++) {
            if (measurement->guarantee[i] != ALTPICK_GUARANTEE_IS_NONE)
                altpick_json_text(json, altpick_guarantee_name(i),
                                  altpick_guarantee_state_name(measurement->guarantee[i]));
        }
        altpick_json_end(json);
    }
    altpick_json_bool(json, "vetoed", entry->vetoed);
    if (entry->out)
        altpick_json_text(json, "out", entry->out);
    altpick_json_object(json, "costs");
    for (unsigned i = 0; i < ALTPICK_N_CONDITIONS; i++) {
        if (result->condition[i].asked)
            json_cost(json, altpick_condition_name(i), &entry->cost[i]);
    }
    altpick_json_end(json);
    json_cost(json, "mean", &entry->sum);
    altpick_json_end(json);
}

static void json_trace(struct altpick_json *json, const struct altpick_decision *decision)
{
    const struct altpick_contest *contest = &decision->contest;

    altpick_json_array(json, "trace");
    for (size_t i = 0; i < contest->n_trace; i++) {
        const struct altpick_trace *trace = &contest->trace[i];

        altpick_json_object(json, NULL);
        altpick_json_text(json, "rule", trace->rule);
        altpick_json_text(json, "text", trace->text);
        if (trace->entry != ALTPICK_NO_ENTRY)
            altpick_json_text(json, "entry", entry_name(decision, trace->entry));
        if (trace->other != ALTPICK_NO_ENTRY)
            altpick_json_text(json, "other", entry_name(decision, trace->other));
        altpick_json_end(json);
    }
    altpick_json_end(json);
}

static void json_decision(struct altpick_json *json, const struct altpick_result *result,
                          const struct altpick_decision *decision)
{
    const struct altpick_contest *contest = &decision->contest;
    const char *of, *over;

    altpick_json_object(json, NULL);
    altpick_json_text(json, "item", contest->item);
    altpick_json_text(json, "winner", entry_name(decision, decision->winner));
    altpick_json_text(json, "preferred", entry_name(decision, decision->preferred));
    altpick_json_text(json, "verdict", altpick_verdict_name(decision->verdict));
    altpick_json_bool(json, "displaced", decision->displaced);
    altpick_json_u64(json, "margin_permille", contest->margin_permille);
    if (altpick_show_gain(decision, &of, &over)) {
        altpick_json_text(json, "gain_of", of);
        altpick_json_text(json, "gain_over", over);
        altpick_json_i64(json, "gain_ppm", decision->gain_ppm);
        altpick_json_i64(json, "gain_low_ppm", decision->gain_low_ppm);
        altpick_json_i64(json, "gain_high_ppm", decision->gain_high_ppm);
    }
    if (decision->distance_ppm != ALTPICK_DISTANCE_FAR)
        altpick_json_i64(json, "distance_ppm", decision->distance_ppm);
    altpick_json_array(json, "dropped");
    for (unsigned i = 0; i < ALTPICK_N_CONDITIONS; i++) {
        if (contest->dropped[i])
            altpick_json_text(json, NULL, altpick_condition_name(i));
    }
    altpick_json_end(json);
    altpick_json_array(json, "candidates");
    for (size_t i = 0; i < contest->n_entries; i++)
        json_entry(json, result, &contest->entries[i]);
    altpick_json_end(json);
    json_trace(json, decision);
    altpick_json_end(json);
}

static void json_question(struct altpick_json *json, const struct altpick_decisions *decisions)
{
    altpick_json_object(json, NULL);
    altpick_json_text(json, "question", decisions->question->name);
    altpick_json_u64(json, "batches", decisions->result->batches);
    altpick_json_array(json, "decisions");
    for (size_t i = 0; i < decisions->n_decisions; i++)
        json_decision(json, decisions->result, &decisions->decision[i]);
    altpick_json_end(json);
    if (altpick_derive_find(decisions->question->name))
        altpick_show_derived_json(decisions, json);
    altpick_json_end(json);
}

void altpick_show_json(const struct altpick_choices *choices, struct altpick_json *json)
{
    const struct altpick_machine *machine = choices->machine;

    altpick_json_object(json, NULL);
    altpick_json_text(json, "machine", machine->name);
    altpick_json_text(json, "brand", machine->cpu.brand);
    altpick_json_text(json, "trust", altpick_trust_name(machine->trust));
    altpick_json_text(json, "target", altpick_target_name(choices->policy->target));
    altpick_json_array(json, "warnings");
    for (size_t i = 0; i < machine->n_warnings; i++)
        altpick_json_text(json, NULL, machine->warnings[i]);
    altpick_json_end(json);
    altpick_json_array(json, "unknown_questions");
    for (size_t i = 0; i < machine->n_results; i++) {
        if (!altpick_choices_find(choices, machine->results[i].question))
            altpick_json_text(json, NULL, machine->results[i].question);
    }
    altpick_json_end(json);
    altpick_json_array(json, "questions");
    for (size_t i = 0; i < choices->n_questions; i++)
        json_question(json, &choices->questions[i]);
    altpick_json_end(json);
    altpick_json_end(json);
}
