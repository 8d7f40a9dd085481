/* SPDX-License-Identifier: MIT */
/* CRC-32, a bit at a time: a profile is a few hundred kilobytes, and a table would be one more. */
#include "crc32.h"

#define POLYNOMIAL 0xedb88320u /* ISO 3309, bits reversed */

uint32_t altpick_crc32(uint32_t crc, const void *data, size_t bytes)
{
    const uint8_t *p = data;

    crc = ~crc;
    for (size_t i = 0; i < bytes; i++) {
        crc ^= p[i];
        for (unsigned bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
    }
    return ~crc;
}
