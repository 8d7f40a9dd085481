/* SPDX-License-Identifier: MIT */
/* A boot program that shows and tries what integration/boot/common gives; words say what. */
#include "info.h"
#include "leave.h"
#include "screen.h"
#include "serial.h"
#include "timer.h"
#include "trap.h"
#include "xstate.h"

#include "port.h"

enum { VECTOR = 0x40, INTERRUPTS = 20, PERIOD_US = 1000 };

static struct altpick_out serial, screen;
static volatile unsigned interrupts;

static void say(const char *text)
{
    altpick_out_text(&serial, text);
    altpick_out_text(&screen, text);
}

static bool asked(const struct boot_info *info, const char *word)
{
    for (const char *at = info->command_line; *at; at++) {
        size_t n = 0;

        while (word[n] && at[n] == word[n])
            n++;
        if (!word[n])
            return true;
    }
    return false;
}

static struct boot_frame *on_timer(struct boot_frame *frame)
{
    interrupts++;
    boot_timer_acknowledge();
    return frame;
}

static struct boot_frame *on_ud2(struct boot_frame *frame)
{
    frame->rip += 2;
    say("skipped ud2\n");
    return frame;
}

static void show(const struct boot_info *info)
{
    uint64_t ram = 0;

    say("command line: '");
    say(info->command_line);
    say(info->flags & BOOT_LINE_CUT ? "', cut\n" : "'\n");
    for (uint32_t i = 0; i < info->n_ram; i++)
        ram += info->ram[i].bytes;
    altpick_out_text(&serial, "RAM: ");
    altpick_out_u64(&serial, ram >> 20);
    altpick_out_text(&serial,
                     info->flags & BOOT_TEXT_SCREEN ? " MiB, screen\n" : " MiB, no screen\n");
}

static void try_timer(uint64_t hz)
{
    uint64_t start;

    boot_trap_set(VECTOR, on_timer);
    if (!boot_timer_start(VECTOR, PERIOD_US, hz)) {
        say("no timer\n");
        return;
    }
    boot_interrupts_on();
    start = boot_tsc();
    while (interrupts < INTERRUPTS && boot_tsc() - start < (hz ? hz : UINT64_C(10000000000)))
        ;
    boot_interrupts_off();
    boot_timer_stop();
    say(interrupts == INTERRUPTS ? "timer: interrupts came\n" : "timer: no interrupts\n");
    altpick_out_text(&serial, "TSC: ");
    altpick_out_u64(&serial, (hz + 500000) / 1000000);
    altpick_out_text(&serial, " MHz; us for an interrupt: ");
    altpick_out_u64(&serial, hz ? (boot_tsc() - start) * 1000 / (hz / 1000) / INTERRUPTS : 0);
    altpick_out_text(&serial, "\n");
}

static void try_memory(const struct boot_info *info)
{
    uint8_t *a = boot_memory_take(info, 5000, 4096), *b = boot_memory_take(info, 1 << 20, 1 << 20);
    bool good =
        a && b && (uintptr_t) a % 4096 == 0 && (uintptr_t) b % (1 << 20) == 0 && b - a >= 5000;

    for (unsigned i = 0; good && i < 5000; i++)
        a[i] = (uint8_t) i;
    for (unsigned i = 0; good && i < 5000; i++)
        good = a[i] == (uint8_t) i;
    say(good && !boot_memory_take(info, UINT32_MAX, 1) ? "memory: good\n" : "memory: bad\n");
}

static void fault(const struct boot_info *info)
{
    if (asked(info, "fault=ud"))
        __asm__ volatile("ud2");
    if (asked(info, "fault=pf"))
        *(volatile uint8_t *) (uintptr_t) UINT64_C(0x123456789000) = 1;
    if (asked(info, "fault=gp"))
        __asm__ volatile("movl $0x1000, %%eax\n\tmovl %%eax, %%ds" : : : "eax");
    if (asked(info, "fault=df"))
        __asm__ volatile("movabsq $0x7fffffffffff, %%rsp\n\tpushq %%rax" : : : "memory");
    if (asked(info, "fault=interrupt"))
        __asm__ volatile("int $0x63");
    if (asked(info, "return"))
        return;
    say("altpick: done\n");
    boot_leave(BOOT_LEAVE_DONE);
}

/* What a monitor does that enters at boot_entry64. */
static void enter_again(const struct boot_info *info)
{
    static struct boot_info second;
    size_t n = 0;

    second = *info;
    for (const char *line = "entered at boot_entry64"; *line; line++)
        second.command_line[n++] = *line;
    second.command_line[n] = '\0';
    if (asked(info, "again=wrong"))
        second.bytes--;
    __asm__ volatile("jmp boot_entry64" : : "D"(&second) : "memory");
    __builtin_unreachable();
}

void boot_main(const struct boot_info *info)
{
    uint64_t hz;

    serial = boot_serial_out();
    screen = boot_screen_out();
    show(info);
    hz = boot_timer_tsc_hz();
    try_timer(hz);
    try_memory(info);
    boot_trap_set(6, on_ud2);
    __asm__ volatile("ud2");
    boot_trap_set(6, NULL);
    altpick_out_text(&serial, "XCR0: 0x");
    altpick_out_hex(&serial, boot_xstate_enable(UINT64_MAX), 1);
    altpick_out_text(&serial, "\n");
    for (unsigned i = 0; asked(info, "scroll") && i < 30; i++)
        say("line\n");
    if (asked(info, "again"))
        enter_again(info);
    fault(info);
}
