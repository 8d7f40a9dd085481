/* SPDX-License-Identifier: MIT */
/* A registered question with candidates of a test's own, measured on this CPU as briefly as can be.
 */
#ifndef ALTPICK_TESTS_PLANTED_RUN_H
#define ALTPICK_TESTS_PLANTED_RUN_H

#include "altpick/clock.h"
#include "session.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { PLANTED_LAYOUTS = 3, PLANTED_STUCK_MS = 1000 };

static struct altpick_candidate planted_list[ALTPICK_CANDIDATES_MAX];
static size_t planted_n;

static inline size_t planted_candidates(const struct altpick_question *question,
                                        struct altpick_candidate ret[ALTPICK_CANDIDATES_MAX])
{
    (void) question;
    memcpy(ret, planted_list, planted_n * sizeof *ret);
    return planted_n;
}

struct planted_run {
    struct altpick_cpu cpu;
    struct altpick_question question;
    struct altpick_hosted_session hosted;
    struct altpick_result result;
};

/* Features that the next run takes for absent, bit n: enum altpick_cpu_feature n. */
static uint64_t planted_without;

/* Measure planted_list in @condition alone, as if it were the list of the question called @name. */
static inline void planted_measure(struct planted_run *run, const char *name,
                                   enum altpick_condition condition)
{
    struct altpick_diag diag = {{0}};

    memset(run, 0, sizeof *run);
    altpick_cpu_read(&altpick_cpuid_native, &run->cpu);
    for (unsigned f = 0; f < ALTPICK_N_CPU_FEATURES; f++) {
        if (planted_without >> f & 1)
            run->cpu.features[f / 32] &= ~(1u << f % 32);
    }
    planted_without = 0;
    run->question = *altpick_question_find(name);
    run->question.candidates = planted_candidates;
    run->question.conditions = 1u << condition;
    run->question.layouts_percent = 0;
    run->hosted = (struct altpick_hosted_session){
        .question = &run->question, .cpu = &run->cpu, .seed = 1, .stuck_ms = PLANTED_STUCK_MS};
    altpick_plan_init(&run->cpu, false, &run->hosted.plan);
    run->hosted.plan.effort[condition].layouts = PLANTED_LAYOUTS;
    run->hosted.plan.extra_batches = 0;
    run->hosted.plan.patience_ticks = 0;
    run->hosted.deadline_ticks = altpick_clock_start() + (UINT64_C(1) << 40);
    if (altpick_hosted_session_run(&run->hosted, &diag) != 0)
        fail_msg("%s", diag.text);
    assert_int_equal(altpick_hosted_session_result(&run->hosted, &run->result, &diag), 0);
}

static inline void planted_fini(struct planted_run *run)
{
    free(run->result.candidates);
    altpick_hosted_session_fini(&run->hosted);
}

/* Whether all of @needs is here. */
static inline bool planted_has(uint64_t needs)
{
    struct altpick_cpu cpu;

    altpick_cpu_read(&altpick_cpuid_native, &cpu);
    for (unsigned f = 0; f < ALTPICK_N_CPU_FEATURES; f++) {
        if (needs >> f & 1 && !altpick_cpu_has(&cpu, (enum altpick_cpu_feature) f))
            return false;
    }
    return true;
}

#endif
