/* SPDX-License-Identifier: MIT */
/* Measure this machine: identity, trust, then every question that was asked for. */
#include "probe.h"

#include "altpick/clock.h"
#include "altpick/result.h"
#include "altpick/stop.h"
#include "altpick/trust.h"
#include "boot_table.h"
#include "diag.h"
#include "file.h"
#include "machine.h"
#include "neighbour.h"
#include "profile_read.h"
#include "session.h"
#include "text.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEFAULT_TIME_LIMIT_MS = 2000, /* of one question; quiet machines need a quarter of it */
    THOROUGH_FACTOR = 6,
    STUCK_MS = 1000,
    BUSY_PERCENT = 10, /* of samples beside a busy sibling: worth a warning */
    CLOCK_TRIES = 16,
    CLOCKS_APART_NS = 20000,
    FINISHING_MS = 8, /* from the last sample to the written file */
};

/* What a probe carries from question to question. */
struct probe {
    const struct altpick_probe_options *options;
    struct altpick_machine *machine;
    uint64_t start_ns, start_ticks;
    uint64_t time_limit_ms;              /* of all questions together */
    struct altpick_out *samples;         /* NULL: not wanted */
    struct altpick_neighbour *neighbour; /* NULL: no other CPU may be used */
    size_t questions_left;               /* to be measured, the current one included */
    const char *question;
};

static void report_progress(void *ctx, unsigned percent)
{
    const struct probe *probe = ctx;

    probe->options->progress(probe->options->progress_ctx, probe->question, percent);
}

static bool is_asked(const struct altpick_probe_options *options, const char *question)
{
    return !options->only || fnmatch(options->only, question, 0) == 0;
}

/* Read both clocks at one moment: again where others had the CPU in between. */
static void read_clocks(uint64_t *ret_ns, uint64_t *ret_ticks)
{
    uint64_t after_ns;

    for (unsigned try = 0; try < CLOCK_TRIES; try++) {
        *ret_ns = altpick_machine_now_ns();
        *ret_ticks = altpick_clock_start();
        after_ns = altpick_machine_now_ns();
        if (after_ns - *ret_ns < CLOCKS_APART_NS)
            return;
    }
}

/* Ticks a second, from both clocks since the start of the probe. */
static uint64_t tsc_hz(const struct probe *probe)
{
    uint64_t ns, ticks;

    read_clocks(&ns, &ticks);
    ns -= probe->start_ns;
    ticks -= probe->start_ticks;
    return ns ? (uint64_t) ((double) ticks / (double) ns * 1e9) : 0;
}

/*
 * When the current question must end, on the time-stamp counter: its even share of what is left of
 * the time limit, less what is needed to finish.
 */
static uint64_t deadline_ticks(const struct probe *probe)
{
    uint64_t ms = probe->time_limit_ms > 2 * FINISHING_MS ? probe->time_limit_ms - FINISHING_MS
                                                          : probe->time_limit_ms / 2;
    uint64_t now = altpick_clock_start();
    uint64_t end = probe->start_ticks + (uint64_t) ((double) ms / 1000.0 * (double) tsc_hz(probe));

    return now < end ? now + (end - now) / probe->questions_left : end;
}

static void write_samples(struct altpick_out *out, struct altpick_session *session,
                          const char *question)
{
    for (uint32_t i = 0; i < session->n_candidates; i++) {
        for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
            for (uint32_t l = 0; l < session->layouts_done[c]; l++) {
                const uint64_t *round = altpick_session_layout(session, i, c, l);

                for (uint32_t k = 0; k < session->plan.effort[c].rounds; k++)
                    altpick_printf(out, "%s\t%s\t%s\t%u\t%u\t%" PRIu64 "\t%" PRIu64 "\n", question,
                                   session->candidates[i].name, altpick_condition_name(c), l, k,
                                   altpick_sample_micro(round[k]),
                                   altpick_sample_canary_micro(round[k]));
            }
        }
    }
}

/* Anything that makes the figures worse than they could be is said. */
static void warn_of_session(struct altpick_machine *machine,
                            const struct altpick_hosted_session *hosted)
{
    const struct altpick_session *session = hosted->session;
    uint64_t samples = (uint64_t) session->samples_busy + session->samples_quiet;

    if (session->out_of_time && session->batch >= session->plan.batches)
        altpick_machine_warn(machine, "%s: the time limit left none for what is near its margin",
                             hosted->question->name);
    else if (session->out_of_time)
        altpick_machine_warn(machine,
                             "%s: the time limit ended the measurement after %u of %u batches",
                             hosted->question->name, session->batch, session->plan.batches);
    if (samples && session->samples_busy * UINT64_C(100) / samples >= BUSY_PERCENT)
        altpick_machine_warn(
            machine,
            "%s: another thread took throughput from this core beside %u %% of the samples",
            hosted->question->name, (unsigned) (session->samples_busy * UINT64_C(100) / samples));
    if (hosted->children_lost)
        altpick_machine_warn(machine, "%s: %u candidates faulted or did not end",
                             hosted->question->name, hosted->children_lost);
}

