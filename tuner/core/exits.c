/* SPDX-License-Identifier: MIT */
/*
 * Turns costs of privileged operations into marks on those that a hypervisor intercepts.
 *
 * Which ones it does is its own choice (CR0 is a guest's own on some and not on others, XSAVES
 * depends on a bitmap), and nothing tells but the time they take.  CPUID leaves every guest, so
 * that it is the measure: what a hypervisor does for it is among the least that it does for
 * anything.
 */
#include "exits.h"
#include "bytes.h"

#define MICRO UINT64_C(1000000)

enum {
    TRAPPED_CPUID_CYCLES = 600, /* no core takes as long; no guest takes less */
    IMUL_CYCLES = 3,            /* of the trust kernel: turns ticks into cycles */
    TENTHS_OF_CPUID = 6,
    TICKS_MAX = 1 << 30, /* of any figure that is believed */
};

/*
 * What an operation is held against: another one of its question, or nothing, and the cycles that
 * it takes beyond that on a core of its own.  These are published figures of Linux's 2015 thread
 * about lazy FPU switching: a write of CR0 208 cycles, #NM 1156, of which the handler is a part, so
 * that they are generous.  A move between registers takes nothing, a read of CR0 4.  XSAVES stores
 * what XSAVEC does.  Operations that differ only in who runs into #NM are held against each other,
 * too: with XFD only some of them leave the guest.
 */
static const struct rule {
    const char *name;
    const char *sibling; /* NULL: nothing */
    uint32_t cycles;
} rules[] = {
    {"cr0-read",  NULL,     4          },
    {"cr0-write", NULL,     208        },
    {"clts",      NULL,     208        },
    {"stts+clts", NULL,     4 + 2 * 208},
    {"nm",        NULL,     1156       },
    {"nm-sse",    NULL,     1156       },
    {"nm-sse",    "nm",     0          },
    {"nm-avx",    NULL,     1156       },
    {"nm-avx",    "nm",     0          },
    {"nm-xsave",  NULL,     1156       },
    {"nm-xsave",  "nm",     0          },
    {"xsaves",    "xsavec", 0          },
    {"xrstors",   "xrstor", 0          },
};

enum { N_RULES = sizeof rules / sizeof *rules };

static uint64_t ticks_x100(const struct altpick_trust_figures *figures,
                           enum altpick_trust_kernel kernel)
{
    uint64_t x100 = figures->ticks_x100[kernel];

    return x100 <= UINT64_C(100) * TICKS_MAX ? x100 : 0;
}

uint64_t altpick_exits_cost_micro(const struct altpick_trust_figures *figures)
{
    uint64_t cpuid = ticks_x100(figures, ALTPICK_TRUST_CPUID);
    uint64_t imul = ticks_x100(figures, ALTPICK_TRUST_IMUL_CHAIN);
    uint64_t micro = imul ? cpuid * (IMUL_CYCLES * 1000) / imul * (MICRO / 1000)
                          : cpuid * (MICRO / 100); /* a tick is about a cycle */

    return micro > TRAPPED_CPUID_CYCLES * MICRO ? micro : 0;
}

static uint64_t sum(uint64_t a, uint64_t b)
{
    return a + b < a ? UINT64_MAX : a + b;
}

/*
 * What @of takes beyond @than (NULL: nothing) and @own_micro, in the condition where that is least
 * and with the intervals against it; 0 where there is no condition in which both have figures.
 */
static uint64_t excess_micro(const struct altpick_measurement *of,
                             const struct altpick_measurement *than, uint64_t own_micro)
{
    uint64_t least = UINT64_MAX;

    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
        uint64_t low = of->cost[c].low_micro;
        uint64_t other = own_micro;

        if (of->cost[c].status != ALTPICK_STATUS_MEASURED ||
            (than && than->cost[c].status != ALTPICK_STATUS_MEASURED))
            continue;
        if (than)
            other = sum(other, than->cost[c].high_micro);
        low = low > other ? low - other : 0;
        least = low < least ? low : least;
    }
    return least == UINT64_MAX ? 0 : least;
}

static struct altpick_measurement *find(struct altpick_result *result, const char *name)
{
    for (size_t i = 0; i < result->n_candidates; i++) {
        if (altpick_equal(result->candidates[i].candidate.name, name))
            return &result->candidates[i];
    }
    return NULL;
}

static void give_reason(struct altpick_measurement *measurement, const struct rule *rule,
                        uint64_t excess, uint64_t exit)
{
    char *text = measurement->reason;
    size_t capacity = sizeof measurement->reason;

    altpick_append(text, capacity, ALTPICK_EXITS_REASON ": ");
    altpick_append_u64(text, capacity, excess / MICRO);
    altpick_append(text, capacity, " cycles beyond ");
    altpick_append(text, capacity, rule->sibling ? rule->sibling : "what a core takes");
    altpick_append(text, capacity, "; CPUID, which leaves the guest, takes ");
    altpick_append_u64(text, capacity, exit / MICRO);
}

/* Whether @rule finds an exit in @result that none before it has. */
static bool apply(const struct rule *rule, struct altpick_result *result, uint64_t exit)
{
    struct altpick_measurement *of = find(result, rule->name);
    struct altpick_measurement *than = rule->sibling ? find(result, rule->sibling) : NULL;
    uint64_t excess;

    if (!of || of->status != ALTPICK_STATUS_MEASURED || of->reason[0] || (rule->sibling && !than))
        return false;
    excess = excess_micro(of, than, rule->cycles * MICRO);
    if (excess == 0 || excess < exit / 10 * TENTHS_OF_CPUID)
        return false;
    give_reason(of, rule, excess, exit);
    return true;
}

static void warn(struct altpick_machine *machine, const struct altpick_result *result,
                 const char *names)
{
    char *text;

    if (machine->n_warnings == ALTPICK_WARNINGS_MAX)
        return;
    text = machine->warnings[machine->n_warnings++];
    text[0] = '\0';
    altpick_append(text, ALTPICK_REASON_MAX, result->question);
    altpick_append(text, ALTPICK_REASON_MAX, ": costs that hold a VM exit: ");
    altpick_append(text, ALTPICK_REASON_MAX, names);
}

size_t altpick_exits_mark(const struct altpick_trust_figures *figures,
                          struct altpick_machine *machine)
{
    uint64_t exit = altpick_exits_cost_micro(figures);
    size_t marked = 0;

    for (size_t r = 0; r < machine->n_results && exit; r++) {
        char names[ALTPICK_REASON_MAX] = "";

        for (size_t i = 0; i < N_RULES; i++) {
            if (!apply(&rules[i], &machine->results[r], exit))
                continue;
            altpick_append(names, sizeof names, names[0] ? ", " : "");
            altpick_append(names, sizeof names, rules[i].name);
            marked++;
        }
        if (names[0])
            warn(machine, &machine->results[r], names);
    }
    return marked;
}
