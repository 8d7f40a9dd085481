/* SPDX-License-Identifier: MIT */
/* Memory from firmware, to be written and to be executed. */
#ifndef ALTPICK_BOOT_EFI_PAGES_H
#define ALTPICK_BOOT_EFI_PAGES_H

#include "uefi.h"

#include <stdbool.h>

struct efi_pages {
    void *memory; /* NULL: none */
    uint64_t pages;
};

/* @bytes of @type (EFI_LOADER_CODE, EFI_LOADER_DATA), rounded up to pages. */
efi_status efi_pages_allocate(struct efi_boot_services *boot, int type, uint64_t bytes,
                              struct efi_pages *ret_pages);

/* Accepts zeroed memory. */
void efi_pages_free(struct efi_boot_services *boot, struct efi_pages *pages);

/*
 * Make @pages writable and executable where firmware says that they are not.  Returns false where
 * it refuses.  Firmware without the memory attribute protocol says nothing; there code memory is
 * executable.
 */
bool efi_pages_execute(struct efi_boot_services *boot, const struct efi_pages *pages);

#endif