static int begin_question(struct probe *probe, const struct altpick_question *question,
                          struct altpick_hosted_session *hosted, struct altpick_diag *diag)
{
    *hosted = (struct altpick_hosted_session){
        .question = question,
        .cpu = &probe->machine->cpu,
        .seed = probe->options->seed ? probe->options->seed : (uint32_t) probe->start_ticks,
        .shuffle = probe->options->selftest_shuffle,
        .conditions =
            probe->options->boot_table ? altpick_boot_table_conditions(question->bits) : 0,
        .keep_all = probe->options->boot_table,
        .extra_cpu_ms =
            altpick_stop_extra_ms(question) * (probe->options->thorough ? THOROUGH_FACTOR : 1),
        .stuck_ms = STUCK_MS,
        .progress = probe->options->progress ? report_progress : NULL,
        .progress_ctx = probe,
    };
    if (question->bits == 64)
        altpick_neighbour_join(probe->neighbour, &hosted->live);
    altpick_plan_init(&probe->machine->cpu, probe->options->thorough, &hosted->plan);
    return altpick_hosted_session_begin(hosted, diag);
}

/*
 * Batches of all questions in turn, so that a burst of a neighbour cannot cover one question.  What
 * is left of the time is shared by those that still go on.
 */
static int measure_in_turn(struct probe *probe, struct altpick_hosted_session *hosted, size_t n,
                           struct altpick_diag *diag)
{
    for (;;) {
        int r = ALTPICK_OK;

        probe->questions_left = 0;
        for (size_t i = 0; i < n; i++)
            probe->questions_left += hosted[i].goes_on;
        if (probe->questions_left == 0)
            return r;
        for (size_t i = 0; i < n; i++) {
            if (!hosted[i].goes_on)
                continue;
            probe->question = hosted[i].question->name;
            hosted[i].deadline_ticks = deadline_ticks(probe);
            r = altpick_hosted_session_batch(&hosted[i], diag);
            if (r < 0)
                return r;
            probe->questions_left--;
        }
    }
}

static int finish_question(struct probe *probe, struct altpick_hosted_session *hosted,
                           struct altpick_result *ret_result, struct altpick_diag *diag)
{
    int r = altpick_hosted_session_result(hosted, ret_result, diag);

    if (r < 0)
        return r;
    warn_of_session(probe->machine, hosted);
    if (probe->samples)
        write_samples(probe->samples, hosted->session, hosted->question->name);
    return ALTPICK_OK;
}

/* A result that says that nothing was measured and why, with every candidate listed. */
static int unmeasured_question(const struct altpick_question *question,
                               const struct altpick_cpu *cpu, const char *reason,
                               struct altpick_result *ret_result, struct altpick_diag *diag)
{
    struct altpick_candidate *built_in = calloc(ALTPICK_CANDIDATES_MAX, sizeof *built_in);
    struct altpick_measurement *candidates = NULL;
    size_t n = 0;

    if (built_in) {
        n = question->candidates(question, built_in);
        candidates = calloc(n, sizeof *candidates);
    }
    if (candidates)
        altpick_result_unmeasured(question, cpu, reason, built_in, n, candidates, ret_result);
    free(built_in);
    return candidates ? ALTPICK_OK
                      : altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", question->name);
}

/* How many questions are measured. */
static size_t count_asked(const struct altpick_probe_options *options)
{
    size_t n = 0;

    for (size_t i = 0; i < altpick_question_count; i++)
        n += is_asked(options, altpick_questions[i]->name) && !altpick_questions[i]->unmeasured;
    return n;
}

uint64_t altpick_probe_time_limit_ms(const struct altpick_probe_options *options)
{
    return options->time_limit_ms ? options->time_limit_ms
                                  : (uint64_t) count_asked(options) * DEFAULT_TIME_LIMIT_MS *
                                        (options->thorough ? THOROUGH_FACTOR : 1);
}

/* Results in the order of the registry, from @hosted where it is of that question. */
static int collect_results(struct probe *probe, struct altpick_hosted_session *hosted,
                           struct altpick_diag *diag)
{
    struct altpick_machine *machine = probe->machine;
    char reason[ALTPICK_REASON_MAX];
    int r = ALTPICK_OK;

    snprintf(reason, sizeof reason, "the timing environment is %s",
             altpick_trust_name(machine->trust));
    for (size_t i = 0; i < altpick_question_count && r == 0; i++) {
        const struct altpick_question *question = altpick_questions[i];
        struct altpick_result *result = &machine->results[machine->n_results];

        if (!is_asked(probe->options, question->name))
            continue;
        if (hosted->question == question)
            r = finish_question(probe, hosted++, result, diag);
        else
            r = unmeasured_question(question, &machine->cpu,
                                    question->unmeasured ? question->unmeasured : reason, result,
                                    diag);
        machine->n_results += r == 0;
    }
    return r;
}

