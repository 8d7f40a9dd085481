/* SPDX-License-Identifier: MIT */
/*
 * A boot program that tries altpick_boot_probe() out: candidates that fault in every way, a budget,
 * and the state of the CPU before and after.  Words: "budget=US" "interrupts" "deadline" "ts"
 * "nested" "no-xcr0" "had-xcr0=BITS" "xcr0=BITS".  Prints facts, one a line, which takeover.py
 * judges.
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
};

static struct altpick_out serial;
static uint8_t memory[MEMORY_BYTES];
static _Alignas(4096) uint8_t code[CODE_BYTES];
static struct cpu_state before, after;
static volatile unsigned interrupts;
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

static void print_outcome(int r, const struct altpick_boot *boot)
{
    altpick_out_text(&serial, "outcome ");
    altpick_out_text(&serial, r ? altpick_err_text(r) : "measured");
    altpick_out_text(&serial, "\n");
    if (r < 0 && r != ALTPICK_EUNTRUSTED)
        return;
    say("faults", boot->faults);
    say("spent", boot->spent_ticks);
    say("step", boot->step_ticks);
    say("ring", boot->ring);
    for (size_t i = 0; i < boot->machine->n_results; i++)
        print_candidates(&boot->machine->results[i]);
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
}

/* What is enabled before; 0: nothing, and CR4.OSXSAVE is clear. */
static uint64_t had_xcr0(const char *line)
{
    if (words_have(line, "no-xcr0"))
        return 0;
    return words_have(line, "had-xcr0=") ? words_number(line, "had-xcr0=") : 3;
}

void boot_main(const struct boot_info *info)
{
    static const struct altpick_question *questions[3];
    struct altpick_boot_options options = {.memory = memory,
                                           .memory_bytes = sizeof memory,
                                           .code = code,
                                           .code_bytes = sizeof code,
                                           .questions = questions,
                                           .n_questions = 3,
                                           .seed = 1,
                                           .rehearse = true};
    const char *line = info->command_line;
    struct altpick_boot boot = {0};
    bool open = words_have(line, "interrupts") || words_have(line, "deadline");
    int r;

    hz = boot_timer_tsc_hz();
    serial = boot_serial_out();
    questions[0] = words_have(line, "deadline") ? &faulty_question_endless : &faulty_question;
    questions[1] = altpick_question_find("nop.text-poke");
    questions[2] = altpick_question_find(words_have(line, "all-fpu") ? "fpu.switch" : "refcount");
    options.tsc_hz = hz;
    if (words_have(line, "every-question")) {
        options.questions = altpick_questions;
        options.n_questions = altpick_question_count;
    }
    read_words(line, &options);
    if (open) {
        boot_trap_set(VECTOR, on_timer);
        boot_timer_start(VECTOR, PERIOD_US, hz);
    }
    cpu_state_fill(had_xcr0(line), words_have(line, "ts"), open, words_have(line, "nested"));
    cpu_state_read(&before);
    r = altpick_boot_probe(&options, &boot);
    cpu_state_read(&after);
    boot_interrupts_off();
    if (open)
        boot_timer_stop();
    say("interrupts", interrupts);
    cpu_state_compare(&before, &after, &serial);
    print_outcome(r, &boot);
    altpick_out_text(&serial, ALTPICK_FRONT_DONE "\n");
    boot_leave(BOOT_LEAVE_DONE);
}
