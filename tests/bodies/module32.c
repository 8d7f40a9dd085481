/* SPDX-License-Identifier: MIT */
/* The bytes of an emitted header's 32-bit code; compiled as 64-bit code. */
#include "emitted.h"

#define ALTPICK_BITS 32
#include ALTPICK_EMITTED

static const unsigned char sse[] = {ALTPICK_CODE_KERNEL_FPU_BEGIN_SSE};
static const unsigned char x87[] = {ALTPICK_CODE_KERNEL_FPU_BEGIN_X87};
static const unsigned char efi[] = {ALTPICK_CODE_KERNEL_FPU_BEGIN_EFI};

#ifdef ALTPICK_FPU_INIT
#error "fpu.init is not for 32-bit code"
#endif

const struct emitted_body *bodies32(void);
const struct emitted_body *bodies32(void)
{
    static const struct emitted_body bodies[] = {
        {"kernel-fpu.begin.sse-32", ALTPICK_KERNEL_FPU_BEGIN_SSE, sse, sizeof sse, 0, 0},
        {"kernel-fpu.begin.x87-32", ALTPICK_KERNEL_FPU_BEGIN_X87, x87, sizeof x87, 0, 0},
        {"kernel-fpu.begin.efi-32", ALTPICK_KERNEL_FPU_BEGIN_EFI, efi, sizeof efi, 0, 0},
        {0,                         0,                            0,   0,          0, 0},
    };

    return bodies;
}
