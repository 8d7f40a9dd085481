/* SPDX-License-Identifier: MIT */
/* Numbers of a file, little-endian and anywhere, into numbers of this program and back. */
#ifndef ALTPICK_ELF_BYTES_H
#define ALTPICK_ELF_BYTES_H

#include <stddef.h>
#include <stdint.h>

static inline uint16_t altpick_u16(const uint8_t *at)
{
    return (uint16_t) (at[0] | at[1] << 8);
}

static inline uint32_t altpick_u32(const uint8_t *at)
{
    return (uint32_t) altpick_u16(at) | (uint32_t) altpick_u16(at + 2) << 16;
}

static inline int64_t altpick_s32(const uint8_t *at)
{
    return (int32_t) altpick_u32(at);
}

/* Of @bytes, up to 8. */
static inline uint64_t altpick_number(const uint8_t *at, size_t bytes)
{
    uint64_t number = 0;

    for (size_t i = 0; i < bytes; i++)
        number |= (uint64_t) at[i] << (8 * i);
    return number;
}

/* The low @bytes of @number. */
static inline void altpick_put_number(uint8_t *at, size_t bytes, uint64_t number)
{
    for (size_t i = 0; i < bytes; i++)
        at[i] = (uint8_t) (number >> (8 * i));
}

#endif
