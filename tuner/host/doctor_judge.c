/* SPDX-License-Identifier: MIT */
/* Turns facts about the processor and its clock into findings. */
#include "doctor_judge.h"

#include "table.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Shares in a thousand, from which on a finding is a note, and bad. */
enum {
    SLOW_NOTE = 100, /* as the warning of a probe */
    SLOW_BAD = 500,
    CHANGES_BAD = 200, /* a sample lasts about as long as a reading of the ruler */
    LOST_NOTE = 20,    /* a quiet guest loses 7 to timer interrupts alone */
    LOST_BAD = 100,
    LONGEST_NOTE_MS = 20,
};

void altpick_doctor_found(struct altpick_doctor_finding *finding, const char *format, ...)
{
    size_t n = strlen(finding->found);
    va_list args;

    va_start(args, format);
    vsnprintf(finding->found + n, sizeof finding->found - n, format, args);
    va_end(args);
}

void altpick_doctor_settle(struct altpick_doctor_finding *finding, enum altpick_doctor_level level,
                           const char *means, const char *remedy)
{
    finding->level = level;
    finding->means = means;
    finding->remedy = remedy;
}

bool altpick_doctor_is_guest(const struct altpick_doctor_facts *facts)
{
    return altpick_cpu_has(&facts->cpu, ALTPICK_CPU_HYPERVISOR) ||
           facts->verdict.trust == ALTPICK_TRUST_GUEST;
}

/* Nothing was timed where timings say nothing; whether that is so. */
static bool is_untimed(const struct altpick_doctor_facts *facts,
                       struct altpick_doctor_finding *finding)
{
    if (facts->timing.measured)
        return false;
    altpick_doctor_found(finding, "not measured");
    altpick_doctor_settle(finding, ALTPICK_DOCTOR_NOTE,
                          "what is timed in such an environment says nothing", "see trust");
    return true;
}

void altpick_doctor_judge_trust(const struct altpick_doctor_facts *facts,
                                struct altpick_doctor_finding *finding)
{
    const struct altpick_trust_verdict *verdict = &facts->verdict;

    altpick_doctor_found(finding, "%s", altpick_trust_name(verdict->trust));
    for (size_t i = 0; i < verdict->n_reasons; i++)
        altpick_doctor_found(finding, "; %s", verdict->reason[i]);
    if (!altpick_trust_is_usable(verdict->trust))
        altpick_doctor_settle(finding, ALTPICK_DOCTOR_BAD,
                              "timings say nothing about a CPU: probe runs nothing that is emitted "
                              "and reports no cost",
                              "probe on the hardware, or in a guest that it runs natively; a build "
                              "takes a profile or tune --fallback=default");
    else
        altpick_doctor_settle(finding, ALTPICK_DOCTOR_OK,
                              "code runs on a core and its clock can be read: costs are the core's",
                              NULL);
}

void altpick_doctor_judge_hypervisor(const struct altpick_doctor_facts *facts,
                                     struct altpick_doctor_finding *finding)
{
    const char *name = facts->cpu.hypervisor;

    if (!altpick_doctor_is_guest(facts)) {
        altpick_doctor_found(finding, "CPUID names none");
        altpick_doctor_settle(finding, ALTPICK_DOCTOR_OK, "no one is known to share this machine",
                              NULL);
        return;
    }
    if (altpick_cpu_has(&facts->cpu, ALTPICK_CPU_HYPERVISOR))
        altpick_doctor_found(finding, "%s", name[0] ? name : "one without a name");
    else
        altpick_doctor_found(finding, "CPUID names none, but it traps");
    altpick_doctor_settle(finding, ALTPICK_DOCTOR_NOTE,
                          "the host may give the core to others, change its clock and show the "
                          "name of another CPU: see lost-time, sibling and frequency",
                          "prefer the bare machine where there is a choice");
}

/* Who shares the core, as far as the system tells. */
static void found_siblings(const struct altpick_doctor_facts *facts,
                           struct altpick_doctor_finding *finding)
{
    unsigned threads = altpick_doctor_cpus_count(&facts->system.threads);

    if (threads > 1)
        altpick_doctor_found(finding, "CPUs %s share the core",
                             altpick_doctor_cpus_text(&facts->system.threads).text);
    else if (threads == 0)
        altpick_doctor_found(finding, "the system does not tell who shares the core");
    else if (altpick_doctor_is_guest(facts))
        altpick_doctor_found(finding, "no sibling thread is shown, as in most guests");
    else
        altpick_doctor_found(finding, "no sibling thread");
}

