/* SPDX-License-Identifier: MIT */
/* The registers and the state of a CPU that is taken over, and given back as it was. */
#include "ring0.h"

#include "altpick/boot.h"
#include "altpick/err.h"
#include "bytes.h"
#include "ring0_cpu.h"
#include "xstate_run.h"

enum {
    FX_CONTROL_AT = 0,
    FX_MXCSR_AT = 24,
    XCR0_X87 = 1,
    XCR0_SSE = 2,
    LEAF_XSTATE_1_XSAVES = 1 << 3, /* CPUID leaf 0DH, subleaf 1, EAX */
    EFER_FFXSR = 1 << 14,
};

#define MSR_EFER 0xc0000080u

static void make_idtr(const void *base, size_t bytes, struct altpick_idtr *ret)
{
    ret->limit = (uint16_t) (bytes - 1);
    for (unsigned i = 0; i < 4; i++)
        ret->base[i] = (uint16_t) ((uint64_t) (uintptr_t) base >> 16 * i);
}

/*
 * FXSAVE and XSAVE of some CPUs leave the x87 pointers out, and FXRSTOR and XRSTOR as they are,
 * while no exception is pending (APM vol. 2, 11.4.4); FNSTENV and FLDENV do not, but change other
 * things, so that the first comes last and the other first.
 */
static void save_state(struct altpick_ring0 *ring0)
{
    /* XCR0 may be 1, as it is at reset: SSE works, and XSAVE leaves its registers out. */
    altpick_xstate_run_fxsave(ring0->area);
    if (ring0->our_cr4 & ALTPICK_CR4_OSXSAVE)
        altpick_xstate_run_xsave(ring0->area, UINT64_MAX);
    altpick_cpu_fnstenv(ring0->environment);
}

static void restore_state(struct altpick_ring0 *ring0)
{
    altpick_cpu_fldenv(ring0->environment);
    altpick_xstate_run_fxrstor(ring0->area);
    if (ring0->our_cr4 & ALTPICK_CR4_OSXSAVE)
        altpick_xstate_run_xrstor(ring0->area, UINT64_MAX);
}

static void restore_registers(struct altpick_ring0 *ring0)
{
    altpick_cpu_lidt(&ring0->idtr);
    altpick_cpu_set_cr2(ring0->cr2);
    altpick_cpu_set_cr4(ring0->cr4);
    altpick_cpu_set_cr0(ring0->cr0);
}

/* Registers as code under test needs them, but for CR4.OSXSAVE: see altpick_ring0_take_state(). */
static void set_registers(struct altpick_ring0 *ring0)
{
    struct altpick_idtr idtr;

    ring0->our_cr0 = (ring0->cr0 & ~(uint64_t) (ALTPICK_CR0_TS | ALTPICK_CR0_EM)) | ALTPICK_CR0_MP |
                     ALTPICK_CR0_NE;
    ring0->our_cr4 = ring0->cr4 | ALTPICK_CR4_OSFXSR | ALTPICK_CR4_OSXMMEXCPT;
    make_idtr(ring0->idt, sizeof ring0->idt, &idtr);
    altpick_cpu_lidt(&idtr);
    altpick_cpu_set_cr4(ring0->our_cr4);
    altpick_cpu_set_cr0(ring0->our_cr0);
    altpick_ring0_make_guard(ring0);
}

/* Whether FXSAVE in ring 0 leaves XMM registers out, as AMD's can be told (APM vol. 2, 3.1.7). */
static bool fxsave_skips(void)
{
    uint32_t regs[4];

    altpick_cpuid_native.cpuid(NULL, 0x80000001, 0, regs);
    return regs[ALTPICK_CPU_EDX] >> 25 & 1 && altpick_cpu_rdmsr(MSR_EFER) & EFER_FFXSR;
}

