/* SPDX-License-Identifier: MIT */
/* Turns costs into lines like those of the benchmark that Linux once ran at boot (2015 thread). */
#include "boot_table.h"

#include "table.h"
#include "text.h"

#include <stdio.h>

enum { NAME_COLUMNS = 60, FIGURE_COLUMNS = 9 };

/* What the conditions are called here.  Only a loop lets executions overlap. */
static const struct {
    unsigned condition;
    const char *words;
} kinds[] = {
    {ALTPICK_WARM,      "hot, unfenced"},
    {ALTPICK_FENCED,    "hot, fenced"  },
    {ALTPICK_COLD_BOTH, "cold, fenced" },
};

enum { N_KINDS = sizeof kinds / sizeof *kinds };

uint32_t altpick_boot_table_conditions(uint32_t bits)
{
    uint32_t conditions = 0;

    for (size_t i = 0; i < N_KINDS; i++)
        conditions |= 1u << kinds[i].condition;
    return bits == 64 ? conditions : 1u << ALTPICK_WARM;
}

static void print_head(const struct altpick_machine *machine, struct altpick_out *out)
{
    altpick_printf(out, "# %s, %s, ring %u, %s\n", machine->name, machine->cpu.brand, machine->ring,
                   altpick_trust_name(machine->trust));
    altpick_printf(
        out,
        "# core cycles of one execution.  hot: code and data in L1; cold: both in no cache.\n"
        "# fenced: alone between two LFENCEs, less what nothing costs there; unfenced: one\n"
        "# after another in a loop, where executions overlap.  Registers are in use before.\n"
        "# The clock has steps of %u ticks; fenced figures are good to a fifth of one.\n",
        machine->quantum_ticks);
}

static void print_figure(const char *question, const struct altpick_measurement *m, size_t kind,
                         struct altpick_out *out)
{
    const struct altpick_cost *cost = &m->cost[kinds[kind].condition];
    char name[3 * ALTPICK_NAME_MAX];

    snprintf(name, sizeof name, "%s %s, %s", question, m->candidate.name, kinds[kind].words);
    altpick_printf(out, "Cost of: %-*s : %*s cycles\n", NAME_COLUMNS, name, FIGURE_COLUMNS,
                   altpick_figure_cost(cost->cycles_micro).text);
}

static void print_candidate(const char *question, const struct altpick_measurement *m,
                            struct altpick_out *out)
{
    char name[3 * ALTPICK_NAME_MAX];
    bool known = false;

    for (size_t i = 0; i < N_KINDS; i++) {
        if (!altpick_cost_is_known(&m->cost[kinds[i].condition]))
            continue;
        print_figure(question, m, i, out);
        known = true;
    }
    if (known)
        return;
    snprintf(name, sizeof name, "%s %s", question, m->candidate.name);
    altpick_printf(out, "Cost of: %-*s : %s\n", NAME_COLUMNS, name,
                   m->reason[0] ? m->reason : altpick_status_name(m->status));
}

void altpick_boot_table_print(const struct altpick_machine *machine, struct altpick_out *out)
{
    print_head(machine, out);
    for (size_t i = 0; i < machine->n_warnings; i++)
        altpick_printf(out, "# %s\n", machine->warnings[i]);
    for (size_t i = 0; i < machine->n_results; i++) {
        for (size_t k = 0; k < machine->results[i].n_candidates; k++)
            print_candidate(machine->results[i].question, &machine->results[i].candidates[k], out);
    }
}