void altpick_doctor_judge_sibling(const struct altpick_doctor_facts *facts,
                                  struct altpick_doctor_finding *finding)
{
    const struct altpick_doctor_timing *t = &facts->timing;
    uint64_t slow;
    bool alone;

    if (is_untimed(facts, finding))
        return;
    alone =
        altpick_doctor_cpus_count(&facts->system.threads) == 1 && !altpick_doctor_is_guest(facts);
    slow = t->windows ? t->slow_windows * UINT64_C(1000) / t->windows : 0;
    found_siblings(facts, finding);
    altpick_doctor_found(finding, "; NOPs took a tenth more than %s cycles in %s %% of %u windows",
                         altpick_figure_cycles(t->nop_best_micro).text,
                         altpick_figure_permille((uint32_t) slow).text, t->windows);
    if (slow >= SLOW_BAD)
        altpick_doctor_settle(finding, ALTPICK_DOCTOR_BAD,
                              "another thread takes throughput most of the time: hardly a sample "
                              "is quiet, intervals widen and items stay undecided",
                              "idle the sibling thread, or measure elsewhere with --cpu");
    else if (slow >= SLOW_NOTE)
        altpick_doctor_settle(finding, ALTPICK_DOCTOR_NOTE,
                              "another thread takes throughput at times: a probe waits for it and "
                              "leaves samples out, which takes longer",
                              "idle the sibling thread, or measure elsewhere with --cpu");
    else
        altpick_doctor_settle(finding, ALTPICK_DOCTOR_OK,
                              alone ? "nobody takes throughput away"
                                    : "nobody took throughput away meanwhile; a thread that is "
                                      "busy all the time would not show",
                              alone ? NULL : "keep what shares the core idle during a probe");
}

static uint64_t mhz_of(const struct altpick_doctor_timing *timing, uint64_t add_micro)
{
    return add_micro ? (timing->tsc_hz + add_micro / 2) / add_micro : 0;
}

/* A clock that changes slowly costs nothing: every sample has its own ruler. */
void altpick_doctor_judge_frequency(const struct altpick_doctor_facts *facts,
                                    struct altpick_doctor_finding *finding)
{
    const struct altpick_doctor_timing *t = &facts->timing;
    uint64_t changes;

    if (is_untimed(facts, finding))
        return;
    changes = t->readings ? t->changes * UINT64_C(1000) / t->readings : 0;
    if (t->steps == 0)
        altpick_doctor_found(finding, "no step lasts");
    else if (t->steps == 1)
        altpick_doctor_found(finding, "one step, %" PRIu64 " MHz", mhz_of(t, t->add_least_micro));
    else
        altpick_doctor_found(finding, "%u steps from %" PRIu64 " to %" PRIu64 " MHz", t->steps,
                             mhz_of(t, t->add_most_micro), mhz_of(t, t->add_least_micro));
    altpick_doctor_found(finding,
                         "; an add takes %s to %s ticks, another from one reading to the "
                         "next in %s %%",
                         altpick_figure_cycles(t->add_least_micro).text,
                         altpick_figure_cycles(t->add_most_micro).text,
                         altpick_figure_permille((uint32_t) changes).text);
    if (changes >= CHANGES_BAD || t->steps == 0)
        altpick_doctor_settle(finding, ALTPICK_DOCTOR_BAD,
                              "the clock changes within samples, which the ruler beside them "
                              "cannot undo: intervals widen and items stay undecided",
                              "fix the frequency, or let the machine cool and idle");
    else if (t->steps > 1)
        altpick_doctor_settle(finding, ALTPICK_DOCTOR_NOTE,
                              "costs are in cycles and do not move; a sample during which the "
                              "clock changes is lost",
                              "fix the frequency where items stay undecided");
    else
        altpick_doctor_settle(finding, ALTPICK_DOCTOR_OK, "every sample has the same ruler", NULL);
}

/* Clock sources to which the kernel falls back when it finds the counter wrong. */
static bool is_fallback(const char *clocksource)
{
    static const char *const names[] = {"hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(clocksource, names[i]) == 0)
            return true;
    }
    return false;
}

static void found_tsc(const struct altpick_doctor_facts *facts,
                      struct altpick_doctor_finding *finding)
{
    const struct altpick_doctor_kernel *kernel = &facts->kernel;
    const char *source = facts->system.clocksource;

