/* SPDX-License-Identifier: MIT */
/* Turns CPUID leaf 0DH into a layout of state, and a layout into images to restore from. */
#include "altpick/xstate.h"

#include "bytes.h"
#include "check_run.h"
#include "xstate_run.h"

enum {
    XSTATE_LEAF = 0xd,
    LEGACY_BYTES = 512,
    HEADER_BYTES = 64,
    LEGACY_BITS = 0x3, /* x87 and SSE, in the legacy region */
    FIRST_EXTENDED = 2,
    TILE_CONFIGURATION = 17,
    TILE_ROWS = 8,
    TILE_ROW_BYTES = 64,
    TILE_ROWS_EACH = 16,
    BND_CONFIGURATION = 4,
};

uint64_t altpick_component_bits(unsigned component)
{
    static const uint64_t bits[] = {
#define X(id, name, value) value,
        ALTPICK_COMPONENTS(X)
#undef X
    };

    return component < ALTPICK_N_COMPONENTS ? bits[component] : 0;
}

const char *altpick_component_name(unsigned component)
{
    static const char *const names[] = {
#define X(id, name, value) name,
        ALTPICK_COMPONENTS(X)
#undef X
    };

    return component < ALTPICK_N_COMPONENTS ? names[component] : NULL;
}

uint32_t altpick_cpu_components(const struct altpick_cpu *cpu)
{
    uint64_t xcr0 = cpu->xcr0;
    uint32_t components = 0;

    if (xcr0 == 0)
        xcr0 =
            (altpick_cpu_has(cpu, ALTPICK_CPU_FPU) ? 1u : 0) |
            (altpick_cpu_has(cpu, ALTPICK_CPU_FXSR) && altpick_cpu_has(cpu, ALTPICK_CPU_SSE) ? 2u
                                                                                             : 0);
    xcr0 &= ~(uint64_t) ALTPICK_XCR0_PKRU;
    for (unsigned i = 0; i < ALTPICK_N_COMPONENTS; i++) {
        if (xcr0 & altpick_component_bits(i))
            components |= 1u << i;
        xcr0 &= ~altpick_component_bits(i);
    }
    return xcr0 ? components | 1u << ALTPICK_COMPONENT_OTHER : components;
}

/* Whether a component can lie there: behind the header, and within the largest area. */
static bool is_place(uint32_t offset, uint32_t bytes)
{
    return bytes > 0 && offset >= LEGACY_BYTES + HEADER_BYTES &&
           (uint64_t) offset + bytes <= ALTPICK_XSTATE_BYTES_MAX;
}

void altpick_xstate_read(const struct altpick_cpuid_source *source, const struct altpick_cpu *cpu,
                         uint64_t usable, struct altpick_xstate *ret_xstate)
{
    struct altpick_xstate xstate = {.bytes = LEGACY_BYTES, .xcr0 = LEGACY_BITS};
    uint32_t regs[4];

    *ret_xstate = (struct altpick_xstate){0};
    if (!altpick_cpu_has(cpu, ALTPICK_CPU_FXSR))
        return;
    xstate.has_avx = altpick_cpu_has(cpu, ALTPICK_CPU_AVX);
    xstate.has_xsave = altpick_cpu_has(cpu, ALTPICK_CPU_OSXSAVE);
    if (xstate.has_xsave) {
        xstate.has_xgetbv1 = altpick_cpu_has(cpu, ALTPICK_CPU_XGETBV1);
        xstate.xcr0 = cpu->xcr0 & usable & ~(uint64_t) ALTPICK_XCR0_PKRU;
        xstate.bytes = LEGACY_BYTES + HEADER_BYTES;
    }
    for (unsigned bit = FIRST_EXTENDED; bit < ALTPICK_XSTATE_BITS; bit++) {
        if (!(xstate.xcr0 >> bit & 1))
            continue;
        source->cpuid(source->ctx, XSTATE_LEAF, bit, regs);
        if (!is_place(regs[ALTPICK_CPU_EBX], regs[ALTPICK_CPU_EAX])) {
            xstate.xcr0 &= ~(UINT64_C(1) << bit); /* none that exists */
            continue;
        }
        xstate.at[bit].offset = regs[ALTPICK_CPU_EBX];
        xstate.at[bit].bytes = regs[ALTPICK_CPU_EAX];
        if (xstate.at[bit].offset + xstate.at[bit].bytes > xstate.bytes)
            xstate.bytes = xstate.at[bit].offset + xstate.at[bit].bytes;
    }
    xstate.xcr0 &= (UINT64_C(1) << ALTPICK_XSTATE_BITS) - 1;
    *ret_xstate = xstate;
}

