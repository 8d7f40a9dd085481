/* SPDX-License-Identifier: MIT */
/* altpick-leak.elf: the tester as a program on a bare machine (PVH, multiboot2). */
#include "bare.h"
#include "front.h"
#include "info.h"
#include "leave.h"
#include "screen.h"
#include "serial.h"
#include "timer.h"
#include "trap.h"
#include "xstate.h"

#include "altpick/cpu.h"

enum { TIMER_VECTOR = 0x40, PERIOD_US = 1000, AREA_ALIGN = 64 };

static struct altpick_bare_entry entry;
static uint64_t tsc_hz;

/* A sink that is both outputs. */
static int write_both(void *ctx, const char *text, size_t bytes)
{
    struct altpick_out screen = boot_screen_out();

    (void) ctx;
    boot_serial_write(text, bytes);
    altpick_out_bytes(&screen, text, bytes);
    return 0;
}

static struct boot_frame *on_tick(struct boot_frame *frame)
{
    altpick_bare_tick();
    boot_timer_acknowledge();
    return frame;
}

static bool start_timer(void *ctx)
{
    (void) ctx;
    boot_trap_set(TIMER_VECTOR, on_tick);
    return boot_timer_start(TIMER_VECTOR, PERIOD_US, tsc_hz);
}

static void stop_timer(void *ctx)
{
    (void) ctx;
    boot_timer_stop();
}

static enum boot_leave leave_as(enum altpick_bare_result result)
{
    switch (result) {
    case ALTPICK_BARE_CLEAN:
        return BOOT_LEAVE_DONE;
    case ALTPICK_BARE_LEAK:
        return BOOT_LEAVE_LEAK;
    case ALTPICK_BARE_NOT_TESTED:
    case ALTPICK_BARE_USAGE:
        break;
    }
    return BOOT_LEAVE_FAILED;
}

void boot_main(const struct boot_info *info)
{
    struct altpick_out out = {.write = write_both};
    struct altpick_bare bare = {
        .out = &out,
        .words = info->command_line,
        .entry = &entry,
        .timer_start = start_timer,
        .timer_stop = stop_timer,
    };
    struct altpick_xstate xstate;
    enum altpick_bare_result result;

    altpick_bare_see_entry(&entry);
    boot_xstate_enable(UINT64_MAX);
    altpick_bare_see_rest(&entry, &xstate);
    tsc_hz = info->tsc_hz || info->flags & BOOT_NO_TIMER ? info->tsc_hz : boot_timer_tsc_hz();
    bare.xstate = &xstate;
    bare.tsc_hz = tsc_hz;
    bare.memory = boot_memory_take(info, altpick_bare_memory_bytes(&xstate), AREA_ALIGN);
    if (!bare.memory) {
        altpick_out_text(&out, "altpick-leak: not enough memory\n");
        boot_leave(BOOT_LEAVE_FAILED);
    }
    if (info->flags & BOOT_NO_TIMER)
        bare.timer_start = NULL;
    result = altpick_bare_run(&bare);
    altpick_out_text(&out, ALTPICK_FRONT_DONE "\n");
    boot_leave(leave_as(result));
}