/* Bits of XCR0 that the CPU has (CPUID leaf 0DH). */
static uint64_t supported_xcr0(void)
{
    uint32_t regs[4];

    altpick_cpuid_native.cpuid(NULL, 0xd, 0, regs);
    return regs[ALTPICK_CPU_EAX] | (uint64_t) regs[ALTPICK_CPU_EDX] << 32;
}

/* Whether the CPU can do what is asked.  our_xcr0 becomes what to enable, 0: as it is. */
static int check_cpu(struct altpick_ring0 *ring0, uint64_t asked)
{
    const uint32_t fxsr_and_sse2 = 1u << 24 | 1u << 26;
    uint32_t regs[4];

    /* With FRED events do not come through an IDT (FRED specification, 5.1). */
    if (!ring0->level && altpick_cpu_cr4() & ALTPICK_CR4_FRED)
        return ALTPICK_EUNSUPPORTED;
    altpick_cpuid_native.cpuid(NULL, 1, 0, regs);
    ring0->has_xsave = regs[ALTPICK_CPU_ECX] >> 26 & 1;
    if ((regs[ALTPICK_CPU_EDX] & fxsr_and_sse2) != fxsr_and_sse2)
        return ALTPICK_EUNSUPPORTED;
    if (ring0->level && regs[ALTPICK_CPU_ECX] >> 27 & 1)
        ring0->our_cr4 = ALTPICK_CR4_OSXSAVE; /* a process cannot read it */
    if (ring0->level || asked == ALTPICK_BOOT_XCR0_AS_IS)
        return ALTPICK_OK;
    if (asked != ALTPICK_BOOT_XCR0_ALL &&
        (!ring0->has_xsave || !(asked & XCR0_X87) || asked & ~supported_xcr0()))
        return ALTPICK_EUNSUPPORTED;
    if (ring0->has_xsave)
        ring0->our_xcr0 = asked == ALTPICK_BOOT_XCR0_ALL ? supported_xcr0() : asked;
    return ALTPICK_OK;
}

static void start(struct altpick_ring0 *ring0, const struct altpick_ring0_request *request)
{
    ring0->area = request->area;
    ring0->stack = (uintptr_t) request->stack_end;
    ring0->deadline = request->vector != 0;
    ring0->timer = request->timer;
    ring0->interrupts_off =
        request->interrupts_off ? request->interrupts_off : altpick_ring0_close_interrupts;
    ring0->interrupts_restore =
        request->interrupts_restore ? request->interrupts_restore : altpick_ring0_open_interrupts;
    ring0->ctx = request->ctx;
    altpick_put(ring0->init + FX_CONTROL_AT, 2, ALTPICK_X87_CONTROL_INIT);
    altpick_put(ring0->init + FX_MXCSR_AT, 4, ALTPICK_MXCSR_INIT);
}

int altpick_ring0_enter(struct altpick_ring0 *ring0, const struct altpick_ring0_request *request)
{
    int r;

    ring0->level = altpick_ring0_level();
    r = check_cpu(ring0, request->xcr0);
    if (r < 0)
        return r;
    start(ring0, request);
    if (ring0->level)
        return ALTPICK_OK;
    ring0->flags = altpick_ring0_close_interrupts(NULL);
    ring0->our_flags = ring0->flags & ~(uint64_t) ALTPICK_FLAG_NT;
    altpick_cpu_set_flags(ring0->our_flags & ~(uint64_t) ALTPICK_FLAG_IF);
    ring0->ss = altpick_cpu_ss();
    ring0->cr0 = altpick_cpu_cr0();
    ring0->cr2 = altpick_cpu_cr2();
    ring0->cr4 = altpick_cpu_cr4();
    ring0->fxsave_skips = fxsave_skips();
    altpick_cpu_sidt(&ring0->idtr);
    altpick_ring0_make_idt(ring0, request->vector);
    set_registers(ring0);
    altpick_ring0_open_interrupts(NULL, ring0->flags);
    return ALTPICK_OK;
}

