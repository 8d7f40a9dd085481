/* SPDX-License-Identifier: MIT */
/* Runs every function that an emitted header makes of a body.  Valid C99, C11 and C++17. */
#ifndef ALTPICK_TEST_RUN_BODIES_H
#define ALTPICK_TEST_RUN_BODIES_H

#if ALTPICK_BITS == 64
/* What is right for one CPU only is compiled and not run. */
static int may_run_fpu_init(void)
{
#ifdef ALTPICK_FPU_INIT_XCR0
    return ~(ALTPICK_FPU_INIT_XCR0 | 0ULL) == 0;
#else
    return ~altpick_fpu_init_xcr0 == 0;
#endif
}
#endif

static void run_fpu_bodies(void)
{
#if ALTPICK_BITS == 64
    if (may_run_fpu_init())
        altpick_fpu_init(altpick_has_xsave());
    altpick_kernel_fpu_begin_sse();
    altpick_kernel_fpu_begin_x87();
    altpick_kernel_fpu_begin_efi();
#else
    int has_sse = altpick_has_sse();

    altpick_kernel_fpu_begin_sse(has_sse);
    altpick_kernel_fpu_begin_x87(has_sse);
    altpick_kernel_fpu_begin_efi(has_sse);
#endif
}

/* 0 where a counter goes up and down as its users expect. */
static int run_counter(void)
{
    unsigned int counter = 1;

    altpick_refcount_inc(&counter);
    altpick_refcount_add(&counter, 2);
    altpick_refcount_dec(&counter);
    if (counter != 3 || !altpick_refcount_inc_not_zero(&counter) ||
        altpick_refcount_sub_and_test(&counter, 3) || counter != 1)
        return 1;
    if (!altpick_refcount_dec_and_test(&counter) || counter != 0)
        return 1;
    return altpick_refcount_inc_not_zero(&counter);
}

/* 0 where every list of bytes and every name can be used. */
static int name_bodies(void)
{
    int named = 1;

#if defined(ALTPICK_FPU_INIT) && ALTPICK_BITS == 64
    static const unsigned char fpu_init[] = {ALTPICK_CODE_FPU_INIT};
    static const char fpu_init_names[] = ALTPICK_FPU_INIT ALTPICK_FPU_INIT_NEEDS;

    named = fpu_init[0] != 0 && fpu_init_names[0] != '\0';
#endif
#ifdef ALTPICK_KERNEL_FPU_BEGIN_SSE
    static const unsigned char begin[] = {ALTPICK_CODE_KERNEL_FPU_BEGIN_SSE,
                                          ALTPICK_CODE_KERNEL_FPU_BEGIN_X87,
                                          ALTPICK_CODE_KERNEL_FPU_BEGIN_EFI};
    static const char begin_names[] =
        ALTPICK_KERNEL_FPU_BEGIN_SSE ALTPICK_KERNEL_FPU_BEGIN_X87 ALTPICK_KERNEL_FPU_BEGIN_EFI;
    static const unsigned char count[] = {ALTPICK_CODE_REFCOUNT_ADD, ALTPICK_CODE_REFCOUNT_INC};
    static const char variant[] = ALTPICK_REFCOUNT;

    named = named && begin[0] != 0 && begin_names[0] != '\0' && count[0] != 0 && variant[0] != '\0';
#endif
    return !named;
}

/* 0 where they do what they are for, as far as a program can tell without looking at registers. */
static int run_bodies(void)
{
    unsigned short control = 0;

    run_fpu_bodies();
    __asm__ volatile("fnstcw %0" : "=m"(control));
    return control != 0x37f || run_counter() || name_bodies();
}

#endif
