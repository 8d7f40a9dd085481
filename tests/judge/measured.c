/* SPDX-License-Identifier: MIT */
/* Measures a question that only a test has, on this CPU, through the program's own session. */
#include "measured.h"

#include "altpick/clock.h"
#include "machine.h"
#include "session.h"

#include <stdio.h>
#include <stdlib.h>

/* The time that is given is the measuring process's own: others may have the CPU in between. */
enum { WALL_FACTOR = 5 };

/* A session of @question whose deadline and extra batches follow from @milliseconds of CPU time. */
static void prepare(const struct altpick_question *question, unsigned milliseconds,
                    struct altpick_cpu *cpu, struct altpick_hosted_session *ret_hosted)
{
    uint64_t start_ns = altpick_machine_now_ns();
    uint64_t start_ticks = altpick_clock_start();

    *ret_hosted = (struct altpick_hosted_session){
        .question = question, .cpu = cpu, .stuck_ms = 1000, .extra_cpu_ms = milliseconds};
    altpick_machine_pin(-1);
    altpick_cpu_read(&altpick_cpuid_native, cpu);
    altpick_plan_init(cpu, false, &ret_hosted->plan);
    ret_hosted->seed = (uint32_t) start_ticks;
    while (altpick_machine_now_ns() - start_ns < 1000000)
        ; /* a millisecond tells the rate of the counter well enough for a deadline */
    ret_hosted->deadline_ticks =
        start_ticks + (altpick_clock_start() - start_ticks) * milliseconds * WALL_FACTOR;
}

static void run(struct altpick_hosted_session *hosted, struct altpick_result *ret_result)
{
    struct altpick_diag diag = {{0}};
    int r = altpick_hosted_session_run(hosted, &diag);

    if (r == 0)
        r = altpick_hosted_session_result(hosted, ret_result, &diag);
    altpick_hosted_session_fini(hosted);
    if (r < 0) {
        fprintf(stderr, "%s\n", diag.text);
        exit(1);
    }
}

void measure_hot(const struct altpick_question *question, unsigned milliseconds, uint32_t layouts,
                 uint32_t rounds, uint32_t region_quanta, struct altpick_result *ret_result)
{
    struct altpick_hosted_session hosted;
    struct altpick_cpu cpu;

    prepare(question, milliseconds, &cpu, &hosted);
    hosted.plan.region_ticks = region_quanta >= 500 ? 10000 : 1500;
    hosted.plan.region_quanta = region_quanta;
    hosted.plan.effort[ALTPICK_HOT].layouts = layouts;
    hosted.plan.effort[ALTPICK_HOT].rounds = rounds;
    run(&hosted, ret_result);
}

void measure_as_probe(const struct altpick_question *question, unsigned milliseconds, uint32_t seed,
                      struct altpick_result *ret_result)
{
    struct altpick_hosted_session hosted;
    struct altpick_cpu cpu;

    prepare(question, milliseconds, &cpu, &hosted);
    hosted.seed = seed;
    run(&hosted, ret_result);
}
