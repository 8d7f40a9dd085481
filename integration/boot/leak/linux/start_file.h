/* SPDX-License-Identifier: MIT */
/* An executable file in memory that holds the program of start_stub.S. */
#ifndef ALTPICK_LEAK_LINUX_START_FILE_H
#define ALTPICK_LEAK_LINUX_START_FILE_H

#include "leak.h"

/*
 * Make the file.  The program writes XINUSE (8 bytes), 56 bytes of no meaning and an area of the
 * state that it started with to descriptor @fd.  @planted: an image that it restores first, or
 * NULL.  Returns a descriptor, which is closed by execve(2), or a negative errno.
 */
int altpick_start_file(const struct altpick_xstate *xstate, int fd, const uint8_t *planted);

/* How many bytes the program writes. */
size_t altpick_start_bytes(const struct altpick_xstate *xstate);

#endif
