/* SPDX-License-Identifier: MIT */
/* The four functions that compilers call by themselves, in freestanding code too. */
#include <stddef.h>
#include <stdint.h>

void *memcpy(void *restrict to, const void *restrict from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *to, int value, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);

void *memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
    void *at = to;

    __asm__ volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(bytes) : : "memory");
    return to;
}

void *memmove(void *to, const void *from, size_t bytes)
{
    volatile uint8_t *t = to; /* volatile: else a compiler makes a call of memmove of the loop */
    const uint8_t *f = from;

    if ((uintptr_t) to - (uintptr_t) from >= bytes)
        return memcpy(to, from, bytes);
    while (bytes-- > 0)
        t[bytes] = f[bytes];
    return to;
}

void *memset(void *to, int value, size_t bytes)
{
    void *at = to;

    __asm__ volatile("rep stosb" : "+D"(at), "+c"(bytes) : "a"(value) : "memory");
    return to;
}

int memcmp(const void *a, const void *b, size_t bytes)
{
    const volatile uint8_t *x = a, *y = b;

    for (size_t i = 0; i < bytes; i++) {
        uint8_t left = x[i], right = y[i];

        if (left != right)
            return left < right ? -1 : 1;
    }
    return 0;
}
