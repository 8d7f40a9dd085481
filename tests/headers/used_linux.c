/* SPDX-License-Identifier: MIT */
/* Uses everything of an emitted header for Linux.  Valid C99, C11 and C++17; needs no library. */
#include ALTPICK_EMITTED

#include "run_bodies.h"

int unused(void);
#ifdef __cplusplus
extern "C"
#endif
    int
    use_everything(void);

#ifdef NOP_ATOMIC5
static const unsigned char five[] = {P6_NOP5};
static const unsigned char atomic[] = {IDEAL_NOP5_ATOMIC, K8_NOP5_ATOMIC, P6_NOP5_ATOMIC};
#define TABLE ideal_nops
#else
static const unsigned char five[] = {BYTES_NOP5};
static const unsigned char atomic[] = {BYTES_NOP1, BYTES_NOP2, BYTES_NOP3, BYTES_NOP4, BYTES_NOP5};
#define TABLE x86_nops
#endif

int use_everything(void)
{
    unsigned char sum = 0;
    int i;

    __asm__ volatile(ASM_NOP1 ASM_NOP2 ASM_NOP3 ASM_NOP4 ASM_NOP5 ASM_NOP6 ASM_NOP7 ASM_NOP8);
    for (i = 1; i <= ASM_NOP_MAX; i++)
        sum = (unsigned char) (sum | TABLE[i][i - 1]);
    return sizeof five != 5 || sizeof atomic != 15 || (five[0] | atomic[0]) == 0 ||
           TABLE[1][0] != 0x90 || sum == 0 || unused() || run_bodies();
}
