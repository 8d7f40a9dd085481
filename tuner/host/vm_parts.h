/* SPDX-License-Identifier: MIT */
/* What the two boot programs of a probe in a virtual machine share. */
#ifndef ALTPICK_HOST_VM_PARTS_H
#define ALTPICK_HOST_VM_PARTS_H

#include "kvm.h"
#include "vm_probe.h"

/*
 * altpick_kvm_run(), where what a guest does makes its ring 0 untrusted: a program that cannot go
 * on or does not end gives ALTPICK_EUNTRUSTED, with *ret_why of ALTPICK_REASON_MAX bytes.
 */
int altpick_vm_run(const struct altpick_kvm_options *kvm, struct altpick_kvm_end *ret_end,
                   char *ret_why, struct altpick_diag *diag);

/* ALTPICK_EUNTRUSTED and words: ring 0 is @trust for @reason (NULL: not known). */
int altpick_vm_distrust(enum altpick_trust trust, const char *reason, char *ret_why,
                        struct altpick_diag *diag);

/* ALTPICK_EUNTRUSTED and words: a program gave up, by its code and its last line. */
int altpick_vm_failed(const struct altpick_kvm_end *end, char *ret_why, struct altpick_diag *diag);

/*
 * Whether timing in ring 0 means anything, by program->judge.  Returns 0; ALTPICK_EUNTRUSTED and
 * why not; or what altpick_kvm_run() returns where there is no virtual machine.
 */
int altpick_vm_judge(const struct altpick_vm_program *program, char *ret_why,
                     struct altpick_diag *diag);

#endif
