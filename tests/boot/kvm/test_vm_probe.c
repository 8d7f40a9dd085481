/* SPDX-License-Identifier: MIT */
/* What becomes of a boot program that measures, fails, is interpreted, lies or does not end. */
#include "crc32.h"
#include "front.h"
#include "guests.h"
#include "leave.h"
#include "machine.h"
#include "profile_read.h"
#include "vm_probe.h"

#include <sched.h>
#include <stdlib.h>

enum { SAYS_MAX = 65536, TIME_MS = 200 };

/* A program, another one that judges before it (NULL: none does), and what came of it. */
struct run {
    int r;
    char *image, *judge;
    size_t image_bytes, judge_bytes;
    struct altpick_profile profile;
    struct altpick_diag diag;
    char why[ALTPICK_REASON_MAX];
};

static const struct altpick_probe_options options = {
    .only = "nop.text-poke", .time_limit_ms = TIME_MS, .cpu = -1, .seed = 7};

static void measure(struct run *run)
{
    const struct altpick_vm_program program = {
        .device = "/dev/kvm",
        .image = (uint8_t *) run->image,
        .image_end = (uint8_t *) run->image + run->image_bytes,
        .judge = (uint8_t *) run->judge,
        .judge_end = (uint8_t *) run->judge + run->judge_bytes,
    };
    cpu_set_t before, after;

    run->why[0] = '\0';
    sched_getaffinity(0, sizeof before, &before);
    run->r = altpick_vm_probe_measure(&program, &options, &run->profile, run->why, &run->diag);
    sched_getaffinity(0, sizeof after, &after);
    assert_true(CPU_EQUAL(&before, &after));
    free(run->image);
    free(run->judge);
}

static void measure_with(struct run *run, const char *guest)
{
    *run = (struct run){0};
    run->image = read_guest(guest, &run->image_bytes);
    measure(run);
}

/* A guest that says @text and leaves with @code. */
static char *saying(const char *text, enum boot_leave code, size_t *ret_bytes)
{
    static const char mark[] = "what is to be said: ";
    uint32_t length = (uint32_t) strlen(text);
    char *image = read_guest("says", ret_bytes);
    char *at = memmem(image, *ret_bytes, mark, sizeof mark - 1);

    assert_non_null(at);
    assert_true(length <= SAYS_MAX);
    at += sizeof mark - 1;
    memcpy(at, &length, sizeof length);
    at[4] = (char) code;
    memcpy(at + 5, text, length);
    return image;
}

static void measure_what_is_said(struct run *run, const char *text, enum boot_leave code)
{
    *run = (struct run){0};
    run->image = saying(text, code, &run->image_bytes);
    measure(run);
}

/* A judge says @text; what would come after it fails. */
static void measure_judged(struct run *run, const char *text, enum boot_leave code)
{
    *run = (struct run){0};
    run->image = saying("came to it\n", BOOT_LEAVE_FAILED, &run->image_bytes);
    run->judge = saying(text, code, &run->judge_bytes);
    measure(run);
    assert_int_equal(run->r, ALTPICK_EUNTRUSTED);
}

/* This machine as a boot program would see it. */
static void identify(struct altpick_machine *ret)
{
    memset(ret, 0, sizeof *ret);
    altpick_machine_identify(ret);
    ret->ring = 0;
    ret->trust = ALTPICK_TRUST_GUEST;
    ret->cpu.microcode = 0;
}

/* What it would send; @crc_changes: damaged on its way. */
static void send(const struct altpick_machine *machine, uint32_t crc_changes,
                 struct altpick_text *ret_text)
{
    const struct altpick_profile profile = {(struct altpick_machine *) (uintptr_t) machine, 1};
    struct altpick_text text;
    struct altpick_out text_out, out;

    altpick_text_init(&text, &text_out);
    assert_int_equal(altpick_profile_write(&profile, &text_out), 0);
    altpick_text_init(ret_text, &out);
    altpick_printf(&out, "altpick: hello\n" ALTPICK_FRONT_BEGIN "\n%s" ALTPICK_FRONT_END,
                   text.data);
    altpick_printf(&out, " %zu bytes, crc32 %08x\naltpick: done\n", text.bytes,
                   altpick_crc32(0, text.data, text.bytes) ^ crc_changes);
    assert_int_equal(out.err, 0);
    altpick_text_fini(&text);
}

static void measure_profile(struct run *run, const struct altpick_machine *machine,
                            uint32_t crc_changes, enum boot_leave code)
{
    struct altpick_text text;

    send(machine, crc_changes, &text);
    measure_what_is_said(run, text.data, code);
    altpick_text_fini(&text);
}

