/* SPDX-License-Identifier: MIT */
/* Ways to be switched away from, each with a bound: a partner may be gone. */
#include "held.h"

#include "sys.h"

#include <linux/fcntl.h>
#include <linux/futex.h>
#include <linux/poll.h>
#include <linux/signal.h>
#include <linux/time.h>
#include <linux/time_types.h>
#include <sys/syscall.h>

enum {
    WAIT_MS = 20, /* for a partner */
    SLEEP_NS = 20000,
    SPINS = 500,     /* between looks at the clock */
    CPUS_MAX = 1024, /* CPU_SETSIZE */
    CPU_BITS = 64,
    NS_PER_S = 1000000000,
    NS_PER_MS = 1000000,
};

uint64_t altpick_held_now_ns(void)
{
    struct __kernel_timespec now = {0, 0};

    altpick_sys(SYS_clock_gettime, CLOCK_MONOTONIC, (long) &now, 0, 0, 0, 0);
    return (uint64_t) now.tv_sec * NS_PER_S + (uint64_t) now.tv_nsec;
}

/* How many turns the others had. */
static uint32_t turns_of_others(const struct altpick_held *held)
{
    uint32_t turns = 0;

    for (uint32_t i = 0; i < held->members; i++) {
        if (i != held->me)
            turns += __atomic_load_n(&held->board->turns[i], __ATOMIC_RELAXED);
    }
    return turns;
}

static uint32_t begin(struct altpick_held *held)
{
    uint32_t others = turns_of_others(held);

    __atomic_fetch_add(&held->board->turns[held->me], 1, __ATOMIC_RELAXED);
    return others;
}

static void end(struct altpick_held *held, uint32_t others)
{
    held->switches += turns_of_others(held) != others;
}

void altpick_held_yield(void *ctx)
{
    struct altpick_held *held = ctx;
    uint32_t others = begin(held);

    altpick_sys(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
    end(held, others);
}

void altpick_held_pipe(void *ctx)
{
    struct altpick_held *held = ctx;
    uint32_t others = begin(held);
    struct pollfd own = {.fd = held->own_fd, .events = POLLIN};
    char byte = 0;

    altpick_sys(SYS_write, held->next_fd, (long) &byte, 1, 0, 0, 0);
    if (altpick_sys(SYS_poll, (long) &own, 1, WAIT_MS, 0, 0, 0) == 1)
        altpick_sys(SYS_read, held->own_fd, (long) &byte, 1, 0, 0, 0);
    end(held, others);
}

void altpick_held_futex(void *ctx)
{
    const struct __kernel_timespec limit = {0, WAIT_MS * NS_PER_MS};
    struct altpick_held *held = ctx;
    uint32_t others = begin(held), next = (held->me + 1) % held->members, turn;
    uint32_t *word = &held->board->turn;

    __atomic_store_n(word, next, __ATOMIC_SEQ_CST);
    altpick_sys(SYS_futex, (long) word, FUTEX_WAKE, held->members, 0, 0, 0);
    turn = __atomic_load_n(word, __ATOMIC_SEQ_CST);
    if (turn != held->me)
        altpick_sys(SYS_futex, (long) word, FUTEX_WAIT, turn, (long) &limit, 0, 0);
    end(held, others);
}

void altpick_held_sleep(void *ctx)
{
    const struct __kernel_timespec nap = {0, SLEEP_NS};
    struct altpick_held *held = ctx;
    uint32_t others = begin(held);

    altpick_sys(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, (long) &nap, 0, 0, 0);
    end(held, others);
}

/* What counts is a move: the other member may be anywhere. */
void altpick_held_migrate(void *ctx)
{
    struct altpick_held *held = ctx;
    unsigned cpu = (unsigned) held->cpus[++held->at % 2];
    uint64_t mask[CPUS_MAX / CPU_BITS];

    begin(held);
    for (unsigned i = 0; i < CPUS_MAX / CPU_BITS; i++)
        mask[i] = i == cpu / CPU_BITS ? UINT64_C(1) << cpu % CPU_BITS : 0;
    held->switches += altpick_sys(SYS_sched_setaffinity, 0, sizeof mask, (long) mask, 0, 0, 0) == 0;
    altpick_sys(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
}

void altpick_held_preempt(void *ctx)
{
    struct altpick_held *held = ctx;
    uint32_t others = begin(held);

    while (turns_of_others(held) == others && altpick_held_now_ns() < held->deadline_ns &&
           !__atomic_load_n(&held->board->stop, __ATOMIC_RELAXED)) {
        for (unsigned i = 0; i < SPINS && turns_of_others(held) == others; i++)
            __asm__ volatile("pause");
    }
    end(held, others);
}

void altpick_held_fork(void *ctx)
{
    struct altpick_held_fork *forking = ctx;

    forking->pid = altpick_sys(SYS_clone, SIGCHLD, 0, 0, 0, 0, 0);
    if (forking->pid == 0) {
        forking->trial.scene = "forked child";
        forking->leak->findings = forking->of_child;
        forking->leak->looks = 0;
    }
}

void altpick_held_exec(void *ctx)
{
    static const char empty[] = "", *const none[] = {NULL}, *const words[] = {"start", NULL};

    altpick_sys(SYS_execveat, *(const int *) ctx, (long) empty, (long) words, (long) none,
                AT_EMPTY_PATH, 0);
    altpick_sys(SYS_exit_group, 1, 0, 0, 0, 0, 0);
}

void altpick_held_stop(void *ctx)
{
    (void) ctx;
    altpick_sys(SYS_kill, altpick_sys(SYS_getpid, 0, 0, 0, 0, 0, 0), SIGSTOP, 0, 0, 0, 0);
}
