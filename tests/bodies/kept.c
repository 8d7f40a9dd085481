/* SPDX-License-Identifier: MIT */
/*
 * Keeps values where a compiler likes to, in registers of the FPU, while a function of an emitted
 * header changes them: its clobbers must make the compiler save each of them.
 */
#include ALTPICK_EMITTED

#include <stdio.h>

typedef double wide __attribute__((vector_size(ALTPICK_TEST_WIDTH)));
enum { LANES = ALTPICK_TEST_WIDTH / sizeof(double), MANY = 12 };

static volatile double source[MANY] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

/* More values than registers that a call would save: none is. */
static int keep_vectors(int has_xsave)
{
    wide a[MANY];
    int bad = 0;

    for (int i = 0; i < MANY; i++)
        for (int lane = 0; lane < (int) LANES; lane++)
            a[i][lane] = source[i] * (lane + 3);
    altpick_fpu_init(has_xsave);
    for (int i = 0; i < MANY; i++)
        for (int lane = 0; lane < (int) LANES; lane++)
            bad |= a[i][lane] != source[i] * (lane + 3);
    return bad;
}

static int keep_x87(int has_xsave)
{
    long double a = source[0], b = source[1], c = source[2];

    a *= b;
    b *= c;
    altpick_fpu_init(has_xsave);
    c += a;
    altpick_kernel_fpu_begin_x87();
    b += c;
    altpick_kernel_fpu_begin_efi();
    return a != 2 || b != 11 || c != 5;
}

int main(void)
{
    int has_xsave = altpick_has_xsave();

    if (keep_vectors(has_xsave) || keep_x87(has_xsave)) {
        printf("a register was not saved\n");
        return 1;
    }
    return 0;
}
