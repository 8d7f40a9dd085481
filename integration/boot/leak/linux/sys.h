/* SPDX-License-Identifier: MIT */
/* System calls without a library, for code that runs while a state is held. */
#ifndef ALTPICK_LEAK_LINUX_SYS_H
#define ALTPICK_LEAK_LINUX_SYS_H

/* Returns what the kernel returns: a negative errno on failure. */
static inline long altpick_sys(long number, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

#endif
