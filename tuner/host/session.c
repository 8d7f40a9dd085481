/* SPDX-License-Identifier: MIT */
/* One question measured: a child process per batch, so that no candidate can harm the probe. */
#include "session.h"

#include "altpick/check.h"
#include "altpick/clock.h"
#include "altpick/live.h"
#include "altpick/look.h"
#include "altpick/stop.h"
#include "arena.h"
#include "child.h"
#include "diag.h"
#include "findings.h"
#include "machine.h"
#include "random.h"
#include "steps.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    NO_CANDIDATE = UINT32_MAX,
    POLL_MS = 20,
    LINUX_USER32_CS = 0x23, /* the same on all x86-64 kernels */
    RING = 3,
    CHILDREN_MAX = 64, /* lost in one question before it is given up */
};

/* Give the bytes of candidates of equal length to each other's names.  Decisions must follow the
 * bytes. */
static void shuffle_bytes(struct altpick_candidate *candidates, size_t n, uint32_t seed)
{
    uint32_t random = altpick_random_seed(seed);

    for (size_t i = n; i-- > 1;) {
        size_t same[ALTPICK_CANDIDATES_MAX], n_same = 0;
        struct altpick_candidate keep = candidates[i];

        if (candidates[i].code_bytes == 0)
            continue;
        for (size_t k = 0; k <= i; k++) {
            if (candidates[k].code_bytes == candidates[i].code_bytes)
                same[n_same++] = k;
        }
        size_t j = same[altpick_random(&random) % n_same];

        candidates[i] = candidates[j];
        candidates[j] = keep;
        memcpy(candidates[j].name, candidates[i].name, sizeof keep.name);
        memcpy(candidates[i].name, keep.name, sizeof keep.name);
    }
}

static int start(struct altpick_hosted_session *hosted, struct altpick_diag *diag)
{
    struct altpick_candidate *candidates = calloc(ALTPICK_CANDIDATES_MAX, sizeof *candidates);
    size_t n;

    if (!candidates)
        return altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", hosted->question->name);
    if (!hosted->conditions)
        hosted->conditions = hosted->question->conditions;
    n = hosted->question->candidates(hosted->question, candidates);
    if (hosted->shuffle)
        shuffle_bytes(candidates, n, hosted->shuffle);
    if (!hosted->live.neighbour_begin)
        hosted->plan.effort[ALTPICK_CONTENDED].block_bytes = 0;
    if (hosted->conditions >> ALTPICK_STREAMED & 1 &&
        hosted->plan.effort[ALTPICK_STREAMED].block_bytes && !altpick_arena_stream(&hosted->live))
        hosted->plan.effort[ALTPICK_STREAMED].block_bytes = 0;
    altpick_plan_narrow(&hosted->plan, hosted->question, hosted->conditions);

    hosted->session_bytes = altpick_session_bytes(&hosted->plan, n);
    hosted->session = mmap(NULL, hosted->session_bytes, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (hosted->session == MAP_FAILED) {
        hosted->session = NULL;
        free(candidates);
        return altpick_fail(diag, ALTPICK_ENOMEM, "cannot map memory for samples: %s",
                            strerror(errno));
    }
    altpick_session_init(hosted->session, &hosted->plan, candidates, n, hosted->seed);
    altpick_session_mark_lacking(hosted->session, hosted->cpu, RING);
    altpick_findings_decode(hosted->session, hosted->question->bits);
    free(candidates);
    return ALTPICK_OK;
}

/*
 * Run what was not run yet, and see what it changes and whether it does what it promises.  32-bit
 * code is taken at its word.  Where a question looks at what its candidates do, their instructions
 * are counted, too: it says nothing of NOPs.
 */
static int look_at_new(const struct altpick_hosted_session *hosted,
                       const struct altpick_timer *timer)
{
    struct altpick_looking looking = {
        .session = hosted->session, .live = timer->ctx, .timer = timer};
    int r;

    if (hosted->question->bits == 32)
        return ALTPICK_OK;
    r = altpick_check_session(hosted->session, timer->ctx, timer, hosted->question->may_change);
    if (r == 0)
        r = altpick_look_session(hosted->question, &looking);
    if (r == 0 && hosted->question->look && hosted->session->batch == 0)
        altpick_steps_count(&looking);
    return r;
}

/*
 * In the child: look at what is new, then measure until the batch is done.  Leaves with the negated
 * error as its status.
 */
static _Noreturn void measure_batch(struct altpick_hosted_session *hosted,
                                    const struct altpick_timer *timer, pid_t parent)
{
    bool batch_done = false, done = false;
    int r;

    altpick_child_be_mortal(parent);
    r = look_at_new(hosted, timer);
    while (r == 0 && !batch_done && !done) {
        r = altpick_session_step(hosted->session, timer, hosted->deadline_ticks, &batch_done,
                                 &done);
        altpick_stop_unreached(hosted->session, NULL);
    }
    _exit(r < 0 ? -r : 0);
}

/* What shows that the child still moves: the candidate it runs and the rounds it kept. */
static uint64_t pulse(const struct altpick_session *session)
{
    return (uint64_t) session->running << 32 | (session->samples_quiet + session->samples_busy);
}

/* CPU time of @child in milliseconds; 0 where it cannot be read. */
static uint64_t cpu_ms_of(pid_t child)
{
    struct timespec used;
    clockid_t clock;

    if (clock_getcpuclockid(child, &clock) != 0 || clock_gettime(clock, &used) != 0)
        return 0;
    return (uint64_t) used.tv_sec * 1000 + (uint64_t) used.tv_nsec / 1000000;
}

/*
 * Wait for @child, ending it when it ran for stuck_ms and nothing moved.  Time in which others had
 * the CPU does not count.  Waiting must not disturb what is measured: the parent sleeps and looks
 * now and then.
 */
static int wait_for(struct altpick_hosted_session *hosted, pid_t child, bool *ret_stuck)
{
    struct pollfd exit_of = {.fd = (int) syscall(SYS_pidfd_open, child, 0), .events = POLLIN};
    uint64_t last = pulse(hosted->session), moved_ms = 0;
    int status = 0;

    *ret_stuck = false;
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (exit_of.fd >= 0)
            poll(&exit_of, 1, POLL_MS);
        else
            usleep(POLL_MS * 1000);
        if (pulse(hosted->session) != last)
            moved_ms = cpu_ms_of(child);
        last = pulse(hosted->session);
        if (hosted->progress)
            hosted->progress(hosted->progress_ctx, altpick_session_percent(hosted->session));
        if (cpu_ms_of(child) > moved_ms + hosted->stuck_ms && !*ret_stuck) {
            *ret_stuck = true;
            kill(child, SIGKILL);
        }
    }
    if (exit_of.fd >= 0)
        close(exit_of.fd);
    return status;
}

