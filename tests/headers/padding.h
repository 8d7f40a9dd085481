/* SPDX-License-Identifier: MIT */
/* What a gap is filled with, by a decoder that is not altpick's. */
#ifndef ALTPICK_TEST_PADDING_H
#define ALTPICK_TEST_PADDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { INSTRUCTIONS_MAX = 4096 };

struct filling {
    size_t count;
    size_t bytes[INSTRUCTIONS_MAX];
    bool jumps; /* a single jump to the end of the gap */
};

/* Whether @code, of @bits (64 or 32), is NOPs to its end, or one jump to there. */
bool padding_decode(unsigned bits, const uint8_t *code, size_t n, struct filling *ret);

/* The same for gaps of any size, where a jump over a part may be followed by more. */
bool padding_reaches_end(unsigned bits, const uint8_t *code, size_t n);

#endif
