/* SPDX-License-Identifier: MIT */
/*
 * A boot program that tries altpick_boot_probe() out: candidates that fault in every way, a budget,
 * and the state of the CPU before and after.  Words: "budget=US" "interrupts" "deadline" "ts"
 * "nested" "no-xcr0" "had-xcr0=BITS" "xcr0=BITS" "every-question" "many-faults" "breakpoint"
 * "hooks" "no-idt".  Prints facts, one a line, which takeover.py judges.
 */
#include "altpick/boot.h"
#include "altpick/clock.h"
#include "altpick/err.h"
#include "altpick/out.h"
#include "altpick/xstate.h"
#include "cpu_state.h"
#include "faulty.h"
#include "front.h"
#include "info.h"
#include "leave.h"
#include "line_words.h"
#include "live_run.h"
#include "port.h"
#include "serial.h"
#include "timer.h"
#include "trap.h"
#include "xstate.h"

enum {
    MEMORY_BYTES = 24 << 20,
    CODE_BYTES = 8 << 20,
    VECTOR = 0x40,
    PERIOD_US = 1000,
    DEADLINE_SHARE = 50, /* of a second */
    STACK_BYTES = 16384,
    PAINT = 0x5a,
    DEBUG = 1, /* vector */
    DR6_INIT = (int) 0xffff0ff0,
    DR7_EXECUTE_0 = 0x402, /* breakpoint 0, by any task, where an instruction is executed */
    RESUME = 1 << 16,      /* RFLAGS.RF */
    PRIORITY_ALL = 15,     /* of CR8: nothing gets through */
    FLAG_IF = 1 << 9,
};

static struct altpick_out serial;
static uint8_t memory[MEMORY_BYTES];
static _Alignas(4096) uint8_t code[CODE_BYTES];
static struct cpu_state before, after;
static volatile unsigned interrupts, breakpoints, open_at_progress, closed_at_progress;
static _Alignas(16) uint8_t stack[STACK_BYTES];
static const uint64_t unknown_hz = 5000000000; /* where calibrating was disturbed */
static uint64_t hz;

static void say(const char *name, uint64_t value)
{
    altpick_out_text(&serial, name);
    altpick_out_text(&serial, " ");
    altpick_out_u64(&serial, value);
    altpick_out_text(&serial, "\n");
}

static struct boot_frame *on_timer(struct boot_frame *frame)
{
    interrupts++;
    boot_timer_acknowledge();
    return frame;
}

static bool on_deadline(void *ctx, uint64_t ran_ticks)
{
    (void) ctx;
    interrupts++;
    boot_timer_acknowledge();
    return ran_ticks > (hz ? hz : unknown_hz) / DEADLINE_SHARE;
}

static struct boot_frame *on_breakpoint(struct boot_frame *frame)
{
    breakpoints++;
    frame->rflags |= RESUME;
    __asm__ volatile("mov %0, %%dr6" : : "r"((uint64_t) (uint32_t) DR6_INIT));
    return frame;
}

/* Where each run of a candidate begins. */
static void set_breakpoint(void)
{
    boot_trap_set(DEBUG, on_breakpoint);
    __asm__ volatile("mov %0, %%dr0; mov %1, %%dr7"
                     :
                     : "r"((uintptr_t) altpick_live_run), "r"((uint64_t) DR7_EXECUTE_0));
}

/* Hooks of a system that closes interrupts by their priority and leaves the flag alone. */
static uint64_t raise_priority(void *ctx)
{
    uint64_t priority;

    (void) ctx;
    __asm__ volatile("mov %%cr8, %0" : "=r"(priority) : : "memory");
    __asm__ volatile("mov %0, %%cr8" : : "r"((uint64_t) PRIORITY_ALL) : "memory");
    return priority;
}

static void restore_priority(void *ctx, uint64_t priority)
{
    (void) ctx;
    __asm__ volatile("mov %0, %%cr8" : : "r"(priority) : "memory");
}

static void note_flag(void *ctx, const char *question, unsigned percent)
{
    uint64_t flags;

    (void) ctx;
    (void) question;
    (void) percent;
    __asm__ volatile("pushfq; popq %0" : "=r"(flags) : : "memory");
    if (flags & FLAG_IF)
        open_at_progress++;
    else
        closed_at_progress++;
}

/* Reset's: a table at 0, where something else is. */
static void lose_idt(void)
{
    static const uint8_t pointer[10] = {0xff, 0xff};

    __asm__ volatile("lidt %0" : : "m"(pointer));
}

/* What is called on the stack that is painted, and what comes out. */
static const struct altpick_boot_options *asked;
static struct altpick_boot boot;
static int outcome;

static void probe(void)
{
    outcome = altpick_boot_probe(asked, &boot);
}

