/* SPDX-License-Identifier: MIT */
/* altpick-boot.elf: measures the machine that it was booted on; docs/boot.md tells how. */
#include "front.h"
#include "info.h"
#include "leave.h"
#include "screen.h"
#include "serial.h"
#include "timer.h"
#include "trap.h"
#include "xstate.h"

#include "port.h"

#include "altpick/err.h"

/* Candidates that do not end are stopped by a timer: a look at one takes microseconds. */
enum { TIMER_VECTOR = 0x40, TIMER_PERIOD_US = 10000 };
enum { PAGE = 4096, CODE_FACTOR = 4 };

static const uint64_t unknown_hz = 5000000000; /* a counter that nobody knows: rather late */
static uint64_t second_ticks;

static bool deadline(void *ctx, uint64_t ran_ticks)
{
    (void) ctx;
    boot_timer_acknowledge();
    return ran_ticks > second_ticks;
}

/* A period that ends while the library does not have the CPU. */
static struct boot_frame *on_timer(struct boot_frame *frame)
{
    boot_timer_acknowledge();
    return frame;
}

static void start_timer(const struct boot_info *info, struct altpick_front *front)
{
    if (info->flags & BOOT_NO_TIMER)
        return;
    second_ticks = front->boot.tsc_hz ? front->boot.tsc_hz : unknown_hz;
    boot_trap_set(TIMER_VECTOR, on_timer);
    if (!boot_timer_start(TIMER_VECTOR, TIMER_PERIOD_US, front->boot.tsc_hz)) {
        altpick_out_text(front->serial,
                         "altpick: no timer: a candidate that hangs is not stopped\n");
        altpick_out_text(front->console,
                         "altpick: no timer: a candidate that hangs is not stopped\n");
        return;
    }
    front->boot.deadline_vector = TIMER_VECTOR;
    front->boot.deadline = deadline;
    boot_interrupts_on();
}

/* As much as all questions need. */
static void take_memory(const struct boot_info *info, struct altpick_boot_options *boot)
{
    size_t code_bytes, memory_bytes;

    altpick_boot_ask_all(boot);
    code_bytes = altpick_boot_code_bytes(boot) * CODE_FACTOR;
    memory_bytes = altpick_boot_memory_bytes(boot);
    boot->code = boot_memory_take(info, code_bytes, PAGE);
    boot->code_bytes = boot->code ? code_bytes : 0;
    boot->memory = boot_memory_take(info, memory_bytes, PAGE);
    boot->memory_bytes = boot->memory ? memory_bytes : 0;
}

static void say_what_is_missing(const struct boot_info *info, struct altpick_out *people)
{
    if (!boot_xstate_has_xsave())
        altpick_out_text(people,
                         "altpick: this CPU has no XSAVE: what needs it stays unmeasured\n");
    if (!(info->flags & BOOT_TEXT_SCREEN))
        altpick_out_text(people, "altpick: no VGA text screen\n");
    if (!boot_serial_present())
        altpick_out_text(people, "altpick: no UART at COM1: the profile goes nowhere\n");
}

static _Noreturn void leave(int r, struct altpick_front *front)
{
    static const char done[] = ALTPICK_FRONT_DONE "\n";

    boot_interrupts_off();
    if (r == ALTPICK_OK || r == ALTPICK_EUNTRUSTED) {
        altpick_out_text(front->console, done);
        altpick_out_text(front->serial, done);
    }
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

    say_what_is_missing(info, &screen);
    say_what_is_missing(info, &serial);
    if (info->flags & BOOT_LINE_CUT) {
        altpick_out_text(&screen, "altpick: the command line is too long\n");
        altpick_out_text(&serial, "altpick: the command line is too long\n");
        leave(ALTPICK_EUSAGE, &front);
    }
    front.boot.tsc_hz = info->tsc_hz;
    if (!front.boot.tsc_hz && !(info->flags & BOOT_NO_TIMER))
        front.boot.tsc_hz = boot_timer_tsc_hz();
    take_memory(info, &front.boot);
    start_timer(info, &front);
    leave(altpick_front_run(&front), &front);
}
