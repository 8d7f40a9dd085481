/* SPDX-License-Identifier: MIT */
/* Ends a boot program: out of QEMU, or halted. */
#include "leave.h"

#include "port.h"

_Noreturn void boot_leave(enum boot_leave how)
{
    boot_out8(0xf4, (uint8_t) how);
    for (;;)
        __asm__ volatile("cli\n\thlt" : : : "memory");
}