/* Returns the bytes of stack that it took. */
static size_t probe_on_painted_stack(const struct altpick_boot_options *options)
{
    size_t unused = 0;

    for (size_t i = 0; i < sizeof stack; i++)
        stack[i] = PAINT;
    asked = options;
    __asm__ volatile("mov %%rsp, %%rbx; mov %0, %%rsp; call *%1; mov %%rbx, %%rsp"
                     :
                     : "r"(stack + sizeof stack), "r"((uintptr_t) probe)
                     : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory",
                       "cc");
    while (unused < sizeof stack && stack[unused] == PAINT)
        unused++;
    return sizeof stack - unused;
}

static void print_candidates(const struct altpick_result *result)
{
    for (size_t i = 0; i < result->n_candidates; i++) {
        const struct altpick_measurement *m = &result->candidates[i];

        altpick_out_text(&serial, "candidate ");
        altpick_out_text(&serial, result->question);
        altpick_out_text(&serial, " ");
        altpick_out_text(&serial, m->candidate.name);
        altpick_out_text(&serial, " ");
        altpick_out_text(&serial, altpick_status_name(m->status));
        altpick_out_text(&serial, " ");
        altpick_out_text(&serial, m->reason[0] ? m->reason : "-");
        altpick_out_text(&serial, "\n");
    }
}

static void print_outcome(void)
{
    altpick_out_text(&serial, "outcome ");
    altpick_out_text(&serial, outcome ? altpick_err_text(outcome) : "measured");
    altpick_out_text(&serial, "\n");
    if (outcome < 0 && outcome != ALTPICK_EUNTRUSTED)
        return;
    say("faults", boot.faults);
    say("spent", boot.spent_ticks);
    say("step", boot.step_ticks);
    say("ring", boot.ring);
    for (size_t i = 0; i < boot.machine->n_results; i++)
        print_candidates(&boot.machine->results[i]);
}

/* The words of the command line as options. */
static void read_words(const char *line, struct altpick_boot_options *options)
{
    options->budget_us = words_number(line, "budget=");
    if (words_have(line, "xcr0="))
        options->xcr0 = words_number(line, "xcr0=");
    else if (!words_have(line, "no-xcr0"))
        options->xcr0 = ALTPICK_BOOT_XCR0_ALL;
    if (words_have(line, "deadline")) {
        options->deadline_vector = VECTOR;
        options->deadline = on_deadline;
    }
    if (words_have(line, "hooks")) {
        options->interrupts_off = raise_priority;
        options->interrupts_restore = restore_priority;
    }
    options->progress = note_flag;
}

static void ask(const char *line, struct altpick_boot_options *options)
{
    static const struct altpick_question *questions[3];

    options->questions = questions;
    options->n_questions = 3;
    questions[0] = words_have(line, "deadline") ? &faulty_question_endless : &faulty_question;
    questions[1] = altpick_question_find("nop.text-poke");
    questions[2] = altpick_question_find(words_have(line, "all-fpu") ? "fpu.switch" : "refcount");
    if (words_have(line, "every-question")) {
        options->questions = altpick_questions;
        options->n_questions = altpick_question_count;
    }
    for (unsigned i = 0; words_have(line, "many-faults") && i < 3; i++)
        questions[i] = &faulty_questions_many[i];
}

/* What is enabled before; 0: nothing, and CR4.OSXSAVE is clear. */
static uint64_t had_xcr0(const char *line)
{
    if (words_have(line, "no-xcr0"))
        return 0;
    return words_have(line, "had-xcr0=") ? words_number(line, "had-xcr0=") : 3;
}

static void make_unusual(const char *line, bool open)
{
    if (open) {
        boot_trap_set(VECTOR, on_timer);
        boot_timer_start(VECTOR, PERIOD_US, hz);
    }
    if (words_have(line, "breakpoint"))
        set_breakpoint();
    if (words_have(line, "no-idt"))
        lose_idt();
    cpu_state_fill(had_xcr0(line), words_have(line, "ts"), open, words_have(line, "nested"));
}

void boot_main(const struct boot_info *info)
{
    struct altpick_boot_options options = {.memory = memory,
                                           .memory_bytes = sizeof memory,
                                           .code = code,
                                           .code_bytes = sizeof code,
                                           .seed = 1,
                                           .rehearse = true};
    const char *line = info->command_line;
    bool open =
        words_have(line, "interrupts") || words_have(line, "deadline") || words_have(line, "hooks");
    size_t stack_bytes;

    hz = boot_timer_tsc_hz();
    serial = boot_serial_out();
    options.tsc_hz = hz;
    ask(line, &options);
    read_words(line, &options);
    make_unusual(line, open);
    cpu_state_read(&before);
    stack_bytes = probe_on_painted_stack(&options);
    cpu_state_read(&after);
    boot_interrupts_off();
    if (open)
        boot_timer_stop();
    say("interrupts", interrupts);
    say("breakpoints", breakpoints);
    say("open", open_at_progress);
    say("closed", closed_at_progress);
    say("stack", stack_bytes);
    cpu_state_compare(&before, &after, &serial);
    print_outcome();
    altpick_out_text(&serial, ALTPICK_FRONT_DONE "\n");
    boot_leave(BOOT_LEAVE_DONE);
}
