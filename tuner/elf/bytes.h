/* SPDX-License-Identifier: MIT */
/* Numbers of a file, little-endian and anywhere, into numbers of this program. */
#ifndef ALTPICK_ELF_BYTES_H
#define ALTPICK_ELF_BYTES_H

#include <stdint.h>

static inline uint16_t altpick_u16(const uint8_t *at)
{
    return (uint16_t) (at[0] | at[1] << 8);
}

static inline uint32_t altpick_u32(const uint8_t *at)
{
    return (uint32_t) altpick_u16(at) | (uint32_t) altpick_u16(at + 2) << 16;
}

#endif
