/* SPDX-License-Identifier: MIT */
/* No decoder: Debian has no static Zydis, and in an emulator nothing is decoded or run. */
#include "decode_check.h"

size_t altpick_decode_count(unsigned bits, const uint8_t *code, size_t bytes)
{
    (void) bits;
    (void) code;
    (void) bytes;
    return 0;
}
