/* SPDX-License-Identifier: MIT */
/* Two or three processes or threads on one CPU, each with states of its own. */
#include "scene.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* One member at work. */
struct member {
    const struct altpick_scene_run *run;
    struct altpick_held held;
};

static void *work(void *ctx)
{
    struct member *member = ctx;
    const struct altpick_scene_run *run = member->run;
    struct altpick_held *held = &member->held;
    const uint8_t owner = run->scene->owners[held->me];
    struct altpick_leak *leak = altpick_scene_tester(run, held->me);

    for (uint32_t round = held->me; altpick_held_now_ns() < held->deadline_ns; round++) {
        const struct altpick_leak_state state = {
            owner, (uint8_t) (owner ? round % ALTPICK_LEAK_GENERATIONS : 0)};
        const struct altpick_leak_trial trial = {
            .scene = run->scene->name,
            .holds = state,
            .wants = state,
            .other = {run->scene->owners[owner == ALTPICK_SCENE_FIRST], 0},
            .action = run->scene->action,
            .ctx = held,
        };

        altpick_leak_try(leak, &trial);
    }
    __atomic_store_n(&held->board->stop, 1, __ATOMIC_RELAXED);
    altpick_scene_count(run, held->me, leak, held->switches);
    return NULL;
}

/* A pipe for each member's turns, which no member closes. */
static bool make_pipes(const struct altpick_scene_run *run, struct member *members)
{
    const unsigned n = run->scene->members;

    for (unsigned i = 0; i < n; i++) {
        int ends[2];

        if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0) {
            altpick_scene_cannot(run, "pipe: %s", strerror(errno));
            return false;
        }
        members[i].held.own_fd = ends[0];
        members[(i + n - 1) % n].held.next_fd = ends[1];
    }
    return true;
}

static void run_threads(const struct altpick_scene_run *run, struct member *members)
{
    pthread_t threads[ALTPICK_HELD_MEMBERS];
    unsigned n = 0;

    for (; n < run->scene->members; n++) {
        int err = pthread_create(&threads[n], NULL, work, &members[n]);

        if (err) {
            altpick_scene_cannot(run, "pthread_create: %s", strerror(err));
            break;
        }
    }
    while (n > 0)
        pthread_join(threads[--n], NULL);
}

static void run_processes(const struct altpick_scene_run *run, struct member *members)
{
    pid_t children[ALTPICK_HELD_MEMBERS];
    unsigned n = 0;

    for (; n < run->scene->members; n++) {
        children[n] = fork();
        if (children[n] == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            work(&members[n]);
            _exit(0);
        }
        if (children[n] < 0) {
            altpick_scene_cannot(run, "fork: %s", strerror(errno));
            break;
        }
    }
    while (n > 0)
        altpick_scene_wait(run, children[--n]);
}

void altpick_scene_crew(const struct altpick_scene_run *run)
{
    struct member members[ALTPICK_HELD_MEMBERS];

    if (run->scene->moves && run->cpus[1] < 0) {
        altpick_scene_cannot(run, "there is only one CPU to run on");
        return;
    }
    for (unsigned i = 0; i < run->scene->members; i++) {
        members[i] = (struct member){
            .run = run,
            .held = {.board = &run->result->board,
                     .me = i,
                     .members = run->scene->members,
                     .cpus = {run->cpus[0], run->cpus[1]},
                     .at = i,
                     .deadline_ns = run->deadline_ns},
        };
    }
    if (!make_pipes(run, members))
        return;
    if (run->scene->threads)
        run_threads(run, members);
    else
        run_processes(run, members);
}
