/* SPDX-License-Identifier: MIT */
/* Turns figures of a machine into what is said of a claim. */
#include "claim_figures.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct altpick_measurement *altpick_claim_candidate(const struct altpick_machine *machine,
                                                          const char *question,
                                                          const char *candidate)
{
    const struct altpick_result *result = altpick_machine_result(machine, question);

    return result ? altpick_result_candidate(result, candidate) : NULL;
}

const struct altpick_cost *altpick_claim_cost(const struct altpick_machine *machine,
                                              const char *question, const char *candidate,
                                              enum altpick_condition condition)
{
    const struct altpick_measurement *m = altpick_claim_candidate(machine, question, candidate);
    const struct altpick_cost *cost = m ? &m->cost[condition] : NULL;

    return cost && altpick_cost_is_known(cost) && cost->cycles_micro > 0 ? cost : NULL;
}

enum altpick_guarantee_state altpick_claim_guarantee(const struct altpick_machine *machine,
                                                     const char *question, const char *candidate,
                                                     enum altpick_guarantee guarantee)
{
    const struct altpick_measurement *m = altpick_claim_candidate(machine, question, candidate);

    return m ? (enum altpick_guarantee_state) m->guarantee[guarantee] : ALTPICK_GUARANTEE_IS_NONE;
}

struct altpick_cost altpick_claim_sum(const struct altpick_cost *a, const struct altpick_cost *b)
{
    return (struct altpick_cost){
        .status = a->status,
        .count = a->count < b->count ? a->count : b->count,
        .cycles_micro = a->cycles_micro + b->cycles_micro,
        .low_micro = a->low_micro + b->low_micro,
        .high_micro = a->high_micro + b->high_micro,
    };
}

int64_t altpick_claim_excess_ppm(const struct altpick_cost *cost, uint64_t micro)
{
    return ((int64_t) cost->cycles_micro - (int64_t) micro) * 1000000 / (int64_t) micro;
}

/* How far a figure may be from what it stands for. */
static uint64_t doubt_micro(const struct altpick_cost *cost)
{
    uint64_t below = cost->cycles_micro - cost->low_micro;
    uint64_t above = cost->high_micro - cost->cycles_micro;

    return below > above ? below : above;
}

bool altpick_claim_is_sure(const struct altpick_cost *a, const struct altpick_cost *b)
{
    uint64_t difference = a->cycles_micro > b->cycles_micro ? a->cycles_micro - b->cycles_micro
                                                            : b->cycles_micro - a->cycles_micro;

    return difference > doubt_micro(a) && difference > doubt_micro(b);
}

bool altpick_claim_is_dearer(const struct altpick_cost *a, const struct altpick_cost *b)
{
    return altpick_claim_excess_ppm(a, b->cycles_micro) > ALTPICK_CLAIM_DIFFERENT_PPM &&
           altpick_claim_is_sure(a, b);
}

double altpick_claim_number(uint64_t micro)
{
    return (double) micro / 1e6;
}

__attribute__((format(printf, 2, 0))) static void append(struct altpick_finding *finding,
                                                         const char *format, va_list args)
{
    size_t n = strlen(finding->text);

    vsnprintf(finding->text + n, sizeof finding->text - n, format, args);
}

void altpick_claim_say(struct altpick_finding *finding, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    append(finding, format, args);
    va_end(args);
}

void altpick_claim_untestable(struct altpick_finding *ret_finding, const char *format, ...)
{
    va_list args;

    *ret_finding = (struct altpick_finding){.verdict = ALTPICK_CLAIM_UNTESTABLE};
    va_start(args, format);
    append(ret_finding, format, args);
    va_end(args);
}

void altpick_claim_except(struct altpick_finding *finding, int64_t excess_ppm)
{
    if (finding->verdict != ALTPICK_CLAIM_FALSE || excess_ppm > finding->excess_ppm)
        finding->excess_ppm = excess_ppm;
    finding->verdict = ALTPICK_CLAIM_FALSE;
}

void altpick_claim_near(struct altpick_finding *finding, uint64_t micro, uint64_t low_micro,
                        uint64_t high_micro)
{
    uint64_t nearest = micro < low_micro ? low_micro : micro > high_micro ? high_micro : micro;
    struct altpick_cost cost = {.cycles_micro = micro};
    int64_t excess = altpick_claim_excess_ppm(&cost, nearest);

    excess = excess < 0 ? -excess : excess;
    if (excess > ALTPICK_CLAIM_NEAR_PPM)
        altpick_claim_except(finding, excess);
}

void altpick_claim_pair(struct altpick_finding *finding, struct altpick_claim_tally *tally,
                        const struct altpick_cost *cheaper, const struct altpick_cost *dearer)
{
    tally->n++;
    tally->wins += altpick_claim_is_dearer(dearer, cheaper);
    tally->unsure = tally->unsure || !altpick_claim_is_sure(cheaper, dearer);
    if (altpick_claim_is_dearer(cheaper, dearer))
        altpick_claim_except(finding, altpick_claim_excess_ppm(cheaper, dearer->cycles_micro));
}

void altpick_claim_decide(struct altpick_finding *finding, const struct altpick_claim_tally *tally)
{
    if (finding->verdict == ALTPICK_CLAIM_FALSE)
        return;
    if (tally->wins > 0)
        finding->verdict = ALTPICK_CLAIM_TRUE;
    else if (tally->unsure)
        finding->verdict = ALTPICK_CLAIM_UNTESTABLE;
    else
        altpick_claim_except(finding, 0);
    if (tally->wins == 0)
        altpick_claim_say(finding, "; no difference%s", tally->unsure ? " beyond doubt" : "");
}