static void must_say(const char *text, const char *words)
{
    if (!strstr(text, words))
        fail_msg("'%s' instead of '%s'", text, words);
}

static void a_profile_of_ring_0_is_taken(void **state)
{
    struct altpick_machine machine, here = {0};
    struct run run;
    (void) state;

    identify(&machine);
    altpick_machine_identify(&here);
    measure_profile(&run, &machine, 0, BOOT_LEAVE_DONE);
    if (run.r != 0)
        fail_msg("%s", run.diag.text);
    assert_int_equal(run.profile.n_machines, 1);
    assert_int_equal(run.profile.machines[0].ring, 0);
    assert_string_equal(run.profile.machines[0].name, machine.name);
    assert_int_equal(run.profile.machines[0].cpu.microcode, here.cpu.microcode);
    altpick_profile_fini(&run.profile);
}

static void an_interpreter_is_not_trusted(void **state)
{
    struct altpick_machine machine;
    struct run run;
    (void) state;

    identify(&machine);
    machine.trust = ALTPICK_TRUST_INTERPRETED;
    measure_profile(&run, &machine, 0, BOOT_LEAVE_UNTRUSTED);
    assert_int_equal(run.r, ALTPICK_EUNTRUSTED);
    must_say(run.why, "in a virtual machine of this host's KVM it is interpreted");
    must_say(run.diag.text, "ring 0 is interpreted, so that no timing there is this CPU's");
    assert_null(run.profile.machines);
    measure_profile(&run, &machine, 0, BOOT_LEAVE_DONE); /* whatever it ends with */
    assert_int_equal(run.r, ALTPICK_EUNTRUSTED);
}

static void a_judge_comes_first(void **state)
{
    struct run run;
    (void) state;

    measure_judged(&run, "hello\r\ntrust: guest\r\nreason: none\r\n", BOOT_LEAVE_DONE);
    must_say(run.diag.text, "came to it");
    measure_judged(&run, "trust: native\n", BOOT_LEAVE_DONE);
    must_say(run.diag.text, "came to it");
    measure_judged(&run, "trust: interpreted\r\nreason: slow\r\nreason: x\r\n",
                   BOOT_LEAVE_UNTRUSTED);
    assert_string_equal(run.diag.text, "in a virtual machine of this host's KVM, ring 0 is "
                                       "interpreted (slow), so that no timing there is this CPU's");
    must_say(run.why, "it is interpreted");
    measure_judged(&run, "trust: unstable", BOOT_LEAVE_UNTRUSTED);
    must_say(run.diag.text, "ring 0 is unstable, so that");
}

static void a_judge_that_says_nothing_is_not_believed(void **state)
{
    static const char *const texts[] = {"", "trust: \n", "trust: guests\n", "say trust: guest\n"};
    struct run run;
    (void) state;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        measure_judged(&run, texts[i], BOOT_LEAVE_DONE);
        must_say(run.diag.text, "the boot program failed in its virtual machine (0x10)");
    }
    measure_judged(&run, "trust: guest\n", BOOT_LEAVE_FAILED);
    must_say(run.diag.text, "(0x11): 'trust: guest'");
}

static void what_is_no_whole_profile_of_ring_0_is_refused(void **state)
{
    struct altpick_machine machine;
    struct run run;
    (void) state;

    identify(&machine);
    measure_profile(&run, &machine, 1, BOOT_LEAVE_DONE);
    assert_int_equal(run.r, ALTPICK_EUNTRUSTED);
    must_say(run.diag.text, "the boot program's output:");
    machine.ring = 3;
    measure_profile(&run, &machine, 0, BOOT_LEAVE_DONE);
    assert_int_equal(run.r, ALTPICK_EUNTRUSTED);
    must_say(run.diag.text, "is no profile of ring 0");
    measure_what_is_said(&run, "", BOOT_LEAVE_DONE);
    assert_int_equal(run.r, ALTPICK_EUNTRUSTED);
}

static void a_failure_is_told_in_its_own_words(void **state)
{
    struct run run;
    (void) state;

    measure_what_is_said(&run, "first\r\nno memory for that\r\n", BOOT_LEAVE_FAILED);
    assert_int_equal(run.r, ALTPICK_EUNTRUSTED);
    must_say(run.diag.text, "the boot program failed in its virtual machine (0x11): 'no memory for "
                            "that'");
    must_say(run.why, "the boot program failed in a virtual machine of KVM");
    measure_what_is_said(&run, "", BOOT_LEAVE_UNFIT);
    must_say(run.diag.text, "(0x12): ''");
}

