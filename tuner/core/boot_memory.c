/* SPDX-License-Identifier: MIT */
/* Lays the data of a probe out in the caller's memory, or counts what that takes. */
#include "boot_run.h"

#include "altpick/err.h"
#include "bytes.h"

enum { LINE_BYTES = 64, PAGE_BYTES = 4096 };

/* A walk over memory that hands out parts of it; base 0: it only counts. */
struct walk {
    uintptr_t base;
    size_t used;
};

static void *take(struct walk *walk, size_t bytes, size_t align)
{
    uintptr_t at = (walk->base + walk->used + align - 1) / align * align;

    walk->used = at - walk->base + bytes;
    return walk->base ? (void *) at : NULL;
}

static size_t candidates_of(const struct altpick_question *question)
{
    return question->n_candidates ? question->n_candidates : ALTPICK_CANDIDATES_MAX;
}

static void lay_out_question(struct walk *walk, const struct altpick_plan *plan,
                             const struct altpick_question *question,
                             struct altpick_boot_question *ret_question,
                             struct altpick_result *ret_result)
{
    struct altpick_plan own = *plan;
    struct altpick_session *session;
    struct altpick_measurement *candidates;
    size_t n = candidates_of(question);

    altpick_plan_narrow(&own, question, question->conditions);
    session = take(walk, altpick_session_bytes(&own, n), LINE_BYTES);
    candidates = take(walk, n * sizeof *candidates, LINE_BYTES);
    if (!walk->base)
        return;
    altpick_zero(session, altpick_session_bytes(&own, n));
    ret_question->question = question;
    ret_question->session = session;
    ret_result->candidates = candidates;
    ret_result->n_candidates = n;
}

size_t altpick_boot_lay_out(const struct altpick_boot_options *options,
                            const struct altpick_plan *plan, uint8_t *base,
                            struct altpick_boot_run **ret_run)
{
    struct walk walk = {(uintptr_t) base, 0};
    struct altpick_boot_run *run = take(&walk, sizeof *run, LINE_BYTES);
    struct altpick_boot_question *questions =
        take(&walk, options->n_questions * sizeof *questions, LINE_BYTES);
    struct altpick_result *results =
        take(&walk, options->n_questions * sizeof *results, LINE_BYTES);
    void *scratch = take(&walk, sizeof *run->scratch, LINE_BYTES);
    void *area = take(&walk, ALTPICK_XSTATE_BYTES_MAX, LINE_BYTES);
    /* Below the stack lies scratch: the state to be restored is none of what overflows into. */
    void *candidates = take(&walk, ALTPICK_CANDIDATES_MAX * sizeof *run->candidates, LINE_BYTES);
    void *stack = take(&walk, ALTPICK_BOOT_STACK_BYTES, LINE_BYTES);
    void *data = take(&walk, altpick_live_data_bytes(), PAGE_BYTES);

    if (base) {
        altpick_zero(run, sizeof *run);
        altpick_zero(questions, options->n_questions * sizeof *questions);
        altpick_zero(results, options->n_questions * sizeof *results);
        altpick_zero(area, ALTPICK_XSTATE_BYTES_MAX);
        run->questions = questions;
        run->results = results;
        run->scratch = scratch;
        run->candidates = candidates;
        run->area = area;
        run->stack = stack;
        run->data = data;
        run->plan = *plan;
        *ret_run = run;
    }
    for (size_t i = 0; i < options->n_questions; i++)
        lay_out_question(&walk, plan, options->questions[i], base ? &questions[i] : NULL,
                         base ? &results[i] : NULL);
    return walk.used + (base ? 0 : PAGE_BYTES); /* for an alignment that is not known yet */
}
