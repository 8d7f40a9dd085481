/* SPDX-License-Identifier: MIT */
/* Turns what a probe at boot found into results, choices and the output that sites get. */
#include "boot_run.h"

#include "altpick/clock.h"
#include "altpick/err.h"
#include "altpick/result.h"
#include "altpick/stop.h"
#include "bytes.h"

enum { SHARED_PERCENT = 10 }; /* of samples */

static const char no_figure[] = "no figure within the budget";
static const char needs_32_bit[] = "needs code of another size than a probe at boot runs";
static const char is_broken[] = "code of altpick itself faulted";
static const char was_shared[] = "another thread was on this core, and the probe was short";
static const char not_all_types[] = "cores of other types were not measured";
static const char types_disagree[] = "cores of other types decide otherwise";

static const char *left_out(unsigned condition)
{
    return condition == ALTPICK_STREAMED    ? "needs more memory than a probe at boot has"
           : condition == ALTPICK_CONTENDED ? "needs a second CPU"
                                            : "left out of a short probe";
}

/* Why nothing was measured of @question; NULL: something was, or may have been. */
static const char *why_unmeasured(const struct altpick_boot_run *run,
                                  const struct altpick_boot_question *question)
{
    if (question->question->unmeasured)
        return question->question->unmeasured;
    if (question->question->bits != 64)
        return needs_32_bit;
    if (question->broken)
        return is_broken;
    return run->runs ? NULL : run->reason;
}

/*
 * Whether a thread beside this one had part of the core: in a few milliseconds it covers the
 * samples of some candidates and not those of others, and no later batch puts that right.
 */
static bool is_shared(const struct altpick_session *session)
{
    uint64_t busy = session->samples_busy, all = busy + session->samples_quiet;

    return session->plan.brief && busy * 100 > all * SHARED_PERCENT;
}

/* Why no cost of @question may be used; NULL: they may. */
static const char *why_discarded(const struct altpick_boot_run *run,
                                 const struct altpick_boot_question *question)
{
    if (!run->keeps_costs)
        return run->reason;
    return is_shared(question->session) ? was_shared : NULL;
}

/* No cost is left where the clock says nothing; what was found without one is. */
static void discard_costs(const struct altpick_session *session, const char *why,
                          struct altpick_result *result)
{
    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
        struct altpick_condition_facts *facts = &result->condition[c];

        if (!facts->asked || facts->status == ALTPICK_STATUS_UNSUPPORTED)
            continue;
        facts->status = ALTPICK_STATUS_UNMEASURED;
        facts->reason[0] = '\0';
        altpick_append(facts->reason, sizeof facts->reason, why);
    }
    for (size_t i = 0; i < result->n_candidates; i++) {
        struct altpick_measurement *m = &result->candidates[i];

        altpick_zero(m->cost, sizeof m->cost);
        m->status = session->state[i] == ALTPICK_CELL_FAULTED     ? ALTPICK_STATUS_FAULTED
                    : session->state[i] == ALTPICK_CELL_TIMED_OUT ? ALTPICK_STATUS_TIMED_OUT
                    : session->state[i] == ALTPICK_CELL_LACKING   ? ALTPICK_STATUS_UNSUPPORTED
                                                                  : ALTPICK_STATUS_UNMEASURED;
    }
    result->batches = 0;
}

static void make_unmeasured(struct altpick_boot_run *run,
                            const struct altpick_boot_question *question, const char *reason)
{
    struct altpick_result *result = &run->results[question - run->questions];

    altpick_result_unmeasured(question->question, &run->machine.cpu, reason,
                              question->session->candidates, question->session->n_candidates,
                              result->candidates, result);
}

int altpick_boot_result(struct altpick_boot_run *run, struct altpick_boot_question *question)
{
    struct altpick_session *session = question->session;
    struct altpick_result *result = &run->results[question - run->questions];
    uint32_t percent[ALTPICK_N_CONDITIONS] = {0};
    struct altpick_result_source source = {.question = question->question,
                                           .cpu = &run->machine.cpu,
                                           .session = session,
                                           .conditions = question->question->conditions,
                                           .reached_percent = percent,
                                           .left_out = left_out};

    source.unreached = altpick_stop_unreached(session, percent);
    return altpick_result_make(&source, result->candidates, session->n_candidates, result);
}

static int make_result(struct altpick_boot_run *run, struct altpick_boot_question *question)
{
    const char *reason = why_unmeasured(run, question), *why = why_discarded(run, question);
    int r;

    if (reason) {
        make_unmeasured(run, question, reason);
        return ALTPICK_OK;
    }
    r = altpick_boot_result(run, question);
    if (r == 0 && why)
        discard_costs(question->session, why, &run->results[question - run->questions]);
    return r;
}

static struct altpick_boot_choice choice_of(const struct altpick_decision *decision)
{
    struct altpick_boot_choice choice = {
        .verdict = decision->verdict, .displaced = decision->displaced, .why = ""};
    const struct altpick_entry *winner;

