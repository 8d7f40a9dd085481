/* SPDX-License-Identifier: MIT */
/* Candidates run once and looked at in this process, for tests of what looks find. */
#ifndef ALTPICK_TESTS_LOOKED_H
#define ALTPICK_TESTS_LOOKED_H

#include "altpick/check.h"
#include "altpick/look.h"
#include "findings.h"
#include "session.h"
#include "test.h"

#include <string.h>

/* What a hosted session of a question has before anything is timed. */
struct looked {
    struct altpick_cpu cpu;
    struct altpick_hosted_session hosted;
    struct altpick_looking looking;
};

/* Make the session and run the check of registers. */
static inline void looked_begin(struct looked *looked, const struct altpick_question *question)
{
    struct altpick_diag diag = {{0}};

    memset(looked, 0, sizeof *looked);
    altpick_cpu_read(&altpick_cpuid_native, &looked->cpu);
    looked->hosted.question = question;
    looked->hosted.cpu = &looked->cpu;
    looked->hosted.seed = 1;
    looked->hosted.stuck_ms = 100;
    altpick_plan_init(&looked->cpu, false, &looked->hosted.plan);
    assert_int_equal(altpick_hosted_session_begin(&looked->hosted, &diag), 0);
    looked->looking.session = looked->hosted.session;
    looked->looking.live = &looked->hosted.live;
    looked->looking.timer = &looked->hosted.timer;
    assert_int_equal(altpick_check_session(looked->hosted.session, &looked->hosted.live,
                                           &looked->hosted.timer, question->may_change),
                     0);
}

/* What the findings make of candidate @i. */
static inline struct altpick_measurement looked_at(const struct looked *looked, size_t i)
{
    struct altpick_measurement measurement = {.status = ALTPICK_STATUS_UNMEASURED};

    altpick_findings_fill(looked->hosted.session, i, looked->hosted.question, 100, &measurement);
    measurement.candidate = looked->hosted.session->candidates[i];
    altpick_findings_count(looked->hosted.question->bits, &measurement);
    return measurement;
}

#endif
