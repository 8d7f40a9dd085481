/* SPDX-License-Identifier: MIT */
/* The extended state of the CPU: which components there are, where they lie, filling and reading.
 */
#ifndef ALTPICK_XSTATE_H
#define ALTPICK_XSTATE_H

#include "altpick/cpu.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Components of XCR0 that are known here (SDM vol. 1, 13.1).  Names are file format. */
#define ALTPICK_COMPONENTS(X)                                                                      \
    X(X87, "x87", 0x1)                                                                             \
    X(XMM, "xmm", 0x2)                                                                             \
    X(YMM, "ymm", 0x4)                                                                             \
    X(BND, "bnd", 0x18) /* BNDREGS and BNDCSR */                                                   \
    X(OPMASK, "opmask", 0x20)                                                                      \
    X(ZMM, "zmm", 0x40)                                                                            \
    X(HI16_ZMM, "hi16-zmm", 0x80)                                                                  \
    X(TILE, "tile", 0x60000) /* TILECFG and TILEDATA */                                            \
    X(APX, "apx", 0x80000)

enum altpick_component {
#define X(id, name, bits) ALTPICK_COMPONENT_##id,
    ALTPICK_COMPONENTS(X)
#undef X
        ALTPICK_N_COMPONENTS
};

/* The name of @component; NULL when out of range. */
const char *altpick_component_name(unsigned component);

/* The bits of XCR0 that are @component; 0 when out of range. */
uint64_t altpick_component_bits(unsigned component);

/* Protection keys: never restored to their initial value, which opens all of them. */
#define ALTPICK_XCR0_PKRU 0x200u

/* Whatever else XCR0 enables: it has no name, and nothing that names components is for it. */
enum { ALTPICK_COMPONENT_OTHER = ALTPICK_N_COMPONENTS };

/*
 * Components that code on @cpu can use, bit n: enum altpick_component n, or
 * ALTPICK_COMPONENT_OTHER.  From XCR0, or, without OSXSAVE, from the features FPU and FXSR.  PKRU
 * is none of them.
 */
uint32_t altpick_cpu_components(const struct altpick_cpu *cpu);

enum { ALTPICK_XSTATE_BITS = 20, ALTPICK_XSTATE_ALIGN = 64 };

/* Where components lie in an area of the standard format (CPUID leaf 0DH). */
struct altpick_xstate {
    uint64_t xcr0; /* bits that may be used; 3 without XSAVE */
    bool has_xsave, has_xgetbv1, has_avx;
    uint32_t bytes; /* of an area; at most ALTPICK_XSTATE_BYTES_MAX */
    struct {
        uint32_t offset, bytes;
    } at[ALTPICK_XSTATE_BITS]; /* by bit of XCR0, from 2 on */
};

enum { ALTPICK_XSTATE_BYTES_MAX = 12288 };

/*
 * Read the layout.  @usable: bits of XCR0 that this process may use (Linux asks for a permission
 * before tiles can be used).  Without FXSR everything stays 0.
 */
void altpick_xstate_read(const struct altpick_cpuid_source *source, const struct altpick_cpu *cpu,
                         uint64_t usable, struct altpick_xstate *ret_xstate);

/*
 * Write an image in which every component holds a pattern that depends on @fill (0 or 1) and is
 * not its initial value; exceptions stay masked.  @area: xstate->bytes, aligned to 64.
 */
void altpick_xstate_make_fill(const struct altpick_xstate *xstate, unsigned fill, uint8_t *area);

/* Write an image of the initial state: legacy region, header, nothing behind it. */
void altpick_xstate_make_init(const struct altpick_xstate *xstate, uint8_t *area);

/* XRSTOR or FXRSTOR of all usable components but PKRU.  C code may lose vector registers. */
void altpick_xstate_restore(const struct altpick_xstate *xstate, const uint8_t *area);

/* XSAVE or FXSAVE of the same.  What the instruction leaves alone stays as it was. */
void altpick_xstate_save(const struct altpick_xstate *xstate, uint8_t *area);

/* XINUSE (SDM vol. 1, 13.6), 0 where XGETBV cannot tell. */
uint64_t altpick_xstate_in_use(const struct altpick_xstate *xstate);

#endif
