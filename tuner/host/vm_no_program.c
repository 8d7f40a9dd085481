/* SPDX-License-Identifier: MIT */
/* An altpick without a boot program. */
#include "vm_probe.h"

const struct altpick_vm_program altpick_vm_program_built_in = {.device = "/dev/kvm"};
