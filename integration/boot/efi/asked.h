/* SPDX-License-Identifier: MIT */
/* Finds the options: what a person typed, stored in firmware, or put in a file beside the image. */
#ifndef ALTPICK_BOOT_EFI_ASKED_H
#define ALTPICK_BOOT_EFI_ASKED_H

#include "altpick/out.h"
#include "uefi.h"

#include <stdbool.h>
#include <stddef.h>

/* The file beside the image, and how much of it there may be. */
#define EFI_ASKED_FILE "altpick.cfg"
enum { EFI_ASKED_FILE_MAX = 4096 };

/* Where to look. */
struct efi_asked {
    struct efi_boot_services *boot;
    void *image;
    const struct efi_loaded_image *loaded;
    struct efi_file *root;     /* of the volume that the image came from; NULL: none */
    const uint16_t *directory; /* of the image on it, ends with '\\' */
    struct altpick_out *say;
};

/*
 * The first of these that has a word: the shell's command line, the load options, altpick.cfg.
 * Firmware may put binary data in load options: they are passed over, with words.  Stores the
 * options, "" where there are none, and returns true; or tells what is wrong with them and returns
 * false.
 */
bool efi_asked_find(const struct efi_asked *asked, char *ret_words, size_t capacity);

#endif
