/* SPDX-License-Identifier: MIT */
/*
 * What a member of a crew does while it holds a state: ways to make the kernel run somebody else
 * on this CPU.  Compiled without vector registers, calls the kernel only.
 */
#ifndef ALTPICK_LEAK_LINUX_HELD_H
#define ALTPICK_LEAK_LINUX_HELD_H

#include "leak.h"

#include <stdbool.h>
#include <stdint.h>

enum { ALTPICK_HELD_MEMBERS = 3 };

/* Shared by all members of a crew. */
struct altpick_held_board {
    uint32_t turns[ALTPICK_HELD_MEMBERS]; /* a member counts its own */
    uint32_t turn;                        /* a futex: whose turn it is */
    uint32_t stop;                        /* all are to come to an end */
};

/* One member's; the context of the actions below. */
struct altpick_held {
    struct altpick_held_board *board;
    uint32_t me, members;
    int own_fd, next_fd;  /* pipes: read my byte, write the next member's */
    uint64_t deadline_ns; /* CLOCK_MONOTONIC */
    int cpus[2];          /* to move between; both the same where there is only one */
    uint32_t at;          /* on cpus[at % 2] */
    uint64_t switches;    /* actions during which another member ran */
};

/* CLOCK_MONOTONIC, by a system call. */
uint64_t altpick_held_now_ns(void);

void altpick_held_yield(void *held);
void altpick_held_pipe(void *held);
void altpick_held_futex(void *held);
void altpick_held_sleep(void *held);   /* the CPU may idle */
void altpick_held_migrate(void *held); /* to the other CPU, where somebody else may have been */
void altpick_held_preempt(void *held); /* computes until its time slice is used up */

/* A fork while a state is held; the context of altpick_held_fork(). */
struct altpick_held_fork {
    struct altpick_leak *leak;
    struct altpick_leak_trial trial;
    struct altpick_leak_findings
        *of_child; /* where the child, which goes on, notes what it finds */
    long pid;      /* 0 in the child; a negative errno on failure */
};

void altpick_held_fork(void *forking);
void altpick_held_exec(void *fd); /* the program that *(int *) fd is; ends with status 1 if not */
void altpick_held_stop(void *);   /* SIGSTOP to this process */

#endif
