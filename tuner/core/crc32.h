/* SPDX-License-Identifier: MIT */
/* The checksum of a profile on its way over a serial line. */
#ifndef ALTPICK_CORE_CRC32_H
#define ALTPICK_CORE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/*
 * The CRC-32 of ISO 3309 of @bytes bytes at @data that follow those of which @crc is the CRC; 0
 * before the first.  The same values as zlib's crc32().
 */
uint32_t altpick_crc32(uint32_t crc, const void *data, size_t bytes);

#endif