/*
 * The legacy region.  No exception is unmasked, nothing is pending, and pointers, opcode, tags and
 * registers differ from their initial values and between the fills (SDM vol. 1, 10.5.1).
 */
static void fill_legacy(unsigned fill, uint8_t *area)
{
    altpick_put(area + ALTPICK_FX_CONTROL, 2, fill ? 0x077f : 0x0f7f);
    altpick_put(area + ALTPICK_FX_STATUS, 2, fill ? 0x4500 : 0x3820);
    altpick_put(area + ALTPICK_FX_TAGS, 1, fill ? 0x0f : 0xff);
    altpick_put(area + ALTPICK_FX_OPCODE, 2, fill ? 0x0456 : 0x0123);
    altpick_put(area + ALTPICK_FX_INSTRUCTION, 8, fill ? 0x01020304 : 0x12345678);
    altpick_put(area + ALTPICK_FX_OPERAND, 8, fill ? 0x02030405 : 0x23456789);
    altpick_put(area + ALTPICK_FX_MXCSR, 4, fill ? 0x3f80 : 0x7fa0);
    for (unsigned i = 0; i < ALTPICK_FX_XMM - ALTPICK_FX_ST; i++)
        area[ALTPICK_FX_ST + i] = i % 16 < 10 ? (uint8_t) (fill ? ~(17 + i) : 17 + i) : 0;
    for (unsigned i = 0; i < ALTPICK_FX_END - ALTPICK_FX_XMM; i++)
        area[ALTPICK_FX_XMM + i] = (uint8_t) (fill ? ~(99 + i) : 99 + i);
}

/* Palette 1 with eight tiles of the largest size (SDM vol. 1, 18.2): all data registers count. */
static void fill_tile_configuration(unsigned fill, uint8_t *at)
{
    at[0] = 1;
    for (unsigned i = 0; i < TILE_ROWS; i++) {
        altpick_put(at + 16 + 2 * i, 2, TILE_ROW_BYTES);
        at[48 + i] = (uint8_t) (TILE_ROWS_EACH - fill);
    }
}

static void fill_component(const struct altpick_xstate *xstate, unsigned bit, unsigned fill,
                           uint8_t *area)
{
    uint8_t *at = area + xstate->at[bit].offset;

    if (bit == TILE_CONFIGURATION) {
        fill_tile_configuration(fill, at);
    } else if (bit == BND_CONFIGURATION) {
        altpick_put(at, 8, fill ? 0x1000 : 0x2000); /* an address; not enabled */
    } else {
        for (uint32_t i = 0; i < xstate->at[bit].bytes; i++)
            at[i] = (uint8_t) (fill ? ~(bit + i) : bit + i);
    }
}

void altpick_xstate_make_fill(const struct altpick_xstate *xstate, unsigned fill, uint8_t *area)
{
    altpick_zero(area, xstate->bytes);
    fill_legacy(fill, area);
    if (!xstate->has_xsave)
        return;
    altpick_put(area + LEGACY_BYTES, 8, xstate->xcr0);
    for (unsigned bit = FIRST_EXTENDED; bit < ALTPICK_XSTATE_BITS; bit++) {
        if (xstate->at[bit].bytes)
            fill_component(xstate, bit, fill, area);
    }
}

void altpick_xstate_make_init(const struct altpick_xstate *xstate, uint8_t *area)
{
    altpick_zero(area, LEGACY_BYTES + (xstate->has_xsave ? HEADER_BYTES : 0));
    altpick_put(area + ALTPICK_FX_CONTROL, 2, ALTPICK_X87_CONTROL_INIT);
    altpick_put(area + ALTPICK_FX_MXCSR, 4, ALTPICK_MXCSR_INIT);
}

void altpick_xstate_restore(const struct altpick_xstate *xstate, const uint8_t *area)
{
    if (xstate->has_xsave)
        altpick_xstate_run_xrstor(area, xstate->xcr0);
    else
        altpick_xstate_run_fxrstor(area);
}

void altpick_xstate_save(const struct altpick_xstate *xstate, uint8_t *area)
{
    if (xstate->has_xsave)
        altpick_xstate_run_xsave(area, xstate->xcr0);
    else
        altpick_xstate_run_fxsave(area);
}

uint64_t altpick_xstate_in_use(const struct altpick_xstate *xstate)
{
    return xstate->has_xgetbv1 ? altpick_xstate_run_in_use() : 0;
}
