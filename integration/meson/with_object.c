/* SPDX-License-Identifier: MIT */
/* Tables linked in from the emitted object. */
#include "altpick_elf.h"
#include "pad.h"

void pad_with_object(void *dst, size_t n)
{
    altpick_nop_fill(dst, n);
}
