/* SPDX-License-Identifier: MIT */
/* What the files in claims/ share: figures looked up by name, compared, and put into words. */
#ifndef ALTPICK_HOST_CLAIM_FIGURES_H
#define ALTPICK_HOST_CLAIM_FIGURES_H

#include "claim.h"

#include <stdbool.h>
#include <stdint.h>

/* Costs that differ by less are equal. */
#define ALTPICK_CLAIM_DIFFERENT_PPM INT64_C(50000)

/* @candidate of @question on @machine, or NULL.  Threads speak of names. */
const struct altpick_measurement *altpick_claim_candidate(const struct altpick_machine *machine,
                                                          const char *question,
                                                          const char *candidate);

/* What it costs in @condition, measured or published and above 0; NULL without a figure. */
const struct altpick_cost *altpick_claim_cost(const struct altpick_machine *machine,
                                              const char *question, const char *candidate,
                                              enum altpick_condition condition);

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

#endif
