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

/*
 * Candidates that do not end are stopped by a timer.  A look at one takes microseconds, and between
 * looks a hook is called now and then, so that none of these for a second means that one hangs.
 */
enum { TIMER_VECTOR = 0x40, TIMER_PERIOD_US = 10000, TIMER_PERIODS_MAX = 100 };
enum { PAGE = 4096, CODE_FACTOR = 4 };

static unsigned periods; /* since a hook was called */

static uint64_t interrupts_off(void *ctx)
{
    uint64_t flags;

    (void) ctx;
    __asm__ volatile("pushfq\n\tpopq %0\n\tcli" : "=r"(flags) : : "memory");
    periods = 0;
    return flags;
}

static void interrupts_restore(void *ctx, uint64_t before)
{
    (void) ctx;
    periods = 0;
    __asm__ volatile("pushq %0\n\tpopfq" : : "r"(before) : "memory", "cc");
}

static void on_progress(void *ctx, const char *question, unsigned percent)
{
    (void) ctx;
    (void) question;
    (void) percent;
    periods = 0;
}

static bool deadline(void *ctx)
{
    (void) ctx;
    boot_timer_acknowledge();
    return ++periods > TIMER_PERIODS_MAX;
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
    size_t code_bytes = altpick_boot_code_bytes(boot) * CODE_FACTOR;
    size_t memory_bytes = altpick_boot_memory_bytes(boot);

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
        .boot = {.xcr0 = ALTPICK_BOOT_XCR0_ALL,
                 .interrupts_off = interrupts_off,
                 .interrupts_restore = interrupts_restore,
                 .progress = on_progress},
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
