/* SPDX-License-Identifier: MIT */
/* altpick probe --ring0=kvm: measure in ring 0 of a virtual machine, or say why not. */
#ifndef ALTPICK_HOST_VM_PROBE_H
#define ALTPICK_HOST_VM_PROBE_H

#include "command.h"
#include "probe.h"

#include "altpick/profile.h"

#include <stdint.h>

/* Boot programs, and where there are virtual machines for them; an end that is the start: none. */
struct altpick_vm_program {
    const char *device;
    const uint8_t *image, *image_end; /* measures */
    const uint8_t *judge, *judge_end; /* runs before it, and says whether that makes sense */
};

/* Those that are built into altpick, and /dev/kvm. */
extern const struct altpick_vm_program altpick_vm_program_built_in;

/* ALTPICK_EUSAGE with options of which a boot program knows nothing. */
int altpick_vm_probe_check(const struct altpick_options *options, struct altpick_diag *diag);

/*
 * Measure with @program what @options ask for, within its time limit, on its CPU.  The process is
 * pinned only meanwhile.  Returns 0 with the program's profile, freed by altpick_profile_fini(),
 * or a message in words and
 *   ALTPICK_EUNTRUSTED  a virtual machine ran, but gave no figures that may be used: ring 0 is
 *                       interpreted there, or the program did not come to its end.  *ret_why, of
 *                       ALTPICK_REASON_MAX bytes, says it in short
 *   another error       there is no virtual machine: see altpick_kvm_run(); or no built-in program
 */
int altpick_vm_probe_measure(const struct altpick_vm_program *program,
                             const struct altpick_probe_options *options,
                             struct altpick_profile *ret_profile, char *ret_why,
                             struct altpick_diag *diag);

/*
 * The same for a command; where that is ALTPICK_EUNTRUSTED, measure in ring 3, in as much time,
 * with a warning in *ret_profile, which is set with ALTPICK_EUNTRUSTED too.
 */
int altpick_vm_probe_run(const struct altpick_vm_program *program, struct altpick_command_io *io,
                         const struct altpick_options *options,
                         struct altpick_profile *ret_profile);

#endif
