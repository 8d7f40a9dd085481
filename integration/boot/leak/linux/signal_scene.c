/* SPDX-License-Identifier: MIT */
/* Signals raised by a program or by a timer, on its own stack or on another. */
#include "scene.h"
#include "signals.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

enum { STACK_BYTES = 256 * 1024, TIMER_US = 700 };

static bool take_signals(const struct altpick_scene_run *run)
{
    static const struct {
        int number;
        void (*handle)(int number, void *info, void *context);
    } signals[] = {
        {SIGUSR1, altpick_signal_handle_outer},
        {SIGALRM, altpick_signal_handle_outer},
        {SIGUSR2, altpick_signal_handle_inner}
    };
    const int on_stack = run->scene->on_stack ? SA_ONSTACK : 0;

    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART | on_stack};

        action.sa_sigaction = (void (*)(int, siginfo_t *, void *)) signals[i].handle;
        /* An outer handler is not interrupted by another outer one. */
        sigemptyset(&action.sa_mask);
        sigaddset(&action.sa_mask, SIGUSR1);
        sigaddset(&action.sa_mask, SIGALRM);
        if (sigaction(signals[i].number, &action, NULL) < 0) {
            altpick_scene_cannot(run, "sigaction: %s", strerror(errno));
            return false;
        }
    }
    return true;
}

static bool take_stack(const struct altpick_scene_run *run)
{
    stack_t stack = {.ss_sp = malloc(STACK_BYTES), .ss_size = STACK_BYTES};

    if (!run->scene->on_stack || (stack.ss_sp && sigaltstack(&stack, NULL) == 0))
        return true;
    altpick_scene_cannot(run, "sigaltstack: %s", strerror(errno));
    return false;
}

static void set_timer(suseconds_t us)
{
    const struct itimerval timer = {
        .it_interval = {0, us},
          .it_value = {0, us}
    };

    setitimer(ITIMER_REAL, &timer, NULL);
}

/* States of one round: the program's, the handler's and the nested handler's all differ. */
static void set_levels(struct altpick_signal_level *levels, uint32_t round,
                       struct altpick_leak_state *ret_own)
{
    const uint8_t generation = (uint8_t) (round % ALTPICK_LEAK_GENERATIONS);

    *ret_own = (struct altpick_leak_state){ALTPICK_SCENE_FIRST, generation};
    levels[0].interrupted = *ret_own;
    levels[0].own = (struct altpick_leak_state){ALTPICK_SCENE_HANDLER, generation};
    levels[1].interrupted = levels[0].own;
    levels[1].own = (struct altpick_leak_state){ALTPICK_SCENE_NESTED, generation};
    levels[0].raises = round % 2 ? SIGUSR2 : 0;
}

static void play_round(const struct altpick_scene_run *run, struct altpick_leak *leak,
                       struct altpick_signal_level *levels, uint32_t round)
{
    int number = run->scene->timer ? SIGALRM : SIGUSR1;
    struct altpick_leak_trial trial = {
        .scene = run->scene->name,
        .other = {ALTPICK_SCENE_HANDLER, 0},
        .action = run->scene->timer ? altpick_signal_await : altpick_signal_raise,
        .ctx = &number,
    };

    set_levels(levels, round, &trial.holds);
    trial.wants = trial.holds;
    altpick_leak_try(leak, &trial);
}

void altpick_scene_signals(const struct altpick_scene_run *run)
{
    struct altpick_leak *leak = altpick_scene_tester(run, 0);
    struct altpick_signal_level levels[ALTPICK_SIGNAL_LEVELS] = {
        {.leak = altpick_scene_tester(run, 1)},
        {.leak = altpick_scene_tester(run, 2)},
    };
    sigset_t alarm; /* comes only while a state is held */

    altpick_signal_levels = levels;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    sigprocmask(SIG_BLOCK, &alarm, NULL);
    if (!take_signals(run) || !take_stack(run))
        return;
    if (run->scene->timer)
        set_timer(TIMER_US);
    for (uint32_t round = 0; altpick_held_now_ns() < run->deadline_ns; round++)
        play_round(run, leak, levels, round);
    set_timer(0);
    altpick_scene_count(run, 0, leak, levels[0].handled);
    altpick_scene_count(run, 1, levels[0].leak, 0);
    altpick_scene_count(run, 2, levels[1].leak, levels[1].handled);
    if (levels[0].no_frame || levels[1].no_frame)
        altpick_scene_cannot(run, "frames of signals have no extended state");
}
