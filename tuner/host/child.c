/* SPDX-License-Identifier: MIT */
/* Child processes in which code may do what it wants. */
#include "child.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TRIAL_SECONDS = 2 };

void altpick_child_be_mortal(pid_t parent)
{
    static const int faults[] = {SIGILL, SIGSEGV, SIGBUS, SIGFPE, SIGTRAP, SIGABRT, SIGALRM};
    sigset_t none;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    prctl(PR_SET_DUMPABLE, 0);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        signal(faults[i], SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* AAA is an instruction in 32-bit code only: in 64-bit code it is undefined (SDM vol. 2, AAA). */
static _Noreturn void run_aaa(const struct altpick_timer *timer, pid_t parent)
{
    static const struct altpick_candidate aaa = {.name = "aaa", .code = {0x37}, .code_bytes = 1};
    static const struct altpick_block block = {
        .kind = ALTPICK_BLOCK_FILL, .condition = ALTPICK_HOT, .candidate = &aaa, .copies = 4};
    uint64_t ticks;
    int r;

    altpick_child_be_mortal(parent);
    alarm(TRIAL_SECONDS);
    r = timer->place(timer->ctx, &block);
    if (r == 0)
        r = timer->sync(timer->ctx);
    if (r == 0)
        r = timer->time(timer->ctx, &block, 2, &ticks);
    _exit(r < 0 ? -r : 0);
}

bool altpick_child_try_32_bit(const struct altpick_timer *timer, char *ret_why, size_t capacity)
{
    int status = 0;
    pid_t parent = getpid(), child = fork();

    if (child < 0) {
        snprintf(ret_why, capacity, "no process to try it in: %s", strerror(errno));
        return false;
    }
    if (child == 0)
        run_aaa(timer, parent);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    if (WIFSIGNALED(status))
        snprintf(ret_why, capacity, "a trial was ended by signal %d, %s", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else
        snprintf(ret_why, capacity, "a trial failed with status %d", WEXITSTATUS(status));
    return false;
}