    altpick_append(choice.item, sizeof choice.item, decision->contest.item);
    if (decision->winner == ALTPICK_NO_ENTRY)
        return choice;
    winner = &decision->contest.entries[decision->winner];
    altpick_append(choice.candidate, sizeof choice.candidate, winner->name);
    if (altpick_cost_is_known(&winner->sum))
        choice.cycles_micro = winner->sum.cycles_micro;
    return choice;
}

/* What is decided before anything was measured: kept wherever nothing better comes. */
static int decide_default(struct altpick_boot_run *run, struct altpick_boot_question *question)
{
    const struct altpick_result *result = &run->results[question - run->questions];
    const char *why = why_unmeasured(run, question);

    altpick_decide(question->question, result, &run->policy, run->scratch);
    if (run->n_choices + run->scratch->n_decisions > ALTPICK_BOOT_CHOICES_MAX)
        return ALTPICK_ENOSPACE;
    question->first_choice = run->n_choices;
    question->n_choices = run->scratch->n_decisions;
    for (size_t i = 0; i < question->n_choices; i++) {
        struct altpick_boot_choice *choice = &run->choices[run->n_choices++];

        *choice = choice_of(&run->scratch->decision[i]);
        choice->why = why ? why : run->keeps_costs ? no_figure : run->reason;
    }
    return ALTPICK_OK;
}

/* Results of the same type of core are none of another. */
static bool has_another_type(const struct altpick_boot_run *run)
{
    for (size_t k = 0; k < run->options.n_others; k++) {
        if (run->options.others[k]->machine->cpu.core_type != run->machine.cpu.core_type)
            return true;
    }
    return false;
}

/* Whether every other core type chose for all items of @question what is in the scratch. */
static const char *why_not_here(const struct altpick_boot_run *run)
{
    if (!altpick_cpu_has(&run->machine.cpu, ALTPICK_CPU_HYBRID))
        return NULL;
    if (!has_another_type(run))
        return not_all_types;
    for (size_t i = 0; i < run->scratch->n_decisions; i++) {
        struct altpick_boot_choice ours = choice_of(&run->scratch->decision[i]);

        for (size_t k = 0; k < run->options.n_others; k++) {
            const struct altpick_boot_choice *theirs =
                altpick_boot_find(run->options.others[k], ours.item);

            if (!theirs || !altpick_equal(theirs->here, ours.candidate))
                return types_disagree;
        }
    }
    return NULL;
}

/* The choices that figures make; all of a question's or none, since its items belong together. */
static int decide_measured(struct altpick_boot_run *run, struct altpick_boot_question *question)
{
    const struct altpick_result *result = &run->results[question - run->questions];
    const char *why;

    altpick_decide(question->question, result, &run->policy, run->scratch);
    why = why_not_here(run);
    for (size_t i = 0; i < question->n_choices; i++) {
        struct altpick_boot_choice *choice = &run->choices[question->first_choice + i];
        struct altpick_boot_choice measured = choice_of(&run->scratch->decision[i]);

        if (why)
            choice->why = why;
        else
            *choice = measured;
        altpick_copy_bytes(choice->here, measured.candidate, sizeof choice->here);
    }
    return why ? ALTPICK_OK
               : altpick_output_take(&run->machine, &run->policy, run->scratch, &run->output);
}

/* Its defaults stay, and it is said why. */
static void keep_defaults(struct altpick_boot_run *run,
                          const struct altpick_boot_question *question)
{
    const char *why = why_discarded(run, question);

    for (size_t i = 0; why && i < question->n_choices; i++)
        run->choices[question->first_choice + i].why = why;
}

static bool has_figures(const struct altpick_result *result)
{
    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
        if (result->condition[c].status == ALTPICK_STATUS_MEASURED)
            return true;
    }
    return false;
}

/* Once for all questions: whoever asks none that can leave a guest does without the code. */
static void mark_exits(struct altpick_boot_run *run)
{
    for (size_t i = 0; i < run->options.n_questions; i++) {
        const struct altpick_question *question = run->options.questions[i];

        if (question->mark_exits) {
            question->mark_exits(&run->figures, &run->machine);
            return;
        }
    }
}

static bool is_over(const struct altpick_boot_run *run)
{
    return altpick_clock_start() > run->end_ticks;
}

int altpick_boot_decide_defaults(struct altpick_boot_run *run)
{
    int r = ALTPICK_OK;

    for (size_t i = 0; i < run->options.n_questions && r == 0; i++) {
        if (is_over(run))
            return r;
        make_unmeasured(run, &run->questions[i], no_figure);
        if (!is_over(run))
            r = decide_default(run, &run->questions[i]);
    }
    return r;
}

int altpick_boot_decide(struct altpick_boot_run *run)
{
    int r = ALTPICK_OK;

    for (size_t i = 0; i < run->options.n_questions && r == 0; i++)
        r = make_result(run, &run->questions[i]);
    if (r < 0)
        return r;
    run->machine.results = run->results;
    run->machine.n_results = run->options.n_questions;
    if (!run->keeps_costs)
        return ALTPICK_OK;
    mark_exits(run);
    for (size_t i = 0; i < run->options.n_questions && r == 0; i++) {
        if (has_figures(&run->results[i]))
            r = decide_measured(run, &run->questions[i]);
        else
            keep_defaults(run, &run->questions[i]);
    }
    return r;
}
