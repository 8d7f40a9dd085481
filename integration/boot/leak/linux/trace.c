/* SPDX-License-Identifier: MIT */
/* A debugger and its child: what the one reads and writes is the state of the other. */
#include "scene.h"

#include "check_run.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum share { CHILD, TRACER };
enum { REGSET_BYTES = 65536, HEADER_AT = 512, HEADER_END = 576, MASK_AT = 28, MASK_END = 32 };

static struct altpick_leak_state state_of(uint8_t owner, uint32_t round)
{
    return (struct altpick_leak_state){owner, (uint8_t) (round % ALTPICK_LEAK_GENERATIONS)};
}

/* In every second round the debugger puts a state of its own there. */
static bool sets(uint32_t round)
{
    return round % 2 != 0;
}

static void run_child(const struct altpick_scene_run *run)
{
    struct altpick_leak *leak = altpick_scene_tester(run, CHILD);
    uint32_t round = 0;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    while (!__atomic_load_n(&run->result->board.stop, __ATOMIC_SEQ_CST)) {
        const struct altpick_leak_trial trial = {
            .scene = sets(round) ? "ptrace set" : "ptrace",
            .holds = state_of(ALTPICK_SCENE_FIRST, round),
            .wants = state_of(sets(round) ? ALTPICK_SCENE_TRACER : ALTPICK_SCENE_FIRST, round),
            .other = {ALTPICK_SCENE_SECOND, 0},
            .action = altpick_held_stop,
        };

        __atomic_store_n(&run->result->round, round, __ATOMIC_SEQ_CST);
        altpick_leak_try(leak, &trial);
        round++;
    }
    altpick_scene_count(run, CHILD, leak, 0);
    _exit(0);
}

/* Put @state where the registers are, but for what is not ours: MXCSR's mask, other components. */
static void overlay(struct altpick_leak *leak, struct altpick_leak_state state, uint8_t *registers)
{
    altpick_leak_make(leak->xstate, state, leak->image);
    memcpy(registers, leak->image, MASK_AT);
    memcpy(registers + MASK_END, leak->image + MASK_END, ALTPICK_FX_END - MASK_END);
    for (unsigned i = 0; i < 8; i++)
        registers[HEADER_AT + i] |= leak->image[HEADER_AT + i];
    memcpy(registers + HEADER_END, leak->image + HEADER_END, leak->xstate->bytes - HEADER_END);
}

/* Read the registers of @child, which has stopped; look at them; set them in some rounds. */
static bool look_at(const struct altpick_scene_run *run, struct altpick_leak *leak, pid_t child,
                    uint8_t *registers)
{
    uint32_t round = __atomic_load_n(&run->result->round, __ATOMIC_SEQ_CST);
    struct iovec all = {.iov_base = registers, .iov_len = REGSET_BYTES};
    const struct altpick_leak_trial trial = {
        .scene = "ptrace get",
        .holds = state_of(ALTPICK_SCENE_TRACER, round),
        .wants = state_of(ALTPICK_SCENE_FIRST, round),
    };

    if (ptrace(PTRACE_GETREGSET, child, (void *) NT_X86_XSTATE, &all) < 0 ||
        all.iov_len < leak->xstate->bytes) {
        altpick_scene_cannot(run, "PTRACE_GETREGSET of NT_X86_XSTATE: %s", strerror(errno));
        return false;
    }
    memset(leak->seen, 0, altpick_leak_area_bytes(leak->xstate));
    memcpy(leak->seen, registers, leak->xstate->bytes);
    altpick_leak_compare(leak, &trial, leak->seen);
    if (!sets(round))
        return true;
    overlay(leak, state_of(ALTPICK_SCENE_TRACER, round), registers);
    if (ptrace(PTRACE_SETREGSET, child, (void *) NT_X86_XSTATE, &all) == 0)
        return true;
    altpick_scene_cannot(run, "PTRACE_SETREGSET of NT_X86_XSTATE: %s", strerror(errno));
    return false;
}

void altpick_scene_trace(const struct altpick_scene_run *run)
{
    struct altpick_leak *leak = altpick_scene_tester(run, TRACER);
    uint8_t *registers = malloc(REGSET_BYTES);
    pid_t child = -1;
    int status = 0;

    if (!leak->xstate->has_xsave) {
        altpick_scene_cannot(run, "no NT_X86_XSTATE without XSAVE");
        return;
    }
    if (registers)
        child = fork();
    if (child == 0)
        run_child(run);
    while (child > 0 && waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
        leak->plant = NULL; /* what is planted is planted in the child */
        if (WSTOPSIG(status) == SIGSTOP && !look_at(run, leak, child, registers))
            kill(child, SIGKILL);
        if (altpick_held_now_ns() >= run->deadline_ns)
            __atomic_store_n(&run->result->board.stop, 1, __ATOMIC_SEQ_CST);
        if (ptrace(PTRACE_CONT, child, NULL, NULL) < 0)
            break;
    }
    if (child < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        altpick_scene_cannot(run, "no child to trace: %s, status 0x%x", strerror(errno),
                             (unsigned) status);
    altpick_scene_count(run, TRACER, leak, leak->looks);
    free(registers);
}
