/* SPDX-License-Identifier: MIT */
/* Services of UEFI firmware that are called while a state is held. */
#ifndef ALTPICK_LEAK_EFI_SERVICES_H
#define ALTPICK_LEAK_EFI_SERVICES_H

#include "bare.h"
#include "uefi.h"

/* What they work with: the context of their calls. */
struct efi_leak_services {
    struct efi_system_table *system;
    void *event;   /* a timer to wait for; NULL: none could be made */
    void *ticker;  /* a timer that ticks; NULL: it does not */
    uint8_t *room; /* 2 * EFI_LEAK_ROOM bytes to be written */
};

enum { EFI_LEAK_ROOM = 4096, EFI_LEAK_SERVICES = 7 };

extern const struct altpick_bare_service efi_leak_services[EFI_LEAK_SERVICES];

/* For struct altpick_bare, whose context is a struct efi_leak_services. */
bool efi_leak_start_ticks(void *services);
void efi_leak_stop_ticks(void *services);

#endif
