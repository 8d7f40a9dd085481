/* SPDX-License-Identifier: MIT */
/* All scenes, and playing one: in a process of its own, which may not outlive its time by much. */
#include "scene.h"

#include "switcher.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { GRACE_NS = 2000000000, POLL_NS = 1000000, AREA_ALIGN = 64 };

const char *const altpick_scene_owner_names[ALTPICK_LEAK_OWNERS + 1] = {
    "a task without state", "first", "second", "third", "handler", "nested handler", "tracer", "?",
};

/* clang-format off */
const struct altpick_scene altpick_scenes[ALTPICK_SCENES] = {
    {.name = "switch", .what = "this program's own switch between two owners (a control)",
     .play = altpick_scene_switch},
    {.name = "yield", .what = "two processes, sched_yield", .play = altpick_scene_crew,
     .action = altpick_held_yield, .owners = {1, 2}, .members = 2},
    {.name = "pipe", .what = "two processes, a byte in a pipe", .play = altpick_scene_crew,
     .action = altpick_held_pipe, .owners = {1, 2}, .members = 2},
    {.name = "futex", .what = "two processes, a futex", .play = altpick_scene_crew,
     .action = altpick_held_futex, .owners = {1, 2}, .members = 2},
    {.name = "sleep", .what = "two processes that sleep, so that the CPU idles",
     .play = altpick_scene_crew, .action = altpick_held_sleep, .owners = {1, 2}, .members = 2},
    {.name = "preempt", .what = "two processes that compute until they are preempted",
     .play = altpick_scene_crew, .action = altpick_held_preempt, .owners = {1, 2}, .members = 2},
    {.name = "unused", .what = "a process with state, and one whose state is initial",
     .play = altpick_scene_crew, .action = altpick_held_pipe,
     .owners = {1, ALTPICK_SCENE_NOBODY}, .members = 2},
    {.name = "threads", .what = "three threads of one process", .play = altpick_scene_crew,
     .action = altpick_held_yield, .owners = {1, 2, 3}, .members = 3, .threads = true},
    {.name = "migrate", .what = "two processes that move between two CPUs",
     .play = altpick_scene_crew, .action = altpick_held_migrate, .owners = {1, 2}, .members = 2,
     .moves = true},
    {.name = "fork", .what = "a child has its parent's state, and only that",
     .play = altpick_scene_fork},
    {.name = "exec", .what = "a new program starts with the initial state",
     .play = altpick_scene_exec},
    {.name = "signal", .what = "signals to oneself: handler, nested handler, frame, return",
     .play = altpick_scene_signals},
    {.name = "signal-stack", .what = "the same on a stack of their own",
     .play = altpick_scene_signals, .on_stack = true},
    {.name = "signal-timer", .what = "the same at any instruction, by a timer",
     .play = altpick_scene_signals, .timer = true},
    {.name = "ptrace", .what = "a debugger sees and sets the state of its child",
     .play = altpick_scene_trace},
};
/* clang-format on */

bool altpick_scene_has_place(const struct altpick_scene *scene, enum altpick_leak_where where)
{
    if (scene->play == altpick_scene_exec)
        return where == ALTPICK_LEAK_ENTRY;
    return where == ALTPICK_LEAK_SWITCH ||
           (where == ALTPICK_LEAK_HANDLER && scene->play == altpick_scene_signals);
}

void altpick_scene_cannot(const struct altpick_scene_run *run, const char *format, ...)
{
    char *reason = run->result->cannot;
    va_list args;

    if (*reason)
        return;
    va_start(args, format);
    vsnprintf(reason, sizeof run->result->cannot, format, args);
    va_end(args);
}

struct altpick_leak *altpick_scene_tester(const struct altpick_scene_run *run, unsigned share)
{
    struct altpick_leak *leak = malloc(sizeof *leak);
    uint8_t *memory = aligned_alloc(AREA_ALIGN, altpick_leak_memory_bytes(run->leak->xstate));

    if (!leak || !memory) {
        altpick_scene_cannot(run, "no memory");
        _exit(1);
    }
    altpick_leak_init_like(leak, run->leak, &run->result->share[share].findings, memory);
    return leak;
}