    if (facts->timing.measured)
        altpick_doctor_found(finding, "%" PRIu64 " MHz, ",
                             (facts->timing.tsc_hz + 500000) / 1000000);
    altpick_doctor_found(finding, "%s, ",
                         altpick_cpu_has(&facts->cpu, ALTPICK_CPU_INVARIANT_TSC) ? "invariant"
                                                                                 : "not invariant");
    if (facts->quantum_ticks == 0)
        altpick_doctor_found(finding, "stands still, ");
    else
        altpick_doctor_found(finding, "in steps of %u, ", facts->quantum_ticks);
    if (facts->backwards)
        altpick_doctor_found(finding, "went backwards, ");
    if (kernel->backwards_ticks)
        altpick_doctor_found(finding, "%" PRIu64 " ticks back from one CPU to another, ",
                             kernel->backwards_ticks);
    else if (altpick_doctor_cpus_count(&kernel->visited) > 1)
        altpick_doctor_found(finding, "monotonic across CPUs %s, ",
                             altpick_doctor_cpus_text(&kernel->visited).text);
    altpick_doctor_found(finding, "the system's clock is %s", source[0] ? source : "not shown");
}

void altpick_doctor_judge_tsc(const struct altpick_doctor_facts *facts,
                              struct altpick_doctor_finding *finding)
{
    found_tsc(facts, finding);
    if (facts->quantum_ticks == 0 || facts->backwards)
        altpick_doctor_settle(finding, ALTPICK_DOCTOR_BAD, "there is nothing to measure with",
                              "measure on another machine");
    else if (facts->kernel.backwards_ticks && facts->kernel.cpu < 0)
        altpick_doctor_settle(finding, ALTPICK_DOCTOR_BAD,
                              "samples that move between CPUs are garbage",
                              "let altpick pin itself, or start it under taskset");
    else if (!facts->timing.measured)
        altpick_doctor_settle(finding, ALTPICK_DOCTOR_NOTE, "nothing is measured with it here",
                              "see trust");
    else if (facts->kernel.backwards_ticks)
        altpick_doctor_settle(finding, ALTPICK_DOCTOR_NOTE,
                              "costs hold, since a probe stays on one CPU; its time limit may not "
                              "where the counters are far apart",
                              NULL);
    else if (is_fallback(facts->system.clocksource))
        altpick_doctor_settle(
            finding, ALTPICK_DOCTOR_NOTE,
            "the system does not trust this counter; costs are ratios of it over "
            "microseconds, in which it may still be right",
            "look for 'clocksource' in the kernel's log; probe twice and compare");
    else if (!altpick_cpu_has(&facts->cpu, ALTPICK_CPU_INVARIANT_TSC))
        altpick_doctor_settle(finding, ALTPICK_DOCTOR_NOTE,
                              "costs are ratios to the ruler and hold; the rate of the counter in "
                              "the profile and time limits are approximate",
                              NULL);
    else
        altpick_doctor_settle(finding, ALTPICK_DOCTOR_OK, "samples and time limits can rely on it",
                              NULL);
}

void altpick_doctor_judge_lost_time(const struct altpick_doctor_facts *facts,
                                    struct altpick_doctor_finding *finding)
{
    const struct altpick_doctor_timing *t = &facts->timing;
    uint64_t lost_ppm;

    if (is_untimed(facts, finding))
        return;
    lost_ppm = t->scanned_ns ? (uint64_t) ((double) t->lost_ns / (double) t->scanned_ns * 1e6) : 0;
    altpick_doctor_found(finding,
                         "%u gaps of 1 us and more in %" PRIu64 " ms: %" PRIu64
                         " ppm, the longest %" PRIu64 " us",
                         t->gaps, t->scanned_ns / 1000000, lost_ppm, t->longest_ns / 1000);
    if (lost_ppm >= LOST_BAD * 1000)
        altpick_doctor_settle(finding, ALTPICK_DOCTOR_BAD,
                              "others have this CPU for much of the time: samples are spoilt, time "
                              "limits end batches, and items stay undecided",
                              "end the other work, or measure elsewhere with --cpu");
    else if (lost_ppm >= LOST_NOTE * 1000 || t->longest_ns >= LONGEST_NOTE_MS * UINT64_C(1000000))
        altpick_doctor_settle(finding, ALTPICK_DOCTOR_NOTE,
                              "samples that others cut into are left out: a probe takes longer",
                              "end other work, or measure elsewhere with --cpu");
    else
        altpick_doctor_settle(
            finding, ALTPICK_DOCTOR_OK,
            "interrupts as everywhere: the estimator ignores samples that met one", NULL);
}
