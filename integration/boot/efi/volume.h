/* SPDX-License-Identifier: MIT */
/* Files of the volume that the program came from. */
#ifndef ALTPICK_BOOT_EFI_VOLUME_H
#define ALTPICK_BOOT_EFI_VOLUME_H

#include "uefi.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EFI_VOLUME_NAME_MAX = 64 }; /* characters of a name that is written, with the NUL */

/*
 * The root directory of the volume that @device has; the caller closes it.  Returns the firmware's
 * status, EFI_UNSUPPORTED where the device is no volume, as after a start from the network.
 */
efi_status efi_volume_open(struct efi_boot_services *boot, void *device,
                           struct efi_file **ret_root);

/*
 * Read the file @path (from the root, with '\\' between names) to @buffer.  Returns
 * EFI_NOT_FOUND where there is none, EFI_BUFFER_TOO_SMALL where it has more than @capacity bytes,
 * or the firmware's status.
 */
efi_status efi_volume_read(struct efi_file *root, const uint16_t *path, void *buffer,
                           size_t capacity, size_t *ret_bytes);

/*
 * Make @text the file @name in the root directory, in the place of an older one.  It is first
 * written whole as @temporary, then the older one is removed and the new one renamed: FAT knows no
 * replacing in one step, but there is a whole file at any time.  Both names: EFI_VOLUME_NAME_MAX.
 * Returns the firmware's status: the older file is still there, and nothing of the new one, unless
 * *ret_in_temporary is set: then @temporary is the new one.
 */
efi_status efi_volume_replace(struct efi_file *root, const uint16_t *name,
                              const uint16_t *temporary, const char *text, size_t bytes,
                              bool *ret_in_temporary);

#endif
