/* SPDX-License-Identifier: MIT */
/* The system calls of a program without a library, and lines of output. */
#ifndef ALTPICK_TESTS_SITES_SYSTEM_H
#define ALTPICK_TESTS_SITES_SYSTEM_H

#include <stdint.h>

#ifdef __x86_64__
enum { SYS_WRITE = 1, SYS_MPROTECT = 10, SYS_EXIT = 231 };
#else
enum { SYS_WRITE = 4, SYS_MPROTECT = 125, SYS_EXIT = 252 };
#endif

static inline long system_call(long number, uintptr_t a, uintptr_t b, uintptr_t c)
{
    long r;

#ifdef __x86_64__
    __asm__ volatile("syscall"
                     : "=a"(r)
                     : "a"(number), "D"(a), "S"(b), "d"(c)
                     : "rcx", "r11", "memory");
#else
    __asm__ volatile("int $0x80" : "=a"(r) : "a"(number), "b"(a), "c"(b), "d"(c) : "memory");
#endif
    return r;
}

static inline void print(const char *text)
{
    uintptr_t n = 0;

    while (text[n])
        n++;
    system_call(SYS_WRITE, 1, (uintptr_t) text, n);
}

static inline void stop_unless(int condition, const char *why)
{
    if (condition)
        return;
    print("stopped: ");
    print(why);
    print("\n");
    system_call(SYS_EXIT, 1, 0, 0);
}

static inline void print_hex(uint32_t value, int digits)
{
    char text[9];

    for (int i = 0; i < digits; i++)
        text[i] = "0123456789abcdef"[value >> (4 * (digits - 1 - i)) & 15];
    text[digits] = '\0';
    print(text);
}

static inline void print_bytes(unsigned set, const char *name, const uint8_t *bytes, uint32_t n)
{
    print_hex(set, 2);
    print(" ");
    print(name);
    print(" ");
    for (uint32_t i = 0; i < n; i++)
        print_hex(bytes[i], 2);
    print("\n");
}

static inline void print_result(unsigned set, const char *name, uint32_t result)
{
    print_hex(set, 2);
    print(" ");
    print(name);
    print(" = ");
    print_hex(result, 8);
    print("\n");
}

static inline void make_writable(uint8_t *at, uint32_t bytes)
{
    uintptr_t first = (uintptr_t) at & ~(uintptr_t) 4095;
    uintptr_t end = ((uintptr_t) at + bytes + 4095) & ~(uintptr_t) 4095;

    stop_unless(system_call(SYS_MPROTECT, first, end - first, 7) == 0, "code cannot be written");
}

#endif
