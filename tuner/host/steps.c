/* SPDX-License-Identifier: MIT */
/* Turns the trap flag into a number of instructions. */
#include "steps.h"

#include "child.h"
#include "live_run.h"
#include "look_run.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { INT3 = 0xcc, FLAG_TF = 0x100, LIMIT_SECONDS = 1 };

/* What the handler works on: r12 points to it, which code that is timed leaves alone. */
struct steps {
    uintptr_t first, end; /* addresses of the code */
    uint32_t count;
};

/*
 * A breakpoint before the code sets the trap flag, each instruction then ends in a trap at the next
 * one, and the return behind the code clears it (SDM vol. 3, 17.3.1.4).
 */
static void step(int number, siginfo_t *info, void *context)
{
    greg_t *regs = ((ucontext_t *) context)->uc_mcontext.gregs;
    struct steps *steps = (struct steps *) (uintptr_t) regs[REG_R12];
    uintptr_t at = (uintptr_t) regs[REG_RIP];

    (void) number;
    (void) info;
    if (at >= steps->first && at < steps->end) {
        regs[REG_EFL] |= FLAG_TF;
        steps->count++;
    } else if (at == steps->end) {
        regs[REG_EFL] &= ~(greg_t) FLAG_TF;
    }
}

static int count_one(const struct altpick_looking *looking, uint32_t i)
{
    const struct altpick_candidate *candidate = &looking->session->candidates[i];
    uint8_t code[1 + ALTPICK_CODE_MAX] = {INT3};
    struct altpick_live_call call = {.trips = 1,
                                     .data = altpick_live_data(looking->live, candidate->data),
                                     .flag = altpick_live_flag(looking->live, candidate->data)};
    struct steps steps = {0};
    int r;

    memcpy(code + 1, candidate->code, candidate->code_bytes);
    r = altpick_look_place(looking, code, 1 + candidate->code_bytes, &call.code);
    if (r < 0)
        return r;
    altpick_live_work(looking->live, altpick_setup_of(ALTPICK_WARM), &call);
    steps.first = (uintptr_t) call.code + 1;
    steps.end = steps.first + candidate->code_bytes;
    call.work[0] = (uint8_t *) &steps;
    altpick_live_run(&call);
    looking->session->instructions[i] = steps.count;
    return r;
}

static bool is_due(const struct altpick_session *session, uint32_t i)
{
    return session->state[i] == ALTPICK_CELL_ACTIVE && session->checked[i] &&
           session->instructions[i] == 0;
}

static _Noreturn void count_all(const struct altpick_looking *looking, pid_t parent)
{
    const struct altpick_session *session = looking->session;
    const struct sigaction action = {.sa_sigaction = step, .sa_flags = SA_SIGINFO};

    altpick_child_be_mortal(parent);
    alarm(LIMIT_SECONDS);
    sigaction(SIGTRAP, &action, NULL);
    for (uint32_t i = 0; i < session->n_candidates; i++) {
        if (is_due(session, i) && count_one(looking, i) < 0)
            break;
    }
    _exit(EXIT_SUCCESS);
}

void altpick_steps_count(struct altpick_looking *looking)
{
    const struct altpick_session *session = looking->session;
    pid_t parent = getpid(), child;
    uint32_t first = 0;

    while (first < session->n_candidates && !is_due(session, first))
        first++;
    if (first == session->n_candidates)
        return;
    child = fork();
    if (child == 0)
        count_all(looking, parent);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
}