/* Whether areas of what is enabled, and of IA32_XSS in the compacted format, are large enough. */
static bool fits_areas(void)
{
    uint32_t standard[4], compacted[4];

    altpick_cpuid_native.cpuid(NULL, 0xd, 0, standard);
    altpick_cpuid_native.cpuid(NULL, 0xd, 1, compacted);
    return standard[ALTPICK_CPU_EBX] <= ALTPICK_XSTATE_BYTES_MAX &&
           (!(compacted[ALTPICK_CPU_EAX] & LEAF_XSTATE_1_XSAVES) ||
            compacted[ALTPICK_CPU_EBX] <= ALTPICK_XSTATE_BYTES_MAX);
}

/*
 * What anyone uses is enabled while it is saved.  What cannot be enabled faults in the first step,
 * where nothing has changed yet, although it may be fine together with what was enabled before.
 */
static ALTPICK_SYSV int save_and_set_xcr0(void *argument)
{
    struct altpick_ring0 *ring0 = argument;
    bool has_xcr0 = ring0->our_cr4 & ALTPICK_CR4_OSXSAVE;
    bool changes = has_xcr0 && ring0->our_xcr0 != ring0->xcr0;

    if (changes) {
        altpick_cpu_set_xcr0(ring0->our_xcr0);
        ring0->has_our_xcr0 = true;
        altpick_cpu_set_xcr0(ring0->our_xcr0 | ring0->xcr0);
    }
    if (has_xcr0 && !fits_areas())
        return ALTPICK_EUNSUPPORTED;
    if (ring0->fxsave_skips && !(has_xcr0 && ring0->our_xcr0 & XCR0_SSE))
        return ALTPICK_EUNSUPPORTED;
    save_state(ring0);
    if (changes)
        altpick_cpu_set_xcr0(ring0->our_xcr0);
    ring0->has_state = true;
    return ALTPICK_OK;
}

/* With CR4.OSXSAVE anyone who reads CPUID executes XGETBV, too: it is set no earlier than here. */
static void enable_xcr0(struct altpick_ring0 *ring0)
{
    if (!ring0->level && ring0->our_xcr0 != ALTPICK_BOOT_XCR0_AS_IS) {
        ring0->our_cr4 |= ALTPICK_CR4_OSXSAVE;
        altpick_cpu_set_cr4(ring0->our_cr4);
    }
    if (!(ring0->our_cr4 & ALTPICK_CR4_OSXSAVE))
        return;
    ring0->xcr0 = altpick_cpu_xcr0();
    ring0->our_xcr0 = ring0->our_xcr0 ? ring0->our_xcr0 : ring0->xcr0;
}

int altpick_ring0_take_state(struct altpick_ring0 *ring0)
{
    int r;

    enable_xcr0(ring0);
    r = altpick_ring0_try_masked(ring0, save_and_set_xcr0, ring0);
    if (r == 0)
        return ALTPICK_OK;
    if (ring0->has_our_xcr0)
        altpick_cpu_set_xcr0(ring0->xcr0);
    return ALTPICK_EUNSUPPORTED;
}

void altpick_ring0_leave(struct altpick_ring0 *ring0)
{
    bool has_xcr0 = ring0->has_state && ring0->our_cr4 & ALTPICK_CR4_OSXSAVE;

    if (!ring0->level)
        altpick_cpu_cli();
    /* Even where it was not changed by us: XSETBV of a candidate raises no exception. */
    if (has_xcr0 && !ring0->level)
        altpick_cpu_set_xcr0(ring0->our_xcr0 | ring0->xcr0);
    if (ring0->has_state)
        restore_state(ring0);
    if (has_xcr0 && !ring0->level)
        altpick_cpu_set_xcr0(ring0->xcr0);
    if (ring0->level)
        return;
    if (altpick_cpu_ss() != ring0->ss)
        altpick_cpu_set_ss(ring0->ss);
    restore_registers(ring0);
    altpick_cpu_set_flags(ring0->flags);
}
