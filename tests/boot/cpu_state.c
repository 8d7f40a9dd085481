/* SPDX-License-Identifier: MIT */
/* All of a CPU's state that a probe promises to leave as it was: made unusual, read, compared. */
#include "cpu_state.h"

#include "altpick/cpu.h"
#include "altpick/xstate.h"

#include <stddef.h>

enum {
    EFER = (int) 0xc0000080,
    FS_BASE = (int) 0xc0000100,
    GS_BASE = (int) 0xc0000101,
    KERNEL_GS_BASE = (int) 0xc0000102,
    XSS = 0xda0,
    TS = 8,
    NT = 0x4000,
    POINTERS_AT = 12, /* in what FNSTENV stores */
};

#define OSXSAVE           (UINT64_C(1) << 18)
#define READ(what, value) __asm__ volatile("mov %%" what ", %0" : "=r"(value) : : "memory")

static uint64_t rdmsr(int msr)
{
    uint32_t low, high;

    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr));
    return low | (uint64_t) high << 32;
}

static uint64_t cr4(void)
{
    uint64_t value;

    READ("cr4", value);
    return value;
}

static bool has_osxsave(void)
{
    return (cr4() & OSXSAVE) != 0;
}

/*
 * Some translators keep the pointers of x87 and load none: what no instruction can bring back is
 * not a probe's to restore.
 */
static bool pointers_come_back(void)
{
    _Alignas(16) uint8_t registers[512];
    uint8_t before[28], after[28];
    bool same = true;

    __asm__ volatile("fxsave64 (%2); fnstenv (%0); fninit; fldz; fldenv (%0); fnstenv (%1);"
                     "fld1; fxrstor64 (%2); fldenv (%0)"
                     :
                     : "r"(before), "r"(after), "r"(registers)
                     : "memory");
    for (unsigned i = POINTERS_AT; i < sizeof before; i++)
        same = same && before[i] == after[i];
    return same;
}

static void fill_state(void)
{
    static _Alignas(64) uint8_t area[ALTPICK_XSTATE_BYTES_MAX];
    struct altpick_xstate xstate;
    struct altpick_cpu cpu;
    /* Pointers of an x87 instruction, control and status words that are not the initial ones. */
    static const double value = 1.5;

    altpick_cpu_read(&altpick_cpuid_native, &cpu);
    altpick_xstate_read(&altpick_cpuid_native, &cpu, UINT64_MAX, &xstate);
    altpick_xstate_make_fill(&xstate, 1, area);
    __asm__ volatile("fxrstor64 (%0)" : : "r"(area) : "memory");
    altpick_xstate_restore(&xstate, area);
    __asm__ volatile("fninit; fldl %0; fldpi; fmulp" : : "m"(value));
}

void cpu_state_fill(uint64_t xcr0, bool ts, bool open, bool nested)
{
    if (xcr0) {
        uint32_t regs[4];

        altpick_cpuid_native.cpuid(NULL, 1, 0, regs);
        if (regs[ALTPICK_CPU_ECX] >> 26 & 1) {
            __asm__ volatile("mov %0, %%cr4" : : "r"(cr4() | OSXSAVE) : "memory");
            __asm__ volatile("xsetbv" : : "a"((uint32_t) xcr0), "d"(0), "c"(0));
        }
    }
    fill_state();
    __asm__ volatile("mov %0, %%cr2" : : "r"(UINT64_C(0x123456789)));
    if (ts) {
        uint64_t cr0;

        READ("cr0", cr0);
        __asm__ volatile("mov %0, %%cr0" : : "r"(cr0 | TS) : "memory");
    }
    if (nested)
        __asm__ volatile("pushfq; orl %0, (%%rsp); popfq" : : "i"(NT) : "memory", "cc");
    if (open)
        __asm__ volatile("sti" : : : "memory");
}

static void read_segments(struct cpu_state *ret)
{
    READ("cs", ret->cs);
    READ("ss", ret->ss);
    READ("ds", ret->ds);
    READ("es", ret->es);
    READ("fs", ret->fs);
    READ("gs", ret->gs);
    __asm__ volatile("str %0" : "=r"(ret->tr));
    __asm__ volatile("sldt %0" : "=r"(ret->ldtr));
    __asm__ volatile("sidt %0" : "=m"(ret->idtr));
    __asm__ volatile("sgdt %0" : "=m"(ret->gdtr));
}

static void copy_table(uint8_t *to, size_t capacity, const uint8_t pointer[10])
{
    uint64_t base = 0;
    size_t bytes = (size_t) (pointer[0] | pointer[1] << 8) + 1;

    for (unsigned i = 0; i < 8; i++)
        base |= (uint64_t) pointer[2 + i] << 8 * i;
    for (size_t i = 0; i < capacity; i++)
        to[i] = i < bytes ? ((const volatile uint8_t *) (uintptr_t) base)[i] : 0;
}

