/* SPDX-License-Identifier: MIT */
/* What the files in claims/ share: figures looked up by name, compared, and put into words. */
#ifndef ALTPICK_HOST_CLAIM_FIGURES_H
#define ALTPICK_HOST_CLAIM_FIGURES_H

#include "claim.h"

#include <stdbool.h>
#include <stdint.h>

/* Costs that differ by less are equal; a figure of another machine holds here within this much. */
#define ALTPICK_CLAIM_DIFFERENT_PPM INT64_C(50000)
#define ALTPICK_CLAIM_NEAR_PPM      INT64_C(100000)

/* @candidate of @question on @machine, or NULL.  Threads speak of names. */
const struct altpick_measurement *altpick_claim_candidate(const struct altpick_machine *machine,
                                                          const char *question,
                                                          const char *candidate);

/* What it costs in @condition, measured or published and above 0; NULL without a figure. */
const struct altpick_cost *altpick_claim_cost(const struct altpick_machine *machine,
                                              const char *question, const char *candidate,
                                              enum altpick_condition condition);

/* The state of @guarantee of @candidate; NONE without the candidate, too. */
enum altpick_guarantee_state altpick_claim_guarantee(const struct altpick_machine *machine,
                                                     const char *question, const char *candidate,
                                                     enum altpick_guarantee guarantee);

/* @a and @b in a row: the sum of figures and of what they may be wrong by. */
struct altpick_cost altpick_claim_sum(const struct altpick_cost *a, const struct altpick_cost *b);

/* By how much @cost exceeds @micro, which is not 0, in millionths of it. */
int64_t altpick_claim_excess_ppm(const struct altpick_cost *cost, uint64_t micro);

/* Whether the difference of two figures is larger than what either may be wrong by. */
bool altpick_claim_is_sure(const struct altpick_cost *a, const struct altpick_cost *b);

/* Whether @a costs more than @b by more than ALTPICK_CLAIM_DIFFERENT_PPM and than doubt. */
bool altpick_claim_is_dearer(const struct altpick_cost *a, const struct altpick_cost *b);

/* Millionths as a number for "%.3f". */
double altpick_claim_number(uint64_t micro);

/* Append to the figures (printf style); what does not fit is cut. */
__attribute__((format(printf, 2, 3))) void altpick_claim_say(struct altpick_finding *finding,
                                                             const char *format, ...);

/* Start over: untestable, and why (printf style). */
__attribute__((format(printf, 2, 3))) void
altpick_claim_untestable(struct altpick_finding *ret_finding, const char *format, ...);

/* Count an exception; the largest excess stays. */
void altpick_claim_except(struct altpick_finding *finding, int64_t excess_ppm);

/* Except where @micro is not within ALTPICK_CLAIM_NEAR_PPM of @low_micro to @high_micro. */
void altpick_claim_near(struct altpick_finding *finding, uint64_t micro, uint64_t low_micro,
                        uint64_t high_micro);

/* How a claim that one thing is cheaper than another fares over several pairs of figures. */
struct altpick_claim_tally {
    size_t n, wins;
    bool unsure;
};

/* Count a pair; an exception where what is said to be cheaper is dearer. */
void altpick_claim_pair(struct altpick_finding *finding, struct altpick_claim_tally *tally,
                        const struct altpick_cost *cheaper, const struct altpick_cost *dearer);

/* The verdict over the pairs, of which there are some: one win, and no exception, make it true. */
void altpick_claim_decide(struct altpick_finding *finding, const struct altpick_claim_tally *tally);

#endif
