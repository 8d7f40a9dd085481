/* SPDX-License-Identifier: MIT */
/* Turns the table of threads about code other than NOPs into CPUs and costs. */
#include "known_source.h"

#include "bytes.h"
#include "published.h"

static size_t count(void)
{
    return altpick_thread_machine_count;
}

static void identify(size_t index, struct altpick_known *known, struct altpick_machine *machine)
{
    const struct altpick_thread_machine *thread = &altpick_thread_machines[index];
    struct altpick_cpu *cpu = &machine->cpu;

    *known = (struct altpick_known){
        .name = thread->name,
        .names = thread->name,
        .brands = thread->brand,
        .thread = thread->thread,
        .figures = (uint32_t) thread->n_costs,
        .sources = 1,
    };
    altpick_append(machine->name, sizeof machine->name, thread->name);
    altpick_append(cpu->vendor, sizeof cpu->vendor, thread->vendor);
    altpick_append(cpu->brand, sizeof cpu->brand, thread->brand);
    cpu->family = thread->family;
    cpu->xcr0 = thread->xcr0;
    for (unsigned word = 0; word < ALTPICK_CPU_FEATURE_WORDS; word++)
        cpu->features[word] = (uint32_t) (thread->features >> 32 * word);
    machine->ring = thread->ring;
    altpick_known_warn(machine, "published figures, not measured by altpick: ", thread->source);
    for (size_t i = 0; i < ALTPICK_THREAD_NOTES_MAX && thread->notes[i]; i++)
        altpick_known_warn(machine, thread->notes[i], "");
}

static uint32_t conditions(size_t index, const char *question)
{
    const struct altpick_thread_machine *thread = &altpick_thread_machines[index];
    uint32_t found = 0;

    for (size_t i = 0; i < thread->n_costs; i++) {
        if (altpick_equal(thread->costs[i].question, question))
            found |= 1u << thread->costs[i].condition;
    }
    return found;
}

static void costs(size_t index, const char *question, const struct altpick_candidate *candidate,
                  struct altpick_cost costs[ALTPICK_N_CONDITIONS])
{
    const struct altpick_thread_machine *thread = &altpick_thread_machines[index];

    for (size_t i = 0; i < thread->n_costs; i++) {
        const struct altpick_thread_cost *cost = &thread->costs[i];

        if (altpick_equal(cost->question, question) &&
            altpick_equal(cost->candidate, candidate->name))
            costs[cost->condition] = (struct altpick_cost){
                .status = ALTPICK_STATUS_PUBLISHED,
                .count = cost->count,
                .cycles_micro = cost->cycles_micro,
                .low_micro = cost->low_micro,
                .high_micro = cost->high_micro,
            };
    }
}

static uint64_t promises(size_t index, const char *question,
                         const struct altpick_candidate *candidate)
{
    const struct altpick_thread_machine *thread = &altpick_thread_machines[index];
    uint64_t found = 0;

    for (size_t i = 0; i < thread->n_promises; i++) {
        const struct altpick_thread_promise *promise = &thread->promises[i];

        if (altpick_equal(promise->question, question) &&
            altpick_equal(promise->candidate, candidate->name))
            found |= promise->guarantees;
    }
    return found;
}

const struct altpick_known_source altpick_known_threads = {
    .count = count,
    .identify = identify,
    .conditions = conditions,
    .costs = costs,
    .promises = promises,
    .elsewhere = "the thread has no figures of it",
};
