/* SPDX-License-Identifier: MIT */
/* Which registers there are, and where they lie in an area of the standard format. */
#include "leak.h"

#include "check_run.h"

enum {
    X87 = 0,
    SSE = 1,
    YMM = 2,
    BNDREGS = 3,
    BNDCSR = 4,
    OPMASK = 5,
    ZMM = 6,
    HI16_ZMM = 7,
    TILECFG = 17,
    TILEDATA = 18,
    APX = 19,
};

/*
 * AMD's saves leave the x87 pointers out while no exception is pending; FNSTENV shows them all the
 * same.  Addresses keep to what is canonical; BNDCFGU's low bits are flags (SDM
 * vol. 1, appendix E).
 */
/* clang-format off */
const struct altpick_leak_part altpick_leak_parts[ALTPICK_LEAK_PARTS] = {
    {"x87-control", "fcw", X87, 0, 1, 0, ALTPICK_FX_CONTROL, 2, 2, 0, 0, 0},
    {"x87-status", "fsw", X87, 0, 1, 0, ALTPICK_FX_STATUS, 2, 2, 0, 0, 0},
    {"x87-tags", "ftw", X87, 0, 1, 0, ALTPICK_FX_TAGS, 1, 1, 0, 1, 0},
    {"x87-pointers", "fop", X87, 0, 1, 0, ALTPICK_FX_OPCODE, 2, 2, 0, 0, 0},
    {"x87-pointers", "fip", X87, 0, 1, 0, ALTPICK_FX_INSTRUCTION, 8, 8, 0, 5, 0},
    {"x87-pointers", "fdp", X87, 0, 1, 0, ALTPICK_FX_OPERAND, 8, 8, 0, 5, 0},
    {"x87-pointers", "fip-env", X87, 0, 1, 0, ALTPICK_FX_ENVIRONMENT_POINTERS, 4, 4, 0, 4,
     ALTPICK_FX_INSTRUCTION},
    {"x87-pointers", "fop-env", X87, 0, 1, 0, ALTPICK_FX_ENVIRONMENT_POINTERS + 6, 2, 2, 0, 0,
     ALTPICK_FX_OPCODE},
    {"x87-pointers", "fdp-env", X87, 0, 1, 0, ALTPICK_FX_ENVIRONMENT_POINTERS + 8, 4, 4, 0, 4,
     ALTPICK_FX_OPERAND},
    {"x87", "st", X87, 0, 8, 0, ALTPICK_FX_ST, 16, 10, 0, 10, 0},
    {"mxcsr", "mxcsr", SSE, 0, 1, 0, ALTPICK_FX_MXCSR, 4, 4, 0, 0, 0},
    {"xmm", "xmm", SSE, 0, 16, 0, ALTPICK_FX_XMM, 16, 16, 0, 16, 0},
    {"ymm", "ymm", YMM, 0, 16, 16, 0, 16, 16, 0, 16, 0},
    {"bnd", "bnd", BNDREGS, 0, 4, 0, 0, 16, 16, 0, 16, 0},
    {"bnd", "bndcfgu", BNDCSR, 0, 1, 0, 0, 8, 8, 2, 3, 0},
    {"bnd", "bndstatus", BNDCSR, 0, 1, 0, 8, 8, 8, 2, 3, 0},
    {"opmask", "k", OPMASK, 0, 8, 0, 0, 8, 8, 0, 8, 0},
    {"zmm", "zmm", ZMM, 0, 16, 32, 0, 32, 32, 0, 32, 0},
    {"hi16-zmm", "zmm", HI16_ZMM, 16, 16, 0, 0, 64, 64, 0, 64, 0},
    {"tile", "tilecfg", TILECFG, 0, 1, 0, 0, 64, 64, 0, 0, 0},
    {"tile", "tmm", TILEDATA, 0, 8, 0, 0, 1024, 1024, 0, 512, 0},
    {"apx", "r", APX, 16, 16, 0, 0, 8, 8, 0, 8, 0},
};
/* clang-format on */

uint32_t altpick_leak_at(const struct altpick_xstate *xstate, const struct altpick_leak_part *part,
                         unsigned index)
{
    uint32_t base = part->bit > SSE ? xstate->at[part->bit].offset : 0;

    return base + part->offset + index * part->stride;
}

bool altpick_leak_has(const struct altpick_xstate *xstate, const struct altpick_leak_part *part)
{
    return xstate->bytes && xstate->xcr0 >> part->bit & 1;
}
