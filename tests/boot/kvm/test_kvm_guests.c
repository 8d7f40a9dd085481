/* SPDX-License-Identifier: MIT */
/* Guests that end in every way there is: what is said of it, when, and what stays behind. */
#include "guests.h"
#include "kvm.h"
#include "machine.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

enum { TIME_MS = 20000, PATIENCE_MS = 10000 }; /* of machines that are emulated and busy, too */

/* One run of a guest. */
struct run {
    int r;
    uint64_t took_ms;
    struct altpick_kvm_end end;
    struct altpick_diag diag;
};

static void run_for(struct run *run, const char *guest, const char *line, uint32_t time_ms)
{
    struct altpick_kvm_options options = {
        .device = "/dev/kvm", .command_line = line, .time_ms = time_ms};
    char *image = read_guest(guest, &options.image_bytes);

    memset(run, 0, sizeof *run);
    options.image = (const uint8_t *) image;
    run->took_ms = altpick_machine_now_ns();
    run->r = altpick_kvm_run(&options, &run->end, &run->diag);
    run->took_ms = (altpick_machine_now_ns() - run->took_ms) / 1000000;
    free(image);
}

/* @guest ends with @err and a message that has @words. */
static void must_fail(const char *guest, int err, const char *words)
{
    struct run run;

    run_for(&run, guest, NULL, TIME_MS);
    if (run.r != err || !strstr(run.diag.text, words))
        fail_msg("%s: %d, '%s', not %d, '%s'", guest, run.r, run.diag.text, err, words);
    assert_null(run.end.serial.data);
    assert_true(run.took_ms < TIME_MS);
}

static void one_that_is_done_gives_its_lines_and_its_code(void **state)
{
    struct run run;
    (void) state;

    run_for(&run, "done", NULL, TIME_MS);
    if (run.r != 0)
        fail_msg("%s", run.diag.text);
    assert_int_equal(run.end.code, 0x5a);
    assert_string_equal(run.end.serial.data, "a line\r\n");
    altpick_text_fini(&run.end.serial);
}

static void the_uart_is_one(void **state)
{
    struct run run;
    (void) state;

    run_for(&run, "uart", NULL, TIME_MS);
    assert_int_equal(run.r, 0);
    assert_non_null(run.end.serial.data);
    assert_string_equal(run.end.serial.data, ".");
    altpick_text_fini(&run.end.serial);
}

static void must_say(const char *text, const char *line)
{
    if (!strstr(text, line))
        fail_msg("no '%s' in\n%s", line, text);
}

static void it_begins_as_promised(void **state)
{
    struct altpick_machine here = {0};
    struct run run;
    (void) state;

    run_for(&run, "contract", "only=nop.* seed=7", TIME_MS);
    if (run.r != 0)
        fail_msg("%s", run.diag.text);
    must_say(run.end.serial.data, "cr0 0000000080010033\n");
    must_say(run.end.serial.data, "cr4 0000000000000620\n");
    must_say(run.end.serial.data, "flags 0000000000000000\n");
    must_say(run.end.serial.data, "cpl 0000000000000000\n");
    must_say(run.end.serial.data, "stack 0000000000000000\n");
    must_say(run.end.serial.data, "bytes 0000000000000001\nflags 000000000000000a\n");
    must_say(run.end.serial.data, "ram 0000000000100000\nram bytes 000000000");
    must_say(run.end.serial.data, "ram is memory 0000000000000001\n");
    must_say(run.end.serial.data, "line 'only=nop.* seed=7'\n");
    must_say(run.end.serial.data, "apic 0000000000000000\n");
    must_say(run.end.serial.data, "hypervisor 0000000000000001\n");
    must_say(run.end.serial.data, "osxsave 0000000000000000\n");
    altpick_machine_identify(&here);
    must_say(run.end.serial.data, here.cpu.brand);
    altpick_text_fini(&run.end.serial);
}

static void a_halt_is_no_end(void **state)
{
    (void) state;
    must_fail("halt", ALTPICK_EFAULT, "halted at 0x10");
}

static void a_port_that_is_not_there_is_named(void **state)
{
    (void) state;
    must_fail("port_read", ALTPICK_EFAULT, "reads 1 byte at port 0x70, where");
    must_fail("port_wide", ALTPICK_EFAULT, "writes 2 bytes at port 0x3f8, where");
}

static void memory_that_is_not_there_is_named(void **state)
{
    (void) state;
    must_fail("mmio", ALTPICK_EFAULT, "writes 4 bytes at address 0xd0000000, where");
}

static void what_cannot_be_emulated_is_shown(void **state)
{
    (void) state;
    must_fail("emulate", ALTPICK_EFAULT,
              "had to emulate the instruction f3 0f b8 07 (popcnt (%rdi), %eax)");
}

/* On the CPU it works; where ring 0 is interpreted it may not. */
static void xgetbv_works_or_is_shown(void **state)
{
    struct run run;
    (void) state;

    run_for(&run, "xgetbv", NULL, TIME_MS);
    if (run.r != 0) {
        assert_int_equal(run.r, ALTPICK_EFAULT);
        must_say(run.diag.text, "0f 01 d0 (xgetbv)");
    }
    altpick_text_fini(&run.end.serial);
}

/* Where it was is not known on every CPU. */
static void a_triple_fault_is_said(void **state)
{
    (void) state;
    must_fail("triple", ALTPICK_EFAULT, "ended in a triple fault at ");
}