/* With CR0.TS clear for as long as it takes; FNSTENV masks exceptions, and FLDENV undoes it. */
static void read_registers(struct cpu_state *ret)
{
    __asm__ volatile("clts" : : : "memory");
    /* XSAVE leaves SSE registers out where XCR0 has no bit for them. */
    __asm__ volatile("fxsave64 (%0)" : : "r"(ret->area) : "memory");
    if (has_osxsave())
        __asm__ volatile("xsave64 (%0)" : : "r"(ret->area), "a"(-1), "d"(-1) : "memory");
    __asm__ volatile("fnstenv (%0); fldenv (%0)" : : "r"(ret->environment) : "memory");
    ret->has_pointers = pointers_come_back();
    for (unsigned i = POINTERS_AT; i < sizeof ret->environment && !ret->has_pointers; i++)
        ret->environment[i] = 0;
    __asm__ volatile("mov %0, %%cr0" : : "r"(ret->cr0) : "memory");
}

void cpu_state_read(struct cpu_state *ret)
{
    uint32_t regs[4];

    __asm__ volatile("pushfq; popq %0" : "=r"(ret->flags) : : "memory");
    ret->flags &= ~(uint64_t) 0x8d5; /* what any addition changes */
    READ("cr0", ret->cr0);
    READ("cr2", ret->cr2);
    READ("cr3", ret->cr3);
    READ("cr4", ret->cr4);
    READ("cr8", ret->cr8);
    READ("dr0", ret->dr0);
    READ("dr6", ret->dr6);
    READ("dr7", ret->dr7);
    ret->efer = rdmsr(EFER);
    ret->fs_base = rdmsr(FS_BASE);
    ret->gs_base = rdmsr(GS_BASE);
    ret->kernel_gs_base = rdmsr(KERNEL_GS_BASE);
    if (has_osxsave())
        ret->xcr0 = altpick_cpuid_native.xgetbv0(NULL);
    altpick_cpuid_native.cpuid(NULL, 0xd, 1, regs);
    if (has_osxsave() && regs[ALTPICK_CPU_EAX] >> 3 & 1)
        ret->xss = rdmsr(XSS);
    read_segments(ret);
    copy_table(ret->idt, sizeof ret->idt, ret->idtr);
    copy_table(ret->gdt, sizeof ret->gdt, ret->gdtr);
    read_registers(ret);
}

static const struct {
    const char *name;
    size_t at, bytes;
} parts[] = {
#define PART(field)                                                                                \
    {                                                                                              \
#field, offsetof(struct cpu_state, field), sizeof((struct cpu_state *) 0)->field           \
    }
    PART(flags),   PART(cr0),
    PART(cr2),     PART(cr3),
    PART(cr4),     PART(cr8),
    PART(xcr0),    PART(efer),
    PART(dr0),     PART(dr6),
    PART(dr7),     PART(fs_base),
    PART(gs_base), PART(kernel_gs_base),
    PART(xss),     PART(idtr),
    PART(gdtr),    PART(tr),
    PART(ldtr),    PART(cs),
    PART(ss),      PART(ds),
    PART(es),      PART(fs),
    PART(gs),      PART(environment),
    PART(area),    PART(idt),
    PART(gdt),
#undef PART
};

static void tell(const char *name, const uint8_t *left, const uint8_t *right, size_t bytes,
                 struct altpick_out *out)
{
    altpick_out_text(out, "state differs ");
    altpick_out_text(out, name);
    for (size_t i = 0; i < bytes; i++) {
        if (left[i] == right[i])
            continue;
        altpick_out_text(out, " ");
        altpick_out_u64(out, i);
        altpick_out_text(out, ":");
        altpick_out_hex(out, left[i], 2);
        altpick_out_text(out, "->");
        altpick_out_hex(out, right[i], 2);
    }
    altpick_out_text(out, "\n");
}

void cpu_state_compare(const struct cpu_state *a, const struct cpu_state *b,
                       struct altpick_out *out)
{
    bool same = true;

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const uint8_t *left = (const uint8_t *) a + parts[i].at;
        const uint8_t *right = (const uint8_t *) b + parts[i].at;
        bool equal = true;

        for (size_t k = 0; k < parts[i].bytes; k++)
            equal = equal && left[k] == right[k];
        same = same && equal;
        if (!equal)
            tell(parts[i].name, left, right, parts[i].bytes, out);
    }
    if (!b->has_pointers)
        altpick_out_text(out, "no x87 pointers: FLDENV does not load them here\n");
    if (same)
        altpick_out_text(out, "state same\n");
}
