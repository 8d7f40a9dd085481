/* SPDX-License-Identifier: MIT */
/* Turns a probe at boot into a profile of one machine. */
#include "altpick/boot.h"

int altpick_boot_write(const struct altpick_boot *boot, struct altpick_out *out)
{
    const struct altpick_profile profile = {.machines = boot->machine, .n_machines = 1};

    return altpick_profile_write(&profile, out);
}
