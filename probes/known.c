/* SPDX-License-Identifier: MIT */
/* Turns figures of others into machines with costs. */
#include "known.h"

#include "bytes.h"
#include "published.h"

/* Figures are printed with two decimals and taken by several people. */
enum { UNSURE_MICRO = 100000, LOW_MIN_MICRO = 10000 };

static const char question_name[] = "nop.fill.64";

size_t altpick_known_count(void)
{
    return altpick_published_machine_count + altpick_seed_machine_count;
}

static const struct altpick_seed_machine *seed_of(size_t index)
{
    return index < altpick_published_machine_count
               ? NULL
               : &altpick_seed_machines[index - altpick_published_machine_count];
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

static void warn(struct altpick_machine *machine, const char *what, const char *more)
{
    char *warning = machine->warnings[machine->n_warnings++];

    altpick_append(warning, ALTPICK_REASON_MAX, what);
    altpick_append(warning, ALTPICK_REASON_MAX, more);
}

static uint32_t count_figures(const struct altpick_published_machine *machine)
{
    uint32_t n = 0;

    for (size_t i = 0; i < ALTPICK_PUBLISHED_FORMS; i++)
        n += machine->cost[i].cycles_micro != 0;
    return n;
}

static void identify_published(const struct altpick_published_machine *published,
                               struct altpick_known *known, struct altpick_machine *machine)
{
    struct altpick_cpu *cpu = &machine->cpu;
    const uint32_t numbers[] = {cpu->family, cpu->model, cpu->stepping};

    *known = (struct altpick_known){
        .name = published->name,
        .names = published->names,
        .brands = published->brands,
        .figures = count_figures(published),
        .sources = published->dumps,
        .full_signature = true,
    };
    altpick_append(cpu->vendor, sizeof cpu->vendor, published->vendor);
    altpick_append(cpu->brand, sizeof cpu->brand, published->brand);
    if (published->core != '-')
        cpu->core_type = published->core == 'E' ? 0x20 : 0x40;
    altpick_append(machine->name, sizeof machine->name, published->vendor);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        altpick_append(machine->name, sizeof machine->name, "-");
        altpick_append_u64(machine->name, sizeof machine->name, numbers[i]);
    }
    altpick_append(machine->name, sizeof machine->name, "-");
    altpick_append(machine->name, sizeof machine->name, published->name);
    warn(machine, "published figures, not measured by altpick; InstLatx64: ", published->names);
}

static void identify_seed(const struct altpick_seed_machine *seed, struct altpick_known *known,
                          struct altpick_machine *machine)
{
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
    warn(machine, "published figures, not measured by altpick: ", seed->source);
    warn(machine, "figures are TSC cycles; only their ratios are those of core cycles", "");
}

void altpick_known_identify(size_t index, struct altpick_known *ret_known,
                            struct altpick_machine *ret_machine)
{
    const struct altpick_seed_machine *seed = seed_of(index);
    struct altpick_known known;

    altpick_zero(ret_machine, sizeof *ret_machine);
    if (seed) {
        identify_seed(seed, &known, ret_machine);
    } else {
        set_signature(&ret_machine->cpu, altpick_published_machines[index].signature);
        identify_published(&altpick_published_machines[index], &known, ret_machine);
    }
    ret_machine->ring = 3;
    ret_machine->trust = ALTPICK_TRUST_NATIVE;
    altpick_append(ret_machine->altpick_version, sizeof ret_machine->altpick_version,
                   ALTPICK_VERSION);
    if (ret_known)
        *ret_known = known;
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

static void cost_published(const struct altpick_published_machine *machine, const uint8_t *code,
                           size_t bytes, struct altpick_cost *ret_cost)
{
    struct altpick_cost sum = {.count = machine->dumps};
    size_t n = 0, pieces = 0;

    for (size_t at = 0; at < bytes; at += n, pieces++) {
        struct altpick_nop nop;

        n = altpick_nop_decode(code + at, bytes - at, &nop);
        if (n == 0 || !add_published(machine, &nop, &sum))
            return;
    }
    if (pieces == 0)
        return;
    sum.status = pieces == 1 ? ALTPICK_STATUS_PUBLISHED : ALTPICK_STATUS_ESTIMATED;
    *ret_cost = sum;
}

static void cost_seed(const struct altpick_seed_machine *seed, const uint8_t *code, size_t bytes,
                      struct altpick_cost *ret_cost)
{
    for (size_t i = 0; i < seed->n_costs; i++) {
        const struct altpick_published_cost *cost = &seed->cost[i].cost;

        if (seed->cost[i].bytes == bytes && altpick_equal_bytes(seed->cost[i].code, code, bytes))
            *ret_cost = (struct altpick_cost){
                .status = ALTPICK_STATUS_PUBLISHED,
                .count = seed->cost[i].count,
                .cycles_micro = cost->cycles_micro,
                .low_micro = cost->low_micro,
                .high_micro = cost->high_micro,
            };
    }
}

void altpick_known_cost(size_t index, struct altpick_measurement *measurement)
{
    const struct altpick_candidate *candidate = &measurement->candidate;
    const struct altpick_seed_machine *seed = seed_of(index);
    struct altpick_cost *hot = &measurement->cost[ALTPICK_HOT];

    altpick_zero(measurement->cost, sizeof measurement->cost);
    if (seed)
        cost_seed(seed, candidate->code, candidate->code_bytes, hot);
    else
        cost_published(&altpick_published_machines[index], candidate->code, candidate->code_bytes,
                       hot);
    measurement->status = hot->status;
    for (unsigned g = 0; g < ALTPICK_N_GUARANTEES; g++)
        measurement->guarantee[g] = candidate->guarantees >> g & 1 ? ALTPICK_GUARANTEE_IS_DECLARED
                                                                   : ALTPICK_GUARANTEE_IS_NONE;
}

bool altpick_known_result(const struct altpick_question *question,
                          struct altpick_result *ret_result)
{
    if (!altpick_equal(question->name, question_name))
        return false;
    altpick_zero(ret_result, sizeof *ret_result);
    altpick_append(ret_result->question, sizeof ret_result->question, question->name);
    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
        struct altpick_condition_facts *facts = &ret_result->condition[c];

        facts->asked = question->conditions >> c & 1;
        facts->status = c == ALTPICK_HOT ? ALTPICK_STATUS_PUBLISHED : ALTPICK_STATUS_UNMEASURED;
        if (facts->asked && c != ALTPICK_HOT)
            altpick_append(facts->reason, sizeof facts->reason, "only hot figures are published");
    }
    return true;
}
