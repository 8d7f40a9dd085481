/* SPDX-License-Identifier: MIT */
/* The instructions that save and restore state, as functions (xstate_run.S). */
#ifndef ALTPICK_CORE_XSTATE_RUN_H
#define ALTPICK_CORE_XSTATE_RUN_H

#include "altpick/abi.h"

#include <stddef.h>
#include <stdint.h>

enum { ALTPICK_MXCSR_INIT = 0x1f80, ALTPICK_X87_CONTROL_INIT = 0x37f };

/* @mask: EDX:EAX.  Areas are aligned to 64. */
ALTPICK_SYSV void altpick_xstate_run_xsave(uint8_t *area, uint64_t mask);
ALTPICK_SYSV void altpick_xstate_run_xrstor(const uint8_t *area, uint64_t mask);
ALTPICK_SYSV void altpick_xstate_run_xsaves(uint8_t *area, uint64_t mask); /* ring 0 */
ALTPICK_SYSV void altpick_xstate_run_xrstors(const uint8_t *area, uint64_t mask);
ALTPICK_SYSV void altpick_xstate_run_fxsave(uint8_t *area);
ALTPICK_SYSV void altpick_xstate_run_fxrstor(const uint8_t *area);
ALTPICK_SYSV uint64_t altpick_xstate_run_in_use(void); /* XGETBV of 1 */
ALTPICK_SYSV void altpick_xstate_run_vzeroall(void);

/* One run of code between a filled state and a look at what is left of it. */
struct altpick_xstate_call {
    const uint8_t *fill;  /* restored before */
    uint8_t *after;       /* saved after, the x87 environment at ALTPICK_FX_ENVIRONMENT */
    const uint8_t *reset; /* restored at the end */
    const void *code;     /* called with rdi: data, eax: flag, esi 1, ecx 0 */
    void *data;
    uint64_t mask;   /* of XSAVE and XRSTOR; 0: FXSAVE and FXRSTOR are used */
    uint64_t in_use; /* XINUSE after, 0 where it is not asked for */
    uint64_t asks_in_use;
    uint64_t flag;
};

_Static_assert(offsetof(struct altpick_xstate_call, mask) == 40, "xstate_run.S");
_Static_assert(offsetof(struct altpick_xstate_call, asks_in_use) == 56, "xstate_run.S");

/* The code may change every general register but rsp. */
ALTPICK_SYSV void altpick_xstate_run(struct altpick_xstate_call *call);

#endif
