/* SPDX-License-Identifier: MIT */
/*
 * Everything of an emitted header that runs, behind plain functions.  ALTPICK_TEST_ELF: flavour
 * elf, whose code is in an object.  Compiled as consumers compile it.
 */
#include "emitted.h"

static unsigned int reported;
#define ALTPICK_REFCOUNT_REPORT(counter, report) ((void) (counter), reported = (report))

#include ALTPICK_EMITTED

#ifdef ALTPICK_TEST_ELF
#define SAYS(name) 0
#define CODE(at)   altpick_##at##_code, 0
#else
#define SAYS(name)      name
#define BYTES(NAME, at) static const unsigned char at[] = {ALTPICK_CODE_##NAME};
#define CODE(at)        at, sizeof(at)
BYTES(FPU_INIT, fpu_init)
BYTES(KERNEL_FPU_BEGIN_SSE, kernel_fpu_begin_sse)
BYTES(KERNEL_FPU_BEGIN_X87, kernel_fpu_begin_x87)
BYTES(KERNEL_FPU_BEGIN_EFI, kernel_fpu_begin_efi)
BYTES(REFCOUNT_ADD, refcount_add)
BYTES(REFCOUNT_INC, refcount_inc)
BYTES(REFCOUNT_INC_NOT_ZERO, refcount_inc_not_zero)
BYTES(REFCOUNT_DEC, refcount_dec)
BYTES(REFCOUNT_DEC_AND_TEST, refcount_dec_and_test)
BYTES(REFCOUNT_SUB_AND_TEST, refcount_sub_and_test)
#endif

static void run_fpu_init(void)
{
    altpick_fpu_init(altpick_has_xsave());
}

static void run_fpu_init_without_xsave(void)
{
    altpick_fpu_init(0);
}

static void run_sse(void)
{
    altpick_kernel_fpu_begin_sse();
}

static void run_x87(void)
{
    altpick_kernel_fpu_begin_x87();
}

static void run_efi(void)
{
    altpick_kernel_fpu_begin_efi();
}

const struct emitted_body *bodies64(void);
const struct emitted_body *bodies64(void)
{
    /* clang-format off */
    static const struct emitted_body bodies[] = {
        {"fpu.init", SAYS(ALTPICK_FPU_INIT), CODE(fpu_init), run_fpu_init, run_fpu_init_without_xsave},
        {"kernel-fpu.begin.sse", SAYS(ALTPICK_KERNEL_FPU_BEGIN_SSE),
         CODE(kernel_fpu_begin_sse), run_sse, 0},
        {"kernel-fpu.begin.x87", SAYS(ALTPICK_KERNEL_FPU_BEGIN_X87),
         CODE(kernel_fpu_begin_x87), run_x87, 0},
        {"kernel-fpu.begin.efi", SAYS(ALTPICK_KERNEL_FPU_BEGIN_EFI),
         CODE(kernel_fpu_begin_efi), run_efi, 0},
        {0, 0, 0, 0, 0, 0},
    };
    /* clang-format on */

    return bodies;
}

/* One function as the list wants it: a statement that may set result. */
#define COUNT(name, statement)                                                                     \
    static unsigned int run_##name(unsigned int *counter, unsigned int amount,                     \
                                   unsigned int *report)                                           \
    {                                                                                              \
        unsigned int result = 0;                                                                   \
                                                                                                   \
        (void) amount;                                                                             \
        reported = 0;                                                                              \
        statement;                                                                                 \
        *report = reported;                                                                        \
        return result;                                                                             \
    }

COUNT(add, altpick_refcount_add(counter, amount))
COUNT(inc, altpick_refcount_inc(counter))
COUNT(inc_not_zero, result = (unsigned int) altpick_refcount_inc_not_zero(counter))
COUNT(dec, altpick_refcount_dec(counter))
COUNT(dec_and_test, result = (unsigned int) altpick_refcount_dec_and_test(counter))
COUNT(sub_and_test, result = (unsigned int) altpick_refcount_sub_and_test(counter, amount))

const struct emitted_count *counts(void);
const struct emitted_count *counts(void)
{
    /* clang-format off */
    static const struct emitted_count all[] = {
        {"add", SAYS(ALTPICK_REFCOUNT), CODE(refcount_add), run_add},
        {"inc", SAYS(ALTPICK_REFCOUNT), CODE(refcount_inc), run_inc},
        {"inc_not_zero", SAYS(ALTPICK_REFCOUNT), CODE(refcount_inc_not_zero), run_inc_not_zero},
        {"dec", SAYS(ALTPICK_REFCOUNT), CODE(refcount_dec), run_dec},
        {"dec_and_test", SAYS(ALTPICK_REFCOUNT), CODE(refcount_dec_and_test), run_dec_and_test},
        {"sub_and_test", SAYS(ALTPICK_REFCOUNT), CODE(refcount_sub_and_test), run_sub_and_test},
        {0, 0, 0, 0, 0},
    };
    /* clang-format on */

    return all;
}
