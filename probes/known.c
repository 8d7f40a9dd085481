/* SPDX-License-Identifier: MIT */
/* Turns figures of others into machines with costs. */
#include "known_source.h"

#include "altpick/xstate.h"
#include "bytes.h"

static const struct altpick_known_source *const sources[] = {
    &altpick_known_dumps, &altpick_known_seeds, &altpick_known_threads};

enum { N_SOURCES = sizeof sources / sizeof *sources };

size_t altpick_known_count(void)
{
    size_t n = 0;

    for (size_t i = 0; i < N_SOURCES; i++)
        n += sources[i]->count();
    return n;
}

/* The source of known CPU *index, which becomes its index there. */
static const struct altpick_known_source *source_of(size_t *index)
{
    size_t i = 0;

    while (i < N_SOURCES - 1 && *index >= sources[i]->count())
        *index -= sources[i++]->count();
    return sources[i];
}

void altpick_known_warn(struct altpick_machine *machine, const char *what, const char *more)
{
    char *warning = machine->warnings[machine->n_warnings++];

    altpick_append(warning, ALTPICK_REASON_MAX, what);
    altpick_append(warning, ALTPICK_REASON_MAX, more);
}

void altpick_known_identify(size_t index, struct altpick_known *ret_known,
                            struct altpick_machine *ret_machine)
{
    const struct altpick_known_source *source = source_of(&index);
    struct altpick_known known;

    altpick_zero(&known, sizeof known);
    altpick_zero(ret_machine, sizeof *ret_machine);
    ret_machine->ring = 3;
    ret_machine->trust = ALTPICK_TRUST_NATIVE;
    altpick_append(ret_machine->altpick_version, sizeof ret_machine->altpick_version,
                   ALTPICK_VERSION);
    source->identify(index, &known, ret_machine);
    if (ret_known)
        *ret_known = known;
}

/* Whether @cpu is known to lack what @candidate needs, and the first of it. */
static bool lacks(const struct altpick_cpu *cpu, const struct altpick_candidate *candidate,
                  enum altpick_cpu_feature *ret_feature)
{
    if (!altpick_cpu_has(cpu, ALTPICK_CPU_FPU)) /* of this CPU, no features are known */
        return false;
    for (unsigned f = 0; f < ALTPICK_N_CPU_FEATURES; f++) {
        if (candidate->needs >> f & 1 && !altpick_cpu_has(cpu, (enum altpick_cpu_feature) f)) {
            *ret_feature = (enum altpick_cpu_feature) f;
            return true;
        }
    }
    return false;
}

void altpick_known_cost(size_t index, const struct altpick_machine *machine, const char *question,
                        struct altpick_measurement *measurement)
{
    const struct altpick_candidate *candidate = &measurement->candidate;
    const struct altpick_known_source *source = source_of(&index);
    enum altpick_cpu_feature feature;
    uint64_t declared = candidate->guarantees;

    if (source->promises)
        declared |= source->promises(index, question, candidate);
    for (unsigned g = 0; g < ALTPICK_N_GUARANTEES; g++)
        measurement->guarantee[g] =
            declared >> g & 1 ? ALTPICK_GUARANTEE_IS_DECLARED : ALTPICK_GUARANTEE_IS_NONE;
    altpick_zero(measurement->cost, sizeof measurement->cost);
    measurement->status = ALTPICK_STATUS_UNMEASURED;
    if (lacks(&machine->cpu, candidate, &feature)) {
        measurement->status = ALTPICK_STATUS_UNSUPPORTED;
        altpick_append(measurement->reason, sizeof measurement->reason, "needs ");
        altpick_append(measurement->reason, sizeof measurement->reason,
                       altpick_cpu_feature_name(feature));
        altpick_append(measurement->reason, sizeof measurement->reason, ", which this CPU lacks");
        return;
    }
    source->costs(index, question, candidate, measurement->cost);
    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
        if (measurement->cost[c].status != ALTPICK_STATUS_UNMEASURED)
            measurement->status = measurement->cost[c].status;
    }
}

bool altpick_known_result(size_t index, const struct altpick_machine *machine,
                          const struct altpick_question *question,
                          struct altpick_result *ret_result)
{
    const struct altpick_known_source *source = source_of(&index);
    uint32_t published = source->conditions(index, question->name) & question->conditions;

    if (!published)
        return false;
    altpick_zero(ret_result, sizeof *ret_result);
    altpick_append(ret_result->question, sizeof ret_result->question, question->name);
    ret_result->components = altpick_cpu_components(&machine->cpu);
    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
        struct altpick_condition_facts *facts = &ret_result->condition[c];

        facts->asked = question->conditions >> c & 1;
        if (published >> c & 1)
            facts->status = ALTPICK_STATUS_PUBLISHED;
        else if (facts->asked)
            altpick_append(facts->reason, sizeof facts->reason, source->elsewhere);
    }
    return true;
}