/* By its time, or earlier by the limit of what it may write. */
static void output_without_end_is_ended(void **state)
{
    struct run run;
    (void) state;

    run_for(&run, "flood", NULL, 300);
    assert_true(run.r == ALTPICK_EFAULT || run.r == ALTPICK_ETIMEOUT);
    assert_true(run.took_ms < 300 + PATIENCE_MS);
}

static void one_that_does_not_end_is_stopped(void **state)
{
    static const char *const guests[] = {"loop", "poll"};
    struct run run;
    (void) state;

    for (size_t i = 0; i < sizeof guests / sizeof *guests; i++) {
        run_for(&run, guests[i], NULL, 300);
        assert_int_equal(run.r, ALTPICK_ETIMEOUT);
        must_say(run.diag.text, "not done after 0.300 s and was stopped");
        assert_in_range(run.took_ms, 300, 300 + PATIENCE_MS);
    }
    run_for(&run, "loop", NULL, 100);
    must_say(run.diag.text, "; its last line was 'L'");
}

/* The time may be over before the guest is entered, or at any moment of that. */
static void no_moment_is_too_early_for_the_deadline(void **state)
{
    struct run run;
    (void) state;

    for (uint32_t ms = 1; ms <= 12; ms++) {
        run_for(&run, "loop", NULL, ms);
        assert_int_equal(run.r, ALTPICK_ETIMEOUT);
        assert_true(run.took_ms < ms + PATIENCE_MS);
    }
}

static volatile sig_atomic_t signals_seen;

static void count_signal(int number)
{
    (void) number;
    signals_seen++;
}

/* A signal of somebody else's is handled, and the guest goes on. */
static void other_signals_do_not_stop_it(void **state)
{
    struct sigaction action = {.sa_handler = count_signal}, before;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    const struct itimerspec often = {
        {0, 5000000},
        {0, 5000000}
    };
    timer_t timer;
    struct run run;
    (void) state;

    signals_seen = 0;
    sigaction(SIGUSR1, &action, &before);
    assert_int_equal(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
    timer_settime(timer, 0, &often, NULL);
    run_for(&run, "loop", NULL, 200);
    timer_delete(timer);
    sigaction(SIGUSR1, &before, NULL);
    assert_int_equal(run.r, ALTPICK_ETIMEOUT);
    assert_true(run.took_ms >= 200);
    assert_true(signals_seen > 0);
}

/* The deadline's own signal, from somebody else: pending, it would end each entry at once. */
static void the_deadline_s_signal_of_others_does_not_stop_it(void **state)
{
    sigset_t set, before;
    struct run run;
    (void) state;

    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    sigprocmask(SIG_BLOCK, &set, &before);
    raise(SIGRTMIN);
    run_for(&run, "done", NULL, TIME_MS);
    sigprocmask(SIG_SETMASK, &before, NULL);
    assert_int_equal(run.r, ALTPICK_OK);
    assert_in_range(run.took_ms, 0, PATIENCE_MS);
    altpick_text_fini(&run.end.serial);
}

static size_t count_entries(const char *path)
{
    DIR *dir = opendir(path);
    size_t n = 0;

    assert_non_null(dir);
    while (readdir(dir))
        n++;
    closedir(dir);
    return n;
}

static size_t count_lines(const char *path)
{
    FILE *file = fopen(path, "r");
    size_t n = 0;
    int c;

    assert_non_null(file);
    while ((c = fgetc(file)) != EOF)
        n += c == '\n';
    fclose(file);
    return n;
}

static void nothing_stays_behind(void **state)
{
    static const char *const guests[] = {"done", "halt", "emulate", "triple", "loop", "mmio"};
    size_t files = 0, maps = 0;
    sigset_t before, after;
    struct run run;
    (void) state;

    sigprocmask(SIG_SETMASK, NULL, &before);
    for (size_t i = 0; i < 2 * sizeof guests / sizeof *guests; i++) {
        run_for(&run, guests[i % (sizeof guests / sizeof *guests)], NULL, 50);
        altpick_text_fini(&run.end.serial);
        if (i == 5) { /* by now the heap has what it needs */
            files = count_entries("/proc/self/fd");
            maps = count_lines("/proc/self/maps");
        }
    }
    assert_int_equal(count_entries("/proc/self/fd"), files);
    assert_int_equal(count_lines("/proc/self/maps"), maps);
    assert_int_equal(count_lines("/proc/self/timers"), 0);
    sigprocmask(SIG_SETMASK, NULL, &after);
    for (int i = 1; i <= SIGRTMAX; i++)
        assert_int_equal(sigismember(&before, i), sigismember(&after, i));
    sigpending(&after);
    assert_false(sigismember(&after, SIGRTMIN));
}

KVM_TEST_MAIN(cmocka_unit_test(one_that_is_done_gives_its_lines_and_its_code),
              cmocka_unit_test(the_uart_is_one), cmocka_unit_test(it_begins_as_promised),
              cmocka_unit_test(a_halt_is_no_end),
              cmocka_unit_test(a_port_that_is_not_there_is_named),
              cmocka_unit_test(memory_that_is_not_there_is_named),
              cmocka_unit_test(what_cannot_be_emulated_is_shown),
              cmocka_unit_test(xgetbv_works_or_is_shown), cmocka_unit_test(a_triple_fault_is_said),
              cmocka_unit_test(output_without_end_is_ended),
              cmocka_unit_test(one_that_does_not_end_is_stopped),
              cmocka_unit_test(no_moment_is_too_early_for_the_deadline),
              cmocka_unit_test(other_signals_do_not_stop_it),
              cmocka_unit_test(the_deadline_s_signal_of_others_does_not_stop_it),
              cmocka_unit_test(nothing_stays_behind))
