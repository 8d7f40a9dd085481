/* SPDX-License-Identifier: MIT */
/* Measures a question that only a test has, on this CPU, through the program's own session. */
#ifndef ALTPICK_TESTS_JUDGE_MEASURED_H
#define ALTPICK_TESTS_JUDGE_MEASURED_H

#include "altpick/profile.h"
#include "altpick/question.h"

#include <stdint.h>

/*
 * Measure @question hot in about @milliseconds of CPU time: @layouts layouts of @rounds rounds, in
 * regions of at least @region_quanta steps of the clock.  ret_result->candidates is the caller's to
 * free.  Exits with a message when nothing can be measured.
 */
void measure_hot(const struct altpick_question *question, unsigned milliseconds, uint32_t layouts,
                 uint32_t rounds, uint32_t region_quanta, struct altpick_result *ret_result);

/*
 * Measure @question as a probe does, in all its conditions; extra batches start only below
 * @milliseconds of CPU time.  Otherwise as above.
 */
void measure_as_probe(const struct altpick_question *question, unsigned milliseconds, uint32_t seed,
                      struct altpick_result *ret_result);

#endif
