/* SPDX-License-Identifier: MIT */
/* The few string and memory functions that the freestanding part needs. */
#ifndef ALTPICK_CORE_BYTES_H
#define ALTPICK_CORE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

size_t altpick_length(const char *text);
bool altpick_equal(const char *a, const char *b);
bool altpick_equal_bytes(const uint8_t *a, const uint8_t *b, size_t n);
void altpick_copy_bytes(void *to, const void *from, size_t n);
void altpick_zero(void *memory, size_t bytes);

/* Store the low @bytes of @value, at most 8, little-endian and at any alignment. */
void altpick_put(uint8_t *at, unsigned bytes, uint64_t value);

/*
 * Append @more, or @value in decimal, to the NUL-terminated @text of @capacity bytes; what does not
 * fit is cut.
 */
void altpick_append(char *text, size_t capacity, const char *more);
void altpick_append_u64(char *text, size_t capacity, uint64_t value);

#endif
