/* SPDX-License-Identifier: MIT */
/* altpick doctor: is this machine fit to measure on, and why not. */
#include "command.h"
#include "diag.h"
#include "doctor.h"

#include <string.h>

/*
 * Nothing emitted is executed here, whatever the environment; but where timings say nothing, those
 * that take long are left out.
 */
static int gather(const struct altpick_options *options, struct altpick_doctor_facts *facts,
                  struct altpick_diag *diag)
{
    static const struct altpick_doctor_roots roots = {"/sys", "/proc", "/sys/fs/cgroup"};
    struct altpick_trust_figures figures;
    int r = altpick_doctor_ask_kernel(options->probe.cpu, &facts->kernel);

    if (r < 0 && options->probe.cpu >= 0)
        return altpick_fail(diag, ALTPICK_EIO, "cannot measure on CPU %d: %s", options->probe.cpu,
                            strerror(-r));
    altpick_cpu_read(&altpick_cpuid_native, &facts->cpu);
    altpick_doctor_read(&roots, facts->kernel.cpu, &facts->system);
    altpick_trust_measure(&facts->cpu, NULL, &figures);
    altpick_trust_judge(&figures, &facts->cpu, &facts->verdict);
    facts->quantum_ticks = figures.quantum_ticks;
    facts->backwards = figures.backwards;
    if (!altpick_trust_is_usable(facts->verdict.trust))
        return ALTPICK_OK;
    r = altpick_doctor_time(&facts->timing);
    return r < 0 ? altpick_fail(diag, r, "%s", altpick_err_text(r)) : ALTPICK_OK;
}

static int doctor(struct altpick_command_io *io, const struct altpick_options *options)
{
    struct altpick_doctor_finding findings[ALTPICK_DOCTOR_FINDINGS_MAX];
    struct altpick_doctor_facts facts = {0};
    size_t n;
    int r = gather(options, &facts, &io->diag);

    if (r < 0)
        return r;
    n = altpick_doctor_judge(&facts, findings);
    if (options->json)
        altpick_doctor_json(findings, n, &io->out);
    else
        altpick_doctor_text(&facts, findings, n, &io->out);
    if (altpick_trust_is_usable(facts.verdict.trust))
        return ALTPICK_OK;
    return altpick_fail(&io->diag, ALTPICK_EUNTRUSTED, "timing here is not trustworthy (%s)",
                        altpick_trust_name(facts.verdict.trust));
}

const struct altpick_command altpick_command_doctor = {
    .name = "doctor",
    .operands = "",
    .title = "is this machine fit to measure on, and why not",
    .groups = ALTPICK_OPTIONS_CPU | ALTPICK_OPTIONS_JSON,
    .run = doctor,
};
