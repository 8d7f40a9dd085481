/* SPDX-License-Identifier: MIT */
/* Measures in ring 0 of a virtual machine of this process, and in ring 3 where that fails. */
#include "vm_probe.h"

#include "diag.h"
#include "info.h"
#include "leave.h"
#include "machine.h"
#include "probing.h"
#include "profile_read.h"
#include "serial_log.h"
#include "vm_parts.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <sched.h>
#include <string.h>

enum {
    START_MS = 5000,     /* to begin, and to send the profile over a slow line */
    OVERTIME_FACTOR = 2, /* of the time limit: a busy host is slower than its clock */
};

int altpick_vm_probe_check(const struct altpick_options *options, struct altpick_diag *diag)
{
    const struct altpick_probe_options *probe = &options->probe;
    const char *option = probe->thorough           ? "--thorough"
                         : probe->samples_path     ? "--samples"
                         : probe->boot_table       ? "--boot-table"
                         : probe->selftest_shuffle ? "--selftest-shuffle"
                                                   : NULL;

    if (option)
        return altpick_fail(diag, ALTPICK_EUSAGE, "--ring0=kvm does not go with %s", option);
    return ALTPICK_OK;
}

/* Words for the boot program: what it measures, by name, so that only one side knows globs. */
static int write_words(const struct altpick_probe_options *options, uint64_t time_ms,
                       struct altpick_text *ret_words, struct altpick_diag *diag)
{
    const char *separator = " only=";
    struct altpick_text words;
    struct altpick_out out;

    altpick_text_init(&words, &out);
    altpick_printf(&out, "budget=%" PRIu64 " seed=%" PRIu32, time_ms * 1000, options->seed);
    for (size_t i = 0; i < altpick_question_count && options->only; i++) {
        if (fnmatch(options->only, altpick_questions[i]->name, 0) != 0)
            continue;
        altpick_printf(&out, "%s%s", separator, altpick_questions[i]->name);
        separator = ",";
    }
    if (out.err == 0 && words.bytes < BOOT_LINE_MAX) {
        *ret_words = words;
        return ALTPICK_OK;
    }
    altpick_text_fini(&words);
    return altpick_fail(diag, out.err < 0 ? out.err : ALTPICK_ENOSPACE,
                        "the boot program's command line: %s",
                        altpick_err_text(out.err < 0 ? out.err : ALTPICK_ENOSPACE));
}

/* The CPU is the same; a hypervisor keeps its microcode from guests. */
static void add_microcode(struct altpick_machine *machine)
{
    struct altpick_machine here = {0};

    altpick_machine_identify(&here);
    if (machine->cpu.microcode == 0 && machine->cpu.signature == here.cpu.signature)
        machine->cpu.microcode = here.cpu.microcode;
}

/* The profile in what the program has sent. */
static int read_profile(const struct altpick_text *serial, struct altpick_profile *ret_profile,
                        struct altpick_diag *diag)
{
    static const char name[] = "the boot program's output";
    struct altpick_serial_profile found = {0};
    int r = altpick_serial_log_extract(name, serial->data ? serial->data : "", serial->bytes,
                                       &found, diag);

    if (r == 0)
        r = altpick_profile_parse(name, found.text.data, found.text.bytes, ret_profile, diag);
    if (r == 0 && (ret_profile->n_machines != 1 || ret_profile->machines[0].ring != 0)) {
        altpick_profile_fini(ret_profile);
        r = altpick_fail(diag, ALTPICK_EFORMAT, "%s is no profile of ring 0", name);
    }
    altpick_serial_profile_fini(&found);
    return r;
}

static int judge_end(const struct altpick_kvm_end *end, struct altpick_profile *ret_profile,
                     char *ret_why, struct altpick_diag *diag)
{
    struct altpick_profile profile = {0};
    struct altpick_machine *machine;
    int r;

    if (end->code != BOOT_LEAVE_DONE && end->code != BOOT_LEAVE_UNTRUSTED)
        return altpick_vm_failed(end, ret_why, diag);
    r = read_profile(&end->serial, &profile, diag);
    if (r == ALTPICK_EFORMAT) {
        snprintf(ret_why, ALTPICK_REASON_MAX,
                 "ring 0 was not measured: the boot program sent no whole profile");
        return ALTPICK_EUNTRUSTED;
    }
    if (r < 0)
        return r;
    machine = &profile.machines[0];
    if (!altpick_trust_is_usable(machine->trust)) {
        r = altpick_vm_distrust(machine->trust, machine->n_warnings ? machine->warnings[0] : NULL,
                                ret_why, diag);
        altpick_profile_fini(&profile);
        return r;
    }
    add_microcode(machine);
    *ret_profile = profile;
    return ALTPICK_OK;
}

