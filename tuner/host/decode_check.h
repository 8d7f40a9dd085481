/* SPDX-License-Identifier: MIT */
/* Whether bytes are the instructions that they are said to be, by a decoder that is not altpick's.
 */
#ifndef ALTPICK_HOST_DECODE_CHECK_H
#define ALTPICK_HOST_DECODE_CHECK_H

#include <stddef.h>
#include <stdint.h>

/*
 * How many instructions of code for @bits (64, 32 or 16) run from the first of @bytes to their end:
 * 1 for a jump to the end, whatever it jumps over.  0 where something does not decode or runs over
 * the end.
 */
size_t altpick_decode_count(unsigned bits, const uint8_t *code, size_t bytes);

#endif
