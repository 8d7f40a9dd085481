/* SPDX-License-Identifier: MIT */
/* Turns what a session measured and found into a result, and a CPU into a machine's name. */
#include "altpick/result.h"

#include "altpick/err.h"
#include "altpick/xstate.h"
#include "bytes.h"

static bool has_text(const char *text)
{
    return text && text[0];
}

static void say(struct altpick_condition_facts *facts, const char *text)
{
    altpick_append(facts->reason, sizeof facts->reason, text);
}

static void say_u32(struct altpick_condition_facts *facts, uint32_t value)
{
    altpick_append_u64(facts->reason, sizeof facts->reason, value);
}

/* Why @condition has no figures, in words; "" where it has. */
static void describe_condition(const struct altpick_result_source *source, unsigned condition,
                               struct altpick_condition_facts *facts)
{
    const struct altpick_session *session = source->session;

    facts->asked = true;
    facts->block_bytes = altpick_session_block_bytes(session, condition);
    if (has_text(source->unsupported)) {
        say(facts, source->unsupported);
    } else if (session->lacking >> condition & 1) {
        facts->status = ALTPICK_STATUS_UNSUPPORTED;
        altpick_findings_lacking(source->cpu, altpick_condition_needs(condition), facts->reason);
    } else if (session->plan.effort[condition].block_bytes == 0) {
        say(facts, source->left_out ? source->left_out(condition) : "not measured");
    } else if (source->unreached >> condition & 1) {
        say(facts, "code in ");
        say_u32(facts, facts->block_bytes);
        say(facts, " bytes costs ");
        say_u32(facts, source->reached_percent[condition]);
        say(facts, " % of the condition before: not reached by most candidates");
    } else if (session->layouts_done[condition] < 2) {
        say(facts, "the time limit came first");
    } else {
        facts->status = ALTPICK_STATUS_MEASURED;
    }
}

static void fill_measurement(const struct altpick_result_source *source, size_t i,
                             const struct altpick_result *result, struct altpick_measurement *ret)
{
    struct altpick_session *session = source->session;

    *ret = (struct altpick_measurement){.candidate = session->candidates[i]};
    altpick_findings_fill(session, i, source->question, source->stuck_ms, ret);
    if (session->state[i] == ALTPICK_CELL_LACKING) {
        ret->status = ALTPICK_STATUS_UNSUPPORTED;
        altpick_findings_lacking(source->cpu, ret->candidate.needs, ret->reason);
        return;
    }
    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
        if (!result->condition[c].asked)
            continue;
        if (result->condition[c].status == ALTPICK_STATUS_MEASURED)
            altpick_cost_estimate(session, i, c, &ret->cost[c]);
        else if (has_text(source->unsupported))
            ret->cost[c].status = ALTPICK_STATUS_UNSUPPORTED;
        if (ret->cost[c].status != ALTPICK_STATUS_UNMEASURED)
            ret->status = ret->cost[c].status;
    }
}

/* Others may keep the second CPU busy for the whole of a probe. */
static void tell_missed(struct altpick_result *result)
{
    struct altpick_condition_facts *facts = &result->condition[ALTPICK_CONTENDED];

    if (!facts->asked || facts->status != ALTPICK_STATUS_MEASURED)
        return;
    for (size_t i = 0; i < result->n_candidates; i++) {
        if (altpick_cost_is_known(&result->candidates[i].cost[ALTPICK_CONTENDED]))
            return;
    }
    facts->status = ALTPICK_STATUS_UNMEASURED;
    say(facts, "the second CPU was busy with other work");
}

static void begin(const struct altpick_question *question, const struct altpick_cpu *cpu,
                  struct altpick_measurement *candidates, size_t n, struct altpick_result *ret)
{
    altpick_zero(ret, sizeof *ret);
    altpick_append(ret->question, sizeof ret->question, question->name);
    ret->components = altpick_cpu_components(cpu);
    ret->candidates = candidates;
    ret->n_candidates = n;
}

int altpick_result_make(const struct altpick_result_source *source,
                        struct altpick_measurement *candidates, size_t capacity,
                        struct altpick_result *ret_result)
{
    const struct altpick_session *session = source->session;

    if (session->n_candidates > capacity)
        return ALTPICK_ENOSPACE;
    begin(source->question, source->cpu, candidates, session->n_candidates, ret_result);
    ret_result->batches = session->batch;
    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
        if (source->conditions >> c & 1)
            describe_condition(source, c, &ret_result->condition[c]);
    }
    for (size_t i = 0; i < session->n_candidates; i++)
        fill_measurement(source, i, ret_result, &candidates[i]);
    tell_missed(ret_result);
    return ALTPICK_OK;
}

void altpick_result_unmeasured(const struct altpick_question *question,
                               const struct altpick_cpu *cpu, const char *reason,
                               const struct altpick_candidate *built_in, size_t n,
                               struct altpick_measurement *candidates,
                               struct altpick_result *ret_result)
{
    begin(question, cpu, candidates, n, ret_result);
    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
        ret_result->condition[c].asked = question->conditions >> c & 1;
        if (ret_result->condition[c].asked)
            say(&ret_result->condition[c], reason);
    }
    for (size_t i = 0; i < n; i++) {
        candidates[i] = (struct altpick_measurement){.candidate = built_in[i]};
        altpick_findings_declared(&built_in[i], &candidates[i]);
        if (!altpick_cpu_has_all(cpu, built_in[i].needs)) { /* known without running anything */
            candidates[i].status = ALTPICK_STATUS_UNSUPPORTED;
            altpick_findings_lacking(cpu, built_in[i].needs, candidates[i].reason);
        }
    }
}

/* Displayed numbers, as in struct altpick_cpu. */
static void name_after(const struct altpick_cpu *cpu, char *name, size_t capacity)
{
    const uint32_t numbers[] = {cpu->family, cpu->model, cpu->stepping};

    name[0] = '\0';
    altpick_append(name, capacity, cpu->vendor);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        altpick_append(name, capacity, "-");
        altpick_append_u64(name, capacity, numbers[i]);
    }
    if (cpu->core_type)
        altpick_append(name, capacity, cpu->core_type == ALTPICK_CORE_ATOM ? "-atom" : "-core");
}

void altpick_machine_describe(struct altpick_machine *machine, uint32_t ring)
{
    name_after(&machine->cpu, machine->name, sizeof machine->name);
    machine->altpick_version[0] = '\0';
    altpick_append(machine->altpick_version, sizeof machine->altpick_version, ALTPICK_VERSION);
    machine->ring = ring;
}
