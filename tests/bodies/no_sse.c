/* SPDX-License-Identifier: MIT */
/*
 * A 32-bit program for a CPU without SSE: it uses every body of an emitted header that is for such
 * code.  ALTPICK_TEST_BARE: the control, an LDMXCSR that nothing guards.  Needs no library.
 */
#include ALTPICK_EMITTED

int use_everything(void);

int use_everything(void)
{
    int has_sse = altpick_has_sse();
    unsigned short control = 0;

#ifdef ALTPICK_TEST_BARE
    has_sse = 1;
#endif
    altpick_kernel_fpu_begin_sse(has_sse);
    altpick_kernel_fpu_begin_x87(has_sse);
    altpick_kernel_fpu_begin_efi(has_sse);
    __asm__ volatile("fnstcw %0" : "=m"(control));
    return control != 0x37f || has_sse != ALTPICK_TEST_HAS_SSE;
}
