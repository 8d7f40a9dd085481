/* SPDX-License-Identifier: MIT */
/* How fast the time-stamp counter runs, by firmware's own clock. */
#ifndef ALTPICK_BOOT_EFI_RATE_H
#define ALTPICK_BOOT_EFI_RATE_H

#include "uefi.h"

/*
 * Ticks of the time-stamp counter a second, by Stall(): takes 50 ms.  0 where what it tells cannot
 * be the rate of a CPU (100 MHz to 20 GHz).
 */
uint64_t efi_rate_of_tsc(struct efi_boot_services *boot);

#endif
