/* SPDX-License-Identifier: MIT */
/* Ends candidates that do not end, by the local APIC's timer. */
#ifndef ALTPICK_BOOT_EFI_DEADLINE_H
#define ALTPICK_BOOT_EFI_DEADLINE_H

#include "altpick/boot.h"
#include "uefi.h"

/*
 * Take the timer, which firmware may use for its own clock (that stands still then; Stall() does
 * not need it), and an IDT with a gate more than firmware's.  Sets a deadline in @options, whose
 * tsc_hz is set: a second for a candidate.  Returns false, with nothing taken or set, where
 * there is no local APIC or it is not enabled: then candidates have no deadline.  One at a time.
 */
bool efi_deadline_start(struct efi_boot_services *boot, struct altpick_boot_options *options);

/* Give both back as they were.  Does nothing where nothing was taken. */
void efi_deadline_stop(void);

#endif
