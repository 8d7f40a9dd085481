/* SPDX-License-Identifier: MIT */
/* Instructions that read and write what only ring 0 may, one function each, and ring0_run.S. */
#ifndef ALTPICK_CORE_RING0_CPU_H
#define ALTPICK_CORE_RING0_CPU_H

#include "ring0.h"

#define ALTPICK_FLAG_IF        0x200u
#define ALTPICK_FLAG_NT        0x4000u
#define ALTPICK_CR0_MP         0x2u
#define ALTPICK_CR0_EM         0x4u
#define ALTPICK_CR0_NE         0x20u
#define ALTPICK_CR4_OSFXSR     0x200u
#define ALTPICK_CR4_OSXMMEXCPT 0x400u
#define ALTPICK_CR4_OSXSAVE    0x40000u
#define ALTPICK_CR4_CET        0x800000u
#define ALTPICK_CR4_FRED       UINT64_C(0x100000000)

static inline uint16_t altpick_cpu_cs(void)
{
    uint16_t cs;

    __asm__ volatile("movw %%cs, %0" : "=r"(cs));
    return cs;
}

static inline uint16_t altpick_cpu_ss(void)
{
    uint16_t ss;

    __asm__ volatile("movw %%ss, %0" : "=r"(ss));
    return ss;
}

static inline void altpick_cpu_set_ss(uint16_t ss)
{
    __asm__ volatile("movw %0, %%ss" : : "r"(ss) : "memory");
}

static inline void altpick_cpu_set_flags(uint64_t flags)
{
    __asm__ volatile("pushq %0; popfq" : : "r"(flags) : "memory", "cc");
}

static inline uint64_t altpick_cpu_flags(void)
{
    uint64_t flags;

    __asm__ volatile("pushfq; popq %0" : "=r"(flags) : : "memory");
    return flags;
}

static inline void altpick_cpu_cli(void)
{
    __asm__ volatile("cli" : : : "memory");
}

static inline void altpick_cpu_sti(void)
{
    __asm__ volatile("sti" : : : "memory");
}

static inline uint64_t altpick_cpu_cr0(void)
{
    uint64_t value;

    __asm__ volatile("movq %%cr0, %0" : "=r"(value) : : "memory");
    return value;
}

static inline void altpick_cpu_set_cr0(uint64_t value)
{
    __asm__ volatile("movq %0, %%cr0" : : "r"(value) : "memory");
}

static inline void altpick_cpu_clts(void)
{
    __asm__ volatile("clts" : : : "memory");
}

static inline uint64_t altpick_cpu_cr2(void)
{
    uint64_t value;

    __asm__ volatile("movq %%cr2, %0" : "=r"(value) : : "memory");
    return value;
}

static inline void altpick_cpu_set_cr2(uint64_t value)
{
    __asm__ volatile("movq %0, %%cr2" : : "r"(value) : "memory");
}

static inline uint64_t altpick_cpu_cr4(void)
{
    uint64_t value;

    __asm__ volatile("movq %%cr4, %0" : "=r"(value) : : "memory");
    return value;
}

static inline void altpick_cpu_set_cr4(uint64_t value)
{
    __asm__ volatile("movq %0, %%cr4" : : "r"(value) : "memory");
}

static inline uint64_t altpick_cpu_xcr0(void)
{
    uint32_t low, high;

    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low | (uint64_t) high << 32;
}

static inline void altpick_cpu_set_xcr0(uint64_t value)
{
    __asm__ volatile("xsetbv"
                     :
                     : "a"((uint32_t) value), "d"((uint32_t) (value >> 32)), "c"(0)
                     : "memory");
}

static inline uint64_t altpick_cpu_rdmsr(uint32_t msr)
{
    uint32_t low, high;

    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr));
    return low | (uint64_t) high << 32;
}

static inline void altpick_cpu_sidt(struct altpick_idtr *ret_idtr)
{
    __asm__ volatile("sidt %0" : "=m"(*ret_idtr));
}

static inline void altpick_cpu_lidt(const struct altpick_idtr *idtr)
{
    __asm__ volatile("lidt %0" : : "m"(*idtr) : "memory");
}

static inline void altpick_cpu_fnstenv(uint8_t environment[28])
{
    __asm__ volatile("fnstenv (%0)" : : "r"(environment) : "memory");
}

static inline void altpick_cpu_fldenv(const uint8_t environment[28])
{
    /* FLDENV raises what is pending, so that goes first. */
    __asm__ volatile("fnclex; fldenv (%0)" : : "r"(environment) : "memory");
}

/*
 * Clear CR4.CET; returns CR4 as it was, 0 in ring 3.  With a supervisor's shadow stack a return is
 * only good as deep as its call was made: off and on are parts of one function, whatever the
 * compiler does with others.
 */
static inline __attribute__((always_inline)) uint64_t altpick_cpu_stop_cet(void)
{
    uint64_t cr4 = 0;
    uint16_t cs;

    __asm__ volatile("movw %%cs, %0" : "=r"(cs));
    if (cs & 3)
        return 0;
    __asm__ volatile("movq %%cr4, %0" : "=r"(cr4) : : "memory");
    if (cr4 & ALTPICK_CR4_CET)
        __asm__ volatile("movq %0, %%cr4" : : "r"(cr4 & ~(uint64_t) ALTPICK_CR4_CET) : "memory");
    return cr4;
}

/* As altpick_cpu_stop_cet() found it. */
static inline __attribute__((always_inline)) void altpick_cpu_resume_cet(uint64_t cr4)
{
    if (cr4 & ALTPICK_CR4_CET)
        __asm__ volatile("movq %0, %%cr4" : : "r"(cr4) : "memory");
}

/* ring0.c: */

/* Make the IDT of @ring0 from the caller's; @timer_vector 0: no timer. */
void altpick_ring0_make_idt(struct altpick_ring0 *ring0, uint8_t timer_vector);

/* Make ring0->guard. */
void altpick_ring0_make_guard(struct altpick_ring0 *ring0);

/* PUSHF and CLI; POPF as far as interrupts go. */
uint64_t altpick_ring0_close_interrupts(void *ctx);
void altpick_ring0_open_interrupts(void *ctx, uint64_t before);

/* ring0_run.S: */

/* See altpick_ring0_try(), less what has to be cleaned up. */
ALTPICK_SYSV int altpick_ring0_run(struct altpick_ring0 *ring0,
                                   ALTPICK_SYSV int (*code)(void *argument), void *argument);

/* Call @code, a candidate with a return behind it, with @data. */
ALTPICK_SYSV void altpick_ring0_call(const void *code, void *data);

/* Called by the handler of the caller's timer: whether to end what runs. */
ALTPICK_SYSV bool altpick_ring0_timer_fired(struct altpick_ring0 *ring0);

extern const uint8_t altpick_ring0_stubs[], altpick_ring0_steps[], altpick_ring0_timer[];

#endif
