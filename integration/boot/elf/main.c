/* SPDX-License-Identifier: MIT */
/* altpick-boot.elf: measures the machine that it was booted on; docs/boot.md tells how. */
#include "fences.h"
#include "front.h"
#include "info.h"
#include "leave.h"
#include "port.h"
#include "screen.h"
#include "serial.h"
#include "timer.h"
#include "trap.h"
#include "xstate.h"

#include "altpick/err.h"

/* Candidates that do not end are stopped after a second; a look at one takes microseconds. */
enum { TIMER_VECTOR = 0x40, TIMER_PERIOD_US = 10000 };
enum { PAGE = 4096, CODE_FACTOR = 4 };
#define UNKNOWN_HZ UINT64_C(5000000000) /* a counter that nobody knows: rather late */

static bool deadline(void *ctx, uint64_t ran_ticks)
{
    const struct altpick_front *front = ctx;
    uint64_t second_ticks = front->boot.tsc_hz ? front->boot.tsc_hz : UNKNOWN_HZ;

    boot_timer_acknowledge();
    return ran_ticks > second_ticks;
}

/* A period that ends while the library does not have the CPU. */
static struct boot_frame *on_timer(struct boot_frame *frame)
{
    boot_timer_acknowledge();
    return frame;
}

static void say(const struct altpick_front *front, const char *line)
{
    altpick_out_text(front->console, line);
    altpick_out_text(front->serial, line);
}

static void start_timer(const struct boot_info *info, struct altpick_front *front)
{
    if (info->flags & BOOT_NO_TIMER)
        return;
    boot_trap_set(TIMER_VECTOR, on_timer);
    if (!boot_timer_start(TIMER_VECTOR, TIMER_PERIOD_US, front->boot.tsc_hz)) {
        say(front, "altpick: no timer: a candidate that hangs is not stopped\n");
        return;
    }
    front->boot.deadline_vector = TIMER_VECTOR;
    front->boot.deadline = deadline;
    front->boot.ctx = front;
    boot_interrupts_on();
}

/* As much as all questions need; layouts that move take four times the code, where it is there. */
static void take_memory(const struct boot_info *info, struct altpick_boot_options *boot)
{
    size_t code_bytes, memory_bytes;

    altpick_boot_ask_all(boot);
    code_bytes = altpick_boot_code_bytes(boot) * CODE_FACTOR;
    memory_bytes = altpick_boot_memory_bytes(boot);
    boot->memory = boot_memory_take(info, memory_bytes, PAGE);
    boot->memory_bytes = boot->memory ? memory_bytes : 0;
    boot->code = boot_memory_take(info, code_bytes, PAGE);
    if (!boot->code) {
        code_bytes /= CODE_FACTOR;
        boot->code = boot_memory_take(info, code_bytes, PAGE);
    }
    boot->code_bytes = boot->code ? code_bytes : 0;
}

static void say_what_is_missing(const struct boot_info *info, const struct altpick_front *front)
{
    if (!boot_xstate_has_xsave())
        say(front, "altpick: this CPU has no XSAVE: what needs it stays unmeasured\n");
    if (!(info->flags & BOOT_TEXT_SCREEN))
        say(front, "altpick: no VGA text screen\n");
    if (!boot_serial_present())
        say(front, "altpick: no UART at COM1: the profile goes nowhere\n");
}

static _Noreturn void leave(const struct altpick_front *front, int r)
{
    boot_interrupts_off();
    if (r == ALTPICK_OK || r == ALTPICK_EUNTRUSTED)
        say(front, ALTPICK_FRONT_DONE "\n");
    boot_leave(r == ALTPICK_OK           ? BOOT_LEAVE_DONE
               : r == ALTPICK_EUNTRUSTED ? BOOT_LEAVE_UNTRUSTED
                                         : BOOT_LEAVE_FAILED);
}

void boot_main(const struct boot_info *info)
{
    struct altpick_out screen = boot_screen_out(), serial = boot_serial_out();
    struct altpick_front front = {
        .options = info->command_line,
        .console = &screen,
        .serial = &serial,
        .boot = {.xcr0 = ALTPICK_BOOT_XCR0_ALL},
    };

    say_what_is_missing(info, &front);
    if (info->flags & BOOT_LINE_CUT) {
        say(&front, "altpick: the command line is too long\n");
        leave(&front, ALTPICK_EUSAGE);
    }
    front.boot.tsc_hz = info->tsc_hz;
    if (!front.boot.tsc_hz && !(info->flags & BOOT_NO_TIMER))
        front.boot.tsc_hz = boot_timer_tsc_hz();
    take_memory(info, &front.boot);
    start_timer(info, &front);
    boot_fences_start();
    leave(&front, altpick_front_run(&front));
}
