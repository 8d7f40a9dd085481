/* SPDX-License-Identifier: MIT */
/* Options as words, from where firmware, a shell or a person put them. */
#ifndef ALTPICK_BOOT_EFI_WORDS_H
#define ALTPICK_BOOT_EFI_WORDS_H

#include "uefi.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Each function stores a NUL-terminated string of words with one blank between them, and returns
 * true; or false with *ret_words "" where the text has a character that is no printable ASCII or
 * blank (tab, CR and LF, too), or where there are @capacity bytes of it or more.
 */

/* The words that a shell gave, less the first. */
bool efi_words_of_shell(const struct efi_shell_parameters *parameters, char *ret_words,
                        size_t capacity);

/*
 * Load options: UTF-16, with or without a NUL at the end.  A shell's first word is the program; it
 * is left out where it ends in ".efi" or has a '\\' in it.
 */
bool efi_words_of_options(const void *options, uint32_t bytes, char *ret_words, size_t capacity);

/* A file's @text: ASCII; a '#' begins a comment that ends with the line. */
bool efi_words_of_file(const char *text, size_t bytes, char *ret_words, size_t capacity);

/*
 * The path of the directory of a file that @path leads to, with a '\\' at its beginning and its
 * end.  Returns false where @path is none of a file, or is longer than @capacity characters.
 */
bool efi_words_directory(const struct efi_path_node *path, uint16_t *ret_directory,
                         size_t capacity);

#endif
