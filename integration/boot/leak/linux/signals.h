/* SPDX-License-Identifier: MIT */
/* Handlers of signals that look at the state they start with, dirty it, and return. */
#ifndef ALTPICK_LEAK_LINUX_SIGNALS_H
#define ALTPICK_LEAK_LINUX_SIGNALS_H

#include "leak.h"

/* What a handler of one depth works with. */
struct altpick_signal_level {
    struct altpick_leak *leak;
    struct altpick_leak_state interrupted; /* what its frame must hold */
    struct altpick_leak_state own;         /* what it dirties everything with */
    int raises;                            /* a signal for the handler below; 0: none */
    uint32_t handled;
    uint32_t no_frame; /* frames without the extended state, whose content cannot be seen */
};

enum { ALTPICK_SIGNAL_LEVELS = 2 };

/* Set before signals come: levels[0] is of the signal first raised. */
extern struct altpick_signal_level *altpick_signal_levels;

/* For sigaction(2) with SA_SIGINFO: the handlers of both depths. */
void altpick_signal_handle_outer(int number, void *info, void *context);
void altpick_signal_handle_inner(int number, void *info, void *context);

/*
 * Actions of trials: raise the signal *(int *) ctx; or let that signal, which is blocked, come
 * while the program computes.
 */
void altpick_signal_raise(void *ctx);
void altpick_signal_await(void *ctx);

#endif
