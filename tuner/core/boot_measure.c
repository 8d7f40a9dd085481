/* SPDX-License-Identifier: MIT */
/* Runs the questions of a probe at boot: batches in turn, faults survived, the budget kept. */
#include "boot_run.h"

#include "altpick/check.h"
#include "altpick/clock.h"
#include "altpick/err.h"
#include "altpick/look.h"
#include "altpick/stop.h"
#include "bytes.h"
#include "setup.h"

enum {
    NO_CANDIDATE = UINT32_MAX,
    FAULTS_MAX = 64,        /* in one question, which is given up then */
    FAULT_IS_VECTOR = 0x80, /* in session->fault */
    MS_PER_S = 1000,
    INSTRUCTION_MAX = 15, /* bytes (SDM vol. 2, 2.3.11) */
};

/* What a step of a question needs behind one pointer. */
struct batch {
    struct altpick_boot_run *run;
    struct altpick_boot_question *question;
    uint64_t deadline_ticks;
};

static bool fits(const struct altpick_boot_run *run, const struct altpick_question *question)
{
    return question->bits == 64 && !question->unmeasured && run->runs;
}

/* The longest step that any candidate may take, and that deciding must not count on. */
static void note_steps(struct altpick_boot_run *run, const struct altpick_session *session)
{
    for (uint32_t i = 0; i < session->n_candidates; i++) {
        for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
            uint64_t ticks =
                session->plan.effort[c].block_bytes
                    ? altpick_boot_plan_step(&session->plan, run->machine.quantum_ticks,
                                             &session->candidates[i], c)
                    : 0;

            if (ticks > run->step_ticks)
                run->step_ticks = ticks;
        }
    }
}

/* Whether other code runs behind a candidate: what raises #NM there is no instruction to step over.
 */
static bool asks_for_work(const struct altpick_question *question)
{
    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
        if (question->conditions >> c & 1 && altpick_setup_of(c)->work != ALTPICK_WORK_NONE)
            return true;
    }
    return false;
}

/* Whether memory was laid out for all, and each can be run by what there is to run it. */
static bool are_usable(const struct altpick_question *question,
                       const struct altpick_candidate *candidates, size_t n)
{
    bool works = asks_for_work(question);

    if (n > (question->n_candidates ? question->n_candidates : ALTPICK_CANDIDATES_MAX))
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct altpick_candidate *candidate = &candidates[i];

        if (candidate->code_bytes > ALTPICK_CODE_MAX ||
            (candidate->traps && (!candidate->ring0 || candidate->traps > INSTRUCTION_MAX ||
                                  candidate->traps != candidate->code_bytes || works)))
            return false;
    }
    return true;
}

static int begin_question(struct altpick_boot_run *run, struct altpick_boot_question *question)
{
    const struct altpick_boot_options *options = &run->options;
    struct altpick_live *live = &question->live;
    struct altpick_plan plan = run->plan;
    size_t n = question->question->candidates(question->question, run->candidates);

    if (!are_usable(question->question, run->candidates, n))
        return ALTPICK_EUSAGE;
    altpick_plan_narrow(&plan, question->question, question->question->conditions);
    altpick_session_init(question->session, &plan, run->candidates, n, options->seed);
    altpick_session_mark_lacking(question->session, &run->machine.cpu, run->ring0.level);
    if (!fits(run, question->question))
        return ALTPICK_OK;
    live->write_view = options->code;
    live->execute_view = options->code_view;
    live->arena_bytes = options->code_bytes;
    live->data = run->data;
    live->xstate = &run->xstate;
    live->guard = run->ring0.level ? NULL : &run->ring0.guard;
    note_steps(run, question->session);
    question->goes_on = true;
    return altpick_live_init(live, &run->machine.cpu, &plan, &question->timer);
}

int altpick_boot_begin(struct altpick_boot_run *run)
{
    int r = ALTPICK_OK;

    if (run->runs) {
        struct altpick_live live = {.data = run->data, .xstate = &run->xstate};

        altpick_live_data_init(&live);
    }
    for (size_t i = 0; i < run->options.n_questions && r == 0; i++)
        r = begin_question(run, &run->questions[i]);
    return r;
}

