/* SPDX-License-Identifier: MIT */
/*
 * Handlers of signals.  The kernel calls them with a state that is the interrupted program's or
 * initial, and puts back what their frame holds: so the frame must hold just what was interrupted,
 * and whatever handlers do to registers must not be seen later.  Compiled without vector registers.
 */
#include "signals.h"

#include "held.h"
#include "sys.h"

#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>

enum {
    SOFTWARE_AT = 464,         /* in a frame: bytes that no save writes are the kernel's */
    XSTATE_MAGIC = 0x46505853, /* FP_XSTATE_MAGIC1 (arch/x86/include/uapi/asm/sigcontext.h) */
    AWAIT_NS = 20000000,
    SPINS = 100, /* between looks at the clock */
};

struct altpick_signal_level *altpick_signal_levels;

/* The four bytes at @at. */
static uint32_t word(const uint8_t *at)
{
    return at[0] | (uint32_t) at[1] << 8 | (uint32_t) at[2] << 16 | (uint32_t) at[3] << 24;
}

static void raise_signal(int number)
{
    long process = altpick_sys(SYS_getpid, 0, 0, 0, 0, 0, 0);
    long thread = altpick_sys(SYS_gettid, 0, 0, 0, 0, 0, 0);

    altpick_sys(SYS_tgkill, process, thread, number, 0, 0, 0);
}

/* Compare the state in a frame with what was interrupted. */
static void look_at_frame(struct altpick_signal_level *level, const uint8_t *frame)
{
    struct altpick_leak *leak = level->leak;
    const struct altpick_leak_trial trial = {
        .scene = "signal frame",
        .holds = level->own,
        .wants = level->interrupted,
    };
    size_t bytes = word(frame + SOFTWARE_AT + 16); /* struct _fpx_sw_bytes.xstate_size */

    if (leak->xstate->has_xsave &&
        (word(frame + SOFTWARE_AT) != XSTATE_MAGIC || bytes < leak->xstate->bytes)) {
        level->no_frame++;
        return;
    }
    for (size_t i = 0; i < altpick_leak_area_bytes(leak->xstate); i++)
        leak->seen[i] = i < leak->xstate->bytes ? frame[i] : 0;
    altpick_leak_compare(leak, &trial, leak->seen);
}

static void handle(struct altpick_signal_level *level, ucontext_t *context)
{
    uint8_t *frame = (uint8_t *) context->uc_mcontext.fpregs;
    const struct altpick_leak_trial start = {
        .scene = "signal handler",
        .holds = level->own,
        .wants = level->interrupted,
        .may_be_initial = UINT64_MAX,
    };
    const struct altpick_leak_trial after = {
        .scene = "return to a handler",
        .holds = level->own,
        .wants = level->own,
    };

    altpick_leak_look(level->leak, &start);
    look_at_frame(level, frame);
    altpick_leak_hold(level->leak, level->own);
    if (level->raises) {
        raise_signal(level->raises);
        altpick_leak_look(level->leak, &after);
    }
    altpick_leak_plant_splice(level->leak, ALTPICK_LEAK_HANDLER, level->own, frame);
    level->handled++;
}

void altpick_signal_handle_outer(int number, void *info, void *context)
{
    (void) number;
    (void) info;
    handle(&altpick_signal_levels[0], context);
}

void altpick_signal_handle_inner(int number, void *info, void *context)
{
    (void) number;
    (void) info;
    handle(&altpick_signal_levels[1], context);
}

void altpick_signal_raise(void *ctx)
{
    raise_signal(*(const int *) ctx);
}

void altpick_signal_await(void *ctx)
{
    const volatile uint32_t *handled = &altpick_signal_levels[0].handled;
    const uint64_t mask = UINT64_C(1) << (*(const int *) ctx - 1);
    uint64_t limit_ns = altpick_held_now_ns() + AWAIT_NS;
    uint32_t before = *handled;

    altpick_sys(SYS_rt_sigprocmask, SIG_UNBLOCK, (long) &mask, 0, sizeof mask, 0, 0);
    while (*handled == before && altpick_held_now_ns() < limit_ns) {
        for (unsigned i = 0; i < SPINS && *handled == before; i++)
            __asm__ volatile("pause");
    }
    altpick_sys(SYS_rt_sigprocmask, SIG_BLOCK, (long) &mask, 0, sizeof mask, 0, 0);
}