void altpick_scene_count(const struct altpick_scene_run *run, unsigned share,
                         const struct altpick_leak *leak, uint64_t times)
{
    struct altpick_scene_share *to = &run->result->share[share];

    to->times += times;
    to->looks += leak->looks;
    to->used |= leak->used;
    to->n_used += leak->n_used;
}

uint64_t altpick_scene_times(const struct altpick_scene_result *result)
{
    uint64_t times = 0;

    for (unsigned i = 0; i < ALTPICK_HELD_MEMBERS; i++)
        times += result->share[i].times;
    return times;
}

/* Whether @child ended before @limit_ns; with its status. */
static bool ended_by(pid_t child, uint64_t limit_ns, int *ret_status)
{
    const struct timespec nap = {0, POLL_NS};
    pid_t r;

    while ((r = waitpid(child, ret_status, WNOHANG)) == 0 && altpick_held_now_ns() < limit_ns)
        nanosleep(&nap, NULL);
    return r == child;
}

void altpick_scene_wait(const struct altpick_scene_run *run, int child)
{
    int status = 0;

    if (!ended_by(child, run->deadline_ns + GRACE_NS / 2, &status)) {
        altpick_scene_cannot(run, "a process did not end in time");
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
    } else if (WIFSIGNALED(status)) {
        altpick_scene_cannot(run, "a process was ended by signal %d (%s)", WTERMSIG(status),
                             strsignal(WTERMSIG(status)));
    } else if (WEXITSTATUS(status) != 0) {
        altpick_scene_cannot(run, "a process failed with status %d", WEXITSTATUS(status));
    }
}

/* The process of a scene leads a group, so that none of its children stays behind. */
static void play_in_child(const struct altpick_scene_run *run)
{
    int status = 0;
    pid_t child = fork();

    if (child < 0) {
        altpick_scene_cannot(run, "fork: %s", strerror(errno));
        return;
    }
    if (child == 0) {
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        run->scene->play(run);
        _exit(0);
    }
    setpgid(child, child);
    if (!ended_by(child, run->deadline_ns + GRACE_NS, &status)) {
        altpick_scene_cannot(run, "did not end in time");
        kill(-child, SIGKILL);
        waitpid(child, &status, 0);
    } else if (status != 0) {
        altpick_scene_cannot(run, "ended with status 0x%x", (unsigned) status);
    }
    kill(-child, SIGKILL);
}

void altpick_scene_play(const struct altpick_scene *scene, const struct altpick_leak *leak,
                        const int cpus[2], uint64_t ns, struct altpick_scene_result *ret_result)
{
    struct altpick_scene_result *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const struct altpick_scene_run run = {
        .scene = scene,
        .leak = leak,
        .result = shared == MAP_FAILED ? ret_result : shared,
        .cpus = {cpus[0], cpus[1]},
        .deadline_ns = altpick_held_now_ns() + ns,
    };

    memset(ret_result, 0, sizeof *ret_result);
    if (shared == MAP_FAILED) {
        altpick_scene_cannot(&run, "mmap: %s", strerror(errno));
        return;
    }
    play_in_child(&run);
    memcpy(ret_result, shared, sizeof *shared);
    munmap(shared, sizeof *shared);
}

void altpick_scene_switch(const struct altpick_scene_run *run)
{
    const size_t bytes = altpick_leak_area_bytes(run->leak->xstate);
    struct altpick_leak_switcher switcher = {
        .first = altpick_scene_tester(run, 0),
        .second = altpick_scene_tester(run, 1),
        .planter = altpick_scene_tester(run, 0),
        .first_area = aligned_alloc(AREA_ALIGN, bytes),
        .second_area = aligned_alloc(AREA_ALIGN, bytes),
        .scene = run->scene->name,
    };
    uint32_t round = 0;

    if (!switcher.first_area || !switcher.second_area) {
        altpick_scene_cannot(run, "no memory");
        return;
    }
    switcher.first->plant = NULL;
    switcher.second->plant = NULL;
    while (altpick_held_now_ns() < run->deadline_ns)
        altpick_leak_switch_round(&switcher, round++);
    altpick_scene_count(run, 0, switcher.first, round);
    altpick_scene_count(run, 1, switcher.second, round);
}