static void options_are_passed_on_by_name(void **state)
{
    struct run run;
    (void) state;

    measure_with(&run, "echo");
    assert_int_equal(run.r, ALTPICK_EUNTRUSTED);
    must_say(run.diag.text, "'budget=200000 seed=7 only=nop.text-poke'");
}

static void a_guest_that_cannot_go_on_is_not_trusted(void **state)
{
    struct run run;
    (void) state;

    measure_with(&run, "triple");
    assert_int_equal(run.r, ALTPICK_EUNTRUSTED);
    must_say(run.diag.text, "triple fault");
    must_say(run.why, "could not go on");
}

static void without_a_machine_nothing_is_measured(void **state)
{
    struct altpick_vm_program program = {.device = "/nonexistent/kvm"};
    struct run run = {0};
    (void) state;

    run.r = altpick_vm_probe_measure(&program, &options, &run.profile, run.why, &run.diag);
    assert_int_equal(run.r, ALTPICK_EUNSUPPORTED);
    must_say(run.diag.text, "without the boot program");
    run.image = read_guest("halt", &run.image_bytes);
    program.image = (uint8_t *) run.image;
    program.image_end = program.image + run.image_bytes;
    run.r = altpick_vm_probe_measure(&program, &options, &run.profile, run.why, &run.diag);
    assert_int_equal(run.r, ALTPICK_EUNSUPPORTED);
    must_say(run.diag.text, "no virtual machine: /nonexistent/kvm: ");
    free(run.image);
}

static void without_that_cpu_nothing_is_measured(void **state)
{
    struct altpick_probe_options elsewhere = options;
    struct altpick_vm_program program = {.device = "/dev/kvm"};
    struct run run = {0};
    (void) state;

    elsewhere.cpu = 65535;
    run.image = read_guest("done", &run.image_bytes);
    program.image = (uint8_t *) run.image;
    program.image_end = program.image + run.image_bytes;
    run.r = altpick_vm_probe_measure(&program, &elsewhere, &run.profile, run.why, &run.diag);
    assert_int_equal(run.r, ALTPICK_EIO);
    must_say(run.diag.text, "cannot measure on CPU 65535");
    free(run.image);
}

/* The profile of a probe without the option, but for a warning. */
static void ring_3_stands_in(void **state)
{
    struct altpick_options command = {.probe = options, .ring0_kvm = true};
    struct altpick_vm_program program = {.device = "/dev/kvm"};
    struct altpick_profile profile = {0};
    struct altpick_command_io io;
    size_t bytes;
    char *image = read_guest("halt", &bytes);
    uint64_t start_ns = altpick_machine_now_ns();
    (void) state;

    program.image = (uint8_t *) image;
    program.image_end = program.image + bytes;
    altpick_command_io_init(&io);
    assert_int_equal(altpick_vm_probe_run(&program, &io, &command, &profile), ALTPICK_EUNTRUSTED);
    assert_true(altpick_machine_now_ns() - start_ns < UINT64_C(5000000000));
    must_say(io.diag.text, "halted at 0x10");
    must_say(io.diag.text, "ring 3");
    assert_int_equal(profile.machines[0].ring, 3);
    assert_true(profile.machines[0].n_warnings > 0);
    must_say(profile.machines[0].warnings[0], "ring 0 was not measured: ");
    assert_non_null(altpick_machine_result(&profile.machines[0], "nop.text-poke"));
    altpick_profile_fini(&profile);
    altpick_command_io_fini(&io);
    free(image);
}

KVM_TEST_MAIN(cmocka_unit_test(a_profile_of_ring_0_is_taken),
              cmocka_unit_test(an_interpreter_is_not_trusted),
              cmocka_unit_test(a_judge_comes_first),
              cmocka_unit_test(a_judge_that_says_nothing_is_not_believed),
              cmocka_unit_test(what_is_no_whole_profile_of_ring_0_is_refused),
              cmocka_unit_test(a_failure_is_told_in_its_own_words),
              cmocka_unit_test(options_are_passed_on_by_name),
              cmocka_unit_test(a_guest_that_cannot_go_on_is_not_trusted),
              cmocka_unit_test(without_a_machine_nothing_is_measured),
              cmocka_unit_test(without_that_cpu_nothing_is_measured),
              cmocka_unit_test(ring_3_stands_in))
