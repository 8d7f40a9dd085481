/* SPDX-License-Identifier: MIT */
/* Turns tables of NOP costs into CPUs and costs: published dumps, and the thread about NOPs. */
#include "known_source.h"

#include "bytes.h"
#include "published.h"

/* Figures are printed with two decimals and taken by several people. */
enum { UNSURE_MICRO = 100000, LOW_MIN_MICRO = 10000 };

static const char only_hot[] = "only hot figures are published";

static uint32_t conditions(size_t index, const char *question)
{
    (void) index;
    return altpick_equal(question, "nop.fill.64") ? 1u << ALTPICK_HOT : 0;
}

/* Displayed family and model (SDM vol. 2, CPUID leaf 1). */
static void set_signature(struct altpick_cpu *cpu, uint32_t signature)
{
    uint32_t family = signature >> 8 & 0xf;

    cpu->signature = signature;
    cpu->stepping = signature & 0xf;
    cpu->model =
        (signature >> 4 & 0xf) | (family == 6 || family == 15 ? signature >> 12 & 0xf0 : 0);
    cpu->family = family + (family == 15 ? signature >> 20 & 0xff : 0);
}

static uint32_t count_figures(const struct altpick_published_machine *machine)
{
    uint32_t n = 0;

    for (size_t i = 0; i < ALTPICK_PUBLISHED_FORMS; i++)
        n += machine->cost[i].cycles_micro != 0;
    return n;
}

static size_t count_dumps(void)
{
    return altpick_published_machine_count;
}

/* "AuthenticAMD-21-1-2-K15_Zambezi8C" */
static void name_dump(const struct altpick_published_machine *published,
                      const struct altpick_cpu *cpu, struct altpick_machine *machine)
{
    const uint32_t numbers[] = {cpu->family, cpu->model, cpu->stepping};

    altpick_append(machine->name, sizeof machine->name, published->vendor);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        altpick_append(machine->name, sizeof machine->name, "-");
        altpick_append_u64(machine->name, sizeof machine->name, numbers[i]);
    }
    altpick_append(machine->name, sizeof machine->name, "-");
    altpick_append(machine->name, sizeof machine->name, published->name);
}

static void identify_dump(size_t index, struct altpick_known *known,
                          struct altpick_machine *machine)
{
    const struct altpick_published_machine *published = &altpick_published_machines[index];
    struct altpick_cpu *cpu = &machine->cpu;

    *known = (struct altpick_known){
        .name = published->name,
        .names = published->names,
        .brands = published->brands,
        .figures = count_figures(published),
        .sources = published->dumps,
        .full_signature = true,
    };
    set_signature(cpu, published->signature);
    altpick_append(cpu->vendor, sizeof cpu->vendor, published->vendor);
    altpick_append(cpu->brand, sizeof cpu->brand, published->brand);
    if (published->core != '-')
        cpu->core_type = published->core == 'E' ? 0x20 : 0x40;
    name_dump(published, cpu, machine);
    altpick_known_warn(
        machine, "published figures, not measured by altpick; InstLatx64: ", published->names);
}

/* Add what one published NOP costs to @sum; false where there is no figure. */
static bool add_published(const struct altpick_published_machine *machine,
                          const struct altpick_nop *nop, struct altpick_cost *sum)
{
    int form = altpick_published_form(nop);
    const struct altpick_published_cost *cost = form < 0 ? NULL : &machine->cost[form];
    uint32_t low, high;

    if (!cost || cost->cycles_micro == 0)
        return false;
    low = cost->cycles_micro > UNSURE_MICRO + LOW_MIN_MICRO ? cost->cycles_micro - UNSURE_MICRO
                                                            : LOW_MIN_MICRO;
    high = cost->cycles_micro + UNSURE_MICRO;
    sum->cycles_micro += cost->cycles_micro;
    sum->low_micro += cost->low_micro < low ? cost->low_micro : low;
    sum->high_micro += cost->high_micro > high ? cost->high_micro : high;
    return true;
}

static void cost_dump(size_t index, const char *question, const struct altpick_candidate *candidate,
                      struct altpick_cost costs[ALTPICK_N_CONDITIONS])
{
    const struct altpick_published_machine *machine = &altpick_published_machines[index];
    struct altpick_cost sum = {.count = machine->dumps};
    size_t n = 0, pieces = 0;

    (void) question;
    for (size_t at = 0; at < candidate->code_bytes; at += n, pieces++) {
        struct altpick_nop nop;

        n = altpick_nop_decode(candidate->code + at, candidate->code_bytes - at, &nop);
        if (n == 0 || !add_published(machine, &nop, &sum))
            return;
    }
    if (pieces == 0)
        return;
    sum.status = pieces == 1 ? ALTPICK_STATUS_PUBLISHED : ALTPICK_STATUS_ESTIMATED;
    costs[ALTPICK_HOT] = sum;
}

const struct altpick_known_source altpick_known_dumps = {
    .count = count_dumps,
    .identify = identify_dump,
    .conditions = conditions,
    .costs = cost_dump,
    .elsewhere = only_hot,
};

static size_t count_seeds(void)
{
    return altpick_seed_machine_count;
}

static void identify_seed(size_t index, struct altpick_known *known,
                          struct altpick_machine *machine)
{
    const struct altpick_seed_machine *seed = &altpick_seed_machines[index];

    *known = (struct altpick_known){
        .name = seed->name,
        .names = seed->name,
        .brands = "",
        .thread = seed->thread,
        .figures = seed->n_costs,
        .sources = 1,
    };
    altpick_append(machine->cpu.vendor, sizeof machine->cpu.vendor, seed->vendor);
    altpick_append(machine->name, sizeof machine->name, seed->name);
    machine->cpu.family = seed->family;
    altpick_known_warn(machine, "published figures, not measured by altpick: ", seed->source);
    altpick_known_warn(machine,
                       "figures are TSC cycles; only their ratios are those of core cycles", "");
}

static void cost_seed(size_t index, const char *question, const struct altpick_candidate *candidate,
                      struct altpick_cost costs[ALTPICK_N_CONDITIONS])
{
    const struct altpick_seed_machine *seed = &altpick_seed_machines[index];

    (void) question;
    for (size_t i = 0; i < seed->n_costs; i++) {
        const struct altpick_published_cost *cost = &seed->cost[i].cost;

        if (seed->cost[i].bytes == candidate->code_bytes &&
            altpick_equal_bytes(seed->cost[i].code, candidate->code, candidate->code_bytes))
            costs[ALTPICK_HOT] = (struct altpick_cost){
                .status = ALTPICK_STATUS_PUBLISHED,
                .count = seed->cost[i].count,
                .cycles_micro = cost->cycles_micro,
                .low_micro = cost->low_micro,
                .high_micro = cost->high_micro,
            };
    }
}

const struct altpick_known_source altpick_known_seeds = {
    .count = count_seeds,
    .identify = identify_seed,
    .conditions = conditions,
    .costs = cost_seed,
    .elsewhere = only_hot,
};
