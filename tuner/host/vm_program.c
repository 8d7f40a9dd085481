/* SPDX-License-Identifier: MIT */
/* The boot programs that are part of altpick, as embed_program.sh puts them there. */
#include "vm_probe.h"

extern const uint8_t altpick_vm_image[], altpick_vm_image_end[];
extern const uint8_t altpick_vm_judge_image[], altpick_vm_judge_image_end[];

const struct altpick_vm_program altpick_vm_program_built_in = {
    .device = "/dev/kvm",
    .image = altpick_vm_image,
    .image_end = altpick_vm_image_end,
    .judge = altpick_vm_judge_image,
    .judge_end = altpick_vm_judge_image_end,
};
