/* SPDX-License-Identifier: MIT */
/* The few string and memory functions that the freestanding part needs. */
#include "bytes.h"

size_t altpick_length(const char *text)
{
    size_t n = 0;

    while (text[n])
        n++;
    return n;
}

bool altpick_equal(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

bool altpick_equal_bytes(const uint8_t *a, const uint8_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (a[i] != b[i])
            return false;
    }
    return true;
}

/*
 * String instructions (DF is clear, System V ABI): loops of single bytes took half of the time of a
 * decision, and an embedder's memcpy() may be such a loop.  By the word, since a translator that
 * counts instructions counts each step of them.
 */
void altpick_copy_bytes(void *to, const void *from, size_t n)
{
    size_t words = n / 8;

    __asm__ volatile("rep movsq\n\t"
                     "mov %3, %%rcx\n\t"
                     "rep movsb"
                     : "+D"(to), "+S"(from), "+c"(words)
                     : "r"(n % 8)
                     : "memory");
}

void altpick_zero(void *memory, size_t bytes)
{
    size_t words = bytes / 8;

    __asm__ volatile("rep stosq\n\t"
                     "mov %2, %%rcx\n\t"
                     "rep stosb"
                     : "+D"(memory), "+c"(words)
                     : "r"(bytes % 8), "a"(0ul)
                     : "memory");
}

void altpick_append(char *text, size_t capacity, const char *more)
{
    size_t n = altpick_length(text);

    while (*more && n + 1 < capacity)
        text[n++] = *more++;
    text[n] = '\0';
}

void altpick_append_u64(char *text, size_t capacity, uint64_t value)
{
    char digits[21];
    size_t at = sizeof digits;

    digits[--at] = '\0';
    do {
        digits[--at] = (char) ('0' + value % 10);
        value /= 10;
    } while (value);
    altpick_append(text, capacity, digits + at);
}

void altpick_put(uint8_t *at, unsigned bytes, uint64_t value)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t) (value >> 8 * i);
}