static int run_program(const struct altpick_vm_program *program, const char *words,
                       uint64_t time_ms, struct altpick_profile *ret_profile, char *ret_why,
                       struct altpick_diag *diag)
{
    const struct altpick_kvm_options kvm = {
        .device = program->device,
        .image = program->image,
        .image_bytes = (size_t) (program->image_end - program->image),
        .command_line = words,
        .time_ms = (uint32_t) (time_ms * OVERTIME_FACTOR + START_MS),
    };
    struct altpick_kvm_end end = {0};
    int r = altpick_vm_run(&kvm, &end, ret_why, diag);

    if (r == 0)
        r = judge_end(&end, ret_profile, ret_why, diag);
    altpick_text_fini(&end.serial);
    return r;
}

/* Pin this thread, and remember where it was. */
static int pin(int cpu, cpu_set_t *ret_before, struct altpick_diag *diag)
{
    int r;

    if (sched_getaffinity(0, sizeof *ret_before, ret_before) < 0)
        CPU_ZERO(ret_before);
    r = altpick_machine_pin(cpu);
    if (r < 0 && cpu >= 0)
        return altpick_fail(diag, ALTPICK_EIO, "cannot measure on CPU %d: %s", cpu, strerror(-r));
    return ALTPICK_OK;
}

int altpick_vm_probe_measure(const struct altpick_vm_program *program,
                             const struct altpick_probe_options *options,
                             struct altpick_profile *ret_profile, char *ret_why,
                             struct altpick_diag *diag)
{
    uint64_t time_ms = altpick_probe_time_limit_ms(options);
    struct altpick_text words = {0};
    cpu_set_t before;
    int r;

    if (program->image == program->image_end)
        return altpick_fail(diag, ALTPICK_EUNSUPPORTED,
                            "this altpick was built without the boot program that --ring0=kvm "
                            "needs: as a subproject it has none");
    r = write_words(options, time_ms, &words, diag);
    if (r < 0)
        return r;
    r = pin(options->cpu, &before, diag);
    if (r == 0) {
        if (program->judge != program->judge_end)
            r = altpick_vm_judge(program, ret_why, diag);
        if (r == 0)
            r = run_program(program, words.data, time_ms, ret_profile, ret_why, diag);
        if (CPU_COUNT(&before))
            sched_setaffinity(0, sizeof before, &before);
    }
    altpick_text_fini(&words);
    return r;
}

/* Where all have their place already it takes that of the last: what was asked for is not there. */
static void put_warning_first(struct altpick_machine *machine, const char *warning)
{
    size_t n =
        machine->n_warnings < ALTPICK_WARNINGS_MAX ? machine->n_warnings : ALTPICK_WARNINGS_MAX - 1;

    memmove(machine->warnings[1], machine->warnings[0], n * sizeof machine->warnings[0]);
    snprintf(machine->warnings[0], sizeof machine->warnings[0], "%s", warning);
    machine->n_warnings = n + 1;
}

static int measure_ring_3(struct altpick_command_io *io, const struct altpick_options *options,
                          const char *why, struct altpick_profile *ret_profile)
{
    char ring_0[sizeof io->diag.text];
    int r;

    memcpy(ring_0, io->diag.text, sizeof ring_0);
    r = altpick_probing_run(io, options, ret_profile);
    if (r < 0 && r != ALTPICK_EUNTRUSTED)
        return r;
    put_warning_first(&ret_profile->machines[0], why);
    return altpick_fail(&io->diag, ALTPICK_EUNTRUSTED, "%.700s; %s", ring_0,
                        r == 0 ? "this profile is of ring 3"
                               : "timing in ring 3 is not trustworthy either");
}

int altpick_vm_probe_run(const struct altpick_vm_program *program, struct altpick_command_io *io,
                         const struct altpick_options *options, struct altpick_profile *ret_profile)
{
    char why[ALTPICK_REASON_MAX];
    int r = altpick_vm_probe_measure(program, &options->probe, ret_profile, why, &io->diag);

    if (r == ALTPICK_EUNTRUSTED)
        return measure_ring_3(io, options, why, ret_profile);
    if (r == 0)
        altpick_command_warn_machine(io, &ret_profile->machines[0]);
    return r;
}