/* Look at what is new, then measure until the batch is done. */
static ALTPICK_SYSV int measure_batch(void *argument)
{
    const struct batch *batch = argument;
    struct altpick_boot_question *question = batch->question;
    struct altpick_session *session = question->session;
    struct altpick_looking looking = {
        .session = session, .live = &question->live, .timer = &question->timer};
    bool batch_done = false, done = false;
    int r;

    session->looks_until_ticks = batch->deadline_ticks;
    r = altpick_check_session(session, &question->live, &question->timer,
                              question->question->may_change);
    if (r == 0)
        r = altpick_look_session(question->question, &looking);
    if (!batch->run->keeps_costs && !batch->run->options.rehearse) {
        question->goes_on = false;
        return r;
    }
    while (r == 0 && !batch_done && !done && !session->out_of_time) {
        r = altpick_session_step(session, &question->timer, batch->deadline_ticks, &batch_done,
                                 &done);
        altpick_stop_unreached(session, NULL);
        if (batch->run->options.progress)
            batch->run->options.progress(batch->run->options.ctx, question->question->name,
                                         altpick_session_percent(session));
    }
    return r;
}

/* Blame what was running.  Without a candidate to blame the question is broken, and so are we. */
static void blame(struct altpick_boot_run *run, struct altpick_boot_question *question)
{
    struct altpick_session *session = question->session;
    bool timed_out = run->ring0.vector == ALTPICK_RING0_TIMED_OUT;
    uint32_t running = session->running;

    session->running = NO_CANDIDATE;
    if (running >= session->n_candidates) {
        question->broken = true;
        question->goes_on = false;
        return;
    }
    run->ret->faults++;
    if (++question->faults == FAULTS_MAX)
        question->goes_on = false;
    session->state[running] = timed_out ? ALTPICK_CELL_TIMED_OUT : ALTPICK_CELL_FAULTED;
    session->fault[running] = (uint8_t) (FAULT_IS_VECTOR | run->ring0.vector);
}

/* After a whole batch: what needs more, and whether there is another. */
static int between_batches(struct altpick_boot_run *run, struct altpick_boot_question *question)
{
    struct altpick_session *session = question->session;
    struct altpick_result *so_far = &run->results[question - run->questions];
    uint64_t extra_ticks = run->ret->tsc_hz / MS_PER_S * altpick_stop_extra_ms(question->question);
    int r;

    if (session->out_of_time ||
        session->batch >= session->plan.batches + session->plan.extra_batches) {
        question->goes_on = false;
        return ALTPICK_OK;
    }
    r = altpick_boot_result(run, question);
    if (r < 0)
        return r;
    altpick_stop_wake(session, question->question, so_far);
    question->goes_on = altpick_stop_between(session, question->question, so_far,
                                             question->spent_ticks < extra_ticks, run->scratch);
    return ALTPICK_OK;
}

static int run_batch(struct altpick_boot_run *run, struct altpick_boot_question *question,
                     uint64_t deadline_ticks)
{
    struct batch batch = {run, question, deadline_ticks};
    uint32_t before = question->session->batch;
    uint64_t start = altpick_clock_start();
    int r = altpick_ring0_try(&run->ring0, measure_batch, &batch);

    question->spent_ticks += altpick_clock_start() - start;
    if (r == 1) {
        blame(run, question);
        return ALTPICK_OK;
    }
    if (r == 0 && question->goes_on &&
        (question->session->batch > before || question->session->out_of_time))
        r = between_batches(run, question);
    return r;
}

/* The even share of what is left, for one of @left questions. */
static uint64_t deadline_of(const struct altpick_boot_run *run, size_t left)
{
    uint64_t now = altpick_clock_start(), end = run->end_ticks;

    if (end == UINT64_MAX)
        return end;
    end = end > run->decide_ticks ? end - run->decide_ticks : 0;
    return now < end ? now + (end - now) / left : end;
}

int altpick_boot_measure(struct altpick_boot_run *run)
{
    for (;;) {
        size_t left = 0;

        for (size_t i = 0; i < run->options.n_questions; i++)
            left += run->questions[i].goes_on;
        if (left == 0)
            return ALTPICK_OK;
        for (size_t i = 0; i < run->options.n_questions; i++) {
            struct altpick_boot_question *question = &run->questions[i];
            int r;

            if (!question->goes_on)
                continue;
            r = run_batch(run, question, deadline_of(run, left--));
            if (r < 0)
                return r;
        }
    }
}
