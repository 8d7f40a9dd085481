/* SPDX-License-Identifier: MIT */
/* One instruction each, for what C has no words for. */
#ifndef ALTPICK_BOOT_PORT_H
#define ALTPICK_BOOT_PORT_H

#include <stdint.h>

static inline void boot_out8(uint16_t port, uint8_t value)
{
    __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port) : "memory");
}

static inline uint8_t boot_in8(uint16_t port)
{
    uint8_t value;

    __asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port) : "memory");
    return value;
}

static inline void boot_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t ret_regs[4])
{
    __asm__ volatile("cpuid"
                     : "=a"(ret_regs[0]), "=b"(ret_regs[1]), "=c"(ret_regs[2]), "=d"(ret_regs[3])
                     : "a"(leaf), "c"(subleaf)
                     : "memory");
}

static inline uint64_t boot_tsc(void)
{
    uint32_t low, high;

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t) high << 32 | low;
}

static inline uint64_t boot_msr_read(uint32_t msr)
{
    uint32_t low, high;

    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr) : "memory");
    return (uint64_t) high << 32 | low;
}

static inline void boot_msr_write(uint32_t msr, uint64_t value)
{
    __asm__ volatile("wrmsr"
                     :
                     : "c"(msr), "a"((uint32_t) value), "d"((uint32_t) (value >> 32))
                     : "memory");
}

static inline void boot_interrupts_on(void)
{
    __asm__ volatile("sti" : : : "memory");
}

static inline void boot_interrupts_off(void)
{
    __asm__ volatile("cli" : : : "memory");
}

#endif