/* The child is gone: blame what it was running.  Without a candidate to blame, give up. */
static int blame(struct altpick_hosted_session *hosted, int status, bool stuck,
                 struct altpick_diag *diag)
{
    struct altpick_session *session = hosted->session;
    uint32_t running = session->running;

    if (++hosted->children_lost > CHILDREN_MAX || running >= session->n_candidates)
        return altpick_fail(diag, ALTPICK_EFAULT, "%s: the measuring process ended by signal %d",
                            hosted->question->name, WTERMSIG(status));
    session->state[running] = stuck ? ALTPICK_CELL_TIMED_OUT : ALTPICK_CELL_FAULTED;
    session->fault[running] = (uint8_t) WTERMSIG(status);
    session->running = NO_CANDIDATE;
    return ALTPICK_OK;
}

static int run_batch(struct altpick_hosted_session *hosted, const struct altpick_timer *timer,
                     struct altpick_diag *diag)
{
    bool stuck;
    int status;
    pid_t parent = getpid(), child = fork();

    if (child < 0)
        return altpick_fail(diag, ALTPICK_EIO, "cannot start the measuring process: %s",
                            strerror(errno));
    if (child == 0)
        measure_batch(hosted, timer, parent);

    status = wait_for(hosted, child, &stuck);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return ALTPICK_OK;
    if (WIFEXITED(status))
        return altpick_fail(diag, -WEXITSTATUS(status), "%s: %s", hosted->question->name,
                            altpick_err_text(-WEXITSTATUS(status)));
    return blame(hosted, status, stuck, diag);
}

/* CPU time of all children so far: unlike wall time, it does not run while others have the core. */
static uint64_t children_cpu_ms(void)
{
    struct rusage usage;

    getrusage(RUSAGE_CHILDREN, &usage);
    return (uint64_t) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000 +
           (uint64_t) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000;
}

/*
 * Between batches: candidates whose code depends on costs, candidates that need no more samples,
 * and, after the planned batches, whether another one is worth it.
 */
static int between_batches(struct altpick_hosted_session *hosted, uint64_t cpu_ms, bool *ret_go_on,
                           struct altpick_diag *diag)
{
    struct altpick_session *session = hosted->session;
    struct altpick_decisions *scratch = NULL;
    struct altpick_result so_far = {0};
    int r = altpick_hosted_session_result(hosted, &so_far, diag);