static int measure_questions(struct probe *probe, struct altpick_diag *diag)
{
    struct altpick_machine *machine = probe->machine;
    bool usable = altpick_trust_is_usable(machine->trust);
    struct altpick_hosted_session *hosted = calloc(altpick_question_count + 1, sizeof *hosted);
    size_t n = 0;
    int r = ALTPICK_OK;

    machine->results = calloc(altpick_question_count, sizeof *machine->results);
    if (!machine->results || !hosted) {
        free(hosted);
        return altpick_fail(diag, ALTPICK_ENOMEM, "out of memory");
    }
    for (size_t i = 0; i < altpick_question_count && r == 0 && usable; i++) {
        const struct altpick_question *question = altpick_questions[i];

        if (is_asked(probe->options, question->name) && !question->unmeasured)
            r = begin_question(probe, question, &hosted[n++], diag);
    }
    if (r == 0)
        r = measure_in_turn(probe, hosted, n, diag);
    if (r == 0)
        r = collect_results(probe, hosted, diag);
    for (size_t i = 0; i < n; i++)
        altpick_hosted_session_fini(&hosted[i]);
    free(hosted);
    return r;
}

/* Pin, then judge the environment from compiled-in code before anything emitted is executed. */
static int judge_trust(struct probe *probe, struct altpick_diag *diag)
{
    struct altpick_machine *machine = probe->machine;
    struct altpick_trust_figures figures;
    struct altpick_trust_verdict verdict;
    int r = altpick_machine_pin(probe->options->cpu);

    if (r < 0 && probe->options->cpu >= 0)
        return altpick_fail(diag, ALTPICK_EIO, "cannot measure on CPU %d: %s", probe->options->cpu,
                            strerror(-r));
    if (r < 0)
        altpick_machine_warn(machine, "not pinned to a CPU (%s): figures may mix cores",
                             strerror(-r));
    altpick_trust_measure(&machine->cpu, NULL, &figures);
    altpick_trust_judge(&figures, &machine->cpu, &verdict);
    machine->trust = verdict.trust;
    machine->quantum_ticks = figures.quantum_ticks;
    if (altpick_trust_is_usable(verdict.trust))
        return ALTPICK_OK;
    for (size_t i = 0; i < verdict.n_reasons; i++)
        altpick_machine_warn(machine, "%s: %s", altpick_trust_name(verdict.trust),
                             verdict.reason[i]);
    return ALTPICK_OK;
}

static int probe_machine(struct probe *probe, struct altpick_diag *diag)
{
    struct altpick_machine *machine = probe->machine;
    int r;

    altpick_machine_identify(machine);
    machine->selftest_shuffle = probe->options->selftest_shuffle;
    probe->neighbour = altpick_neighbour_new(altpick_neighbour_cpu(probe->options->cpu));
    r = judge_trust(probe, diag);
    if (r == 0)
        r = measure_questions(probe, diag);
    altpick_neighbour_free(probe->neighbour);
    if (r < 0)
        return r;
    if (machine->trust != ALTPICK_TRUST_UNSTABLE)
        machine->tsc_hz = (tsc_hz(probe) + 500000) / 1000000 * 1000000;
    if (!altpick_trust_is_usable(machine->trust))
        return altpick_fail(diag, ALTPICK_EUNTRUSTED,
                            "the timing environment is %s: nothing was measured",
                            altpick_trust_name(machine->trust));
    return ALTPICK_OK;
}

int altpick_probe_run(const struct altpick_probe_options *options,
                      struct altpick_profile *ret_profile, struct altpick_diag *diag)
{
    struct altpick_profile profile = {.machines = calloc(1, sizeof *profile.machines),
                                      .n_machines = 1};
    struct altpick_text samples;
    struct altpick_out samples_out;
    struct probe probe = {.options = options,
                          .machine = profile.machines,
                          .time_limit_ms = altpick_probe_time_limit_ms(options),
                          .questions_left = count_asked(options)};
    int r;

    if (!profile.machines)
        return altpick_fail(diag, ALTPICK_ENOMEM, "out of memory");
    read_clocks(&probe.start_ns, &probe.start_ticks);
    altpick_text_init(&samples, &samples_out);
    probe.samples = options->samples_path ? &samples_out : NULL;

    r = probe_machine(&probe, diag);
    if (r == 0 && options->samples_path && samples_out.err < 0)
        r = altpick_fail(diag, samples_out.err, "%s: out of memory", options->samples_path);
    if (r == 0 && options->samples_path)
        r = altpick_file_write(options->samples_path, samples.data ? samples.data : "",
                               samples.bytes, diag);
    altpick_text_fini(&samples);
    if (r == 0 || r == ALTPICK_EUNTRUSTED)
        *ret_profile = profile;
    else
        altpick_profile_fini(&profile);
    return r;
}