    if (r == 0 && !(scratch = malloc(sizeof *scratch)))
        r = altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", hosted->question->name);
    if (r < 0)
        goto out;
    altpick_stop_wake(session, hosted->question, &so_far);
    altpick_findings_decode(session, hosted->question->bits);
    if (hosted->keep_all)
        *ret_go_on = session->batch < session->plan.batches;
    else
        *ret_go_on = altpick_stop_between(session, hosted->question, &so_far,
                                          cpu_ms < hosted->extra_cpu_ms, scratch);
out:
    free(scratch);
    free(so_far.candidates);
    return r;
}

static int make_timer(struct altpick_hosted_session *hosted, struct altpick_diag *diag)
{
    const struct altpick_session *session = hosted->session;
    /* A few slots more than candidates: every layout moves to other pages. */
    size_t n_slots = session->n_candidates * 5 / 4 + 2;
    int r =
        altpick_arena_init(&hosted->live, altpick_live_arena_bytes(&session->plan, n_slots), diag);

    if (r < 0)
        return r;
    altpick_xstate_read(&altpick_cpuid_native, hosted->cpu, altpick_machine_xcr0_usable(),
                        &hosted->xstate);
    hosted->live.xstate = &hosted->xstate;
    r = altpick_arena_data(&hosted->live, diag);
    if (r < 0)
        return r;
    r = altpick_live_init(&hosted->live, hosted->cpu, &session->plan, &hosted->timer);
    return r < 0 ? altpick_fail(diag, r, "%s: %s", hosted->question->name, altpick_err_text(r))
                 : ALTPICK_OK;
}

/* The same for 32-bit candidates, tried out; a system that cannot run them is no error. */
static int make_timer_32(struct altpick_hosted_session *hosted, struct altpick_diag *diag)
{
    char why[ALTPICK_REASON_MAX / 2] = "";
    struct altpick_diag low = {{0}};
    int r;

    hosted->live.selector_32 = hosted->selector_32 ? hosted->selector_32 : LINUX_USER32_CS;
    r = make_timer(hosted, &low);
    if (r < 0 && r != ALTPICK_EUNSUPPORTED)
        return altpick_fail(diag, r, "%s", low.text);
    if (r < 0)
        snprintf(why, sizeof why, "%.*s", (int) sizeof why - 1, low.text);
    else if (altpick_child_try_32_bit(&hosted->timer, why, sizeof why))
        return ALTPICK_OK;
    snprintf(hosted->unsupported, sizeof hosted->unsupported,
             "this kernel runs no 32-bit code (%s)", why);
    return ALTPICK_OK;
}

/* Where SIGCHLD is ignored, children leave neither a status nor their CPU time. */
static void see_children(struct sigaction *ret_before)
{
    const struct sigaction by_default = {.sa_handler = SIG_DFL};

    sigaction(SIGCHLD, &by_default, ret_before);
}

int altpick_hosted_session_begin(struct altpick_hosted_session *hosted, struct altpick_diag *diag)
{
    struct sigaction before;
    int r = start(hosted, diag);

    if (r < 0)
        return r;
    see_children(&before);
    r = hosted->question->bits == 32 ? make_timer_32(hosted, diag) : make_timer(hosted, diag);
    sigaction(SIGCHLD, &before, NULL);
    hosted->goes_on = r == 0 && !hosted->unsupported[0];
    return r;
}

int altpick_hosted_session_batch(struct altpick_hosted_session *hosted, struct altpick_diag *diag)
{
    struct altpick_session *session = hosted->session;
    uint32_t batch = session->batch;
    struct sigaction before;
    uint64_t cpu_before_ms;
    int r;

    if (altpick_clock_start() > hosted->deadline_ticks) {
        session->out_of_time = 1;
        hosted->goes_on = false;
        return ALTPICK_OK;
    }
    see_children(&before);
    cpu_before_ms = children_cpu_ms();
    r = run_batch(hosted, &hosted->timer, diag);
    hosted->cpu_ms += children_cpu_ms() - cpu_before_ms;
    sigaction(SIGCHLD, &before, NULL);

    hosted->goes_on = r == 0 && !session->out_of_time &&
                      session->batch < session->plan.batches + session->plan.extra_batches;
    if (hosted->goes_on && session->batch > batch)
        r = between_batches(hosted, hosted->cpu_ms, &hosted->goes_on, diag);
    return r;
}

int altpick_hosted_session_run(struct altpick_hosted_session *hosted, struct altpick_diag *diag)
{
    int r = altpick_hosted_session_begin(hosted, diag);

    while (r == 0 && hosted->goes_on)
        r = altpick_hosted_session_batch(hosted, diag);
    return r;
}

void altpick_hosted_session_fini(struct altpick_hosted_session *hosted)
{
    altpick_arena_fini(&hosted->live);
    if (hosted->session)
        munmap(hosted->session, hosted->session_bytes);
    hosted->session = NULL;
}
