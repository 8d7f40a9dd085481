/* SPDX-License-Identifier: MIT */
/* All registers of x87, SSE, AVX and AVX-512, from memory and to it: see struct mini_state. */

    .set YMM, 512
    .set ZMM, YMM + 16 * 16
    .set HI16_ZMM, ZMM + 16 * 32
    .set OPMASK, HI16_ZMM + 16 * 64

    .text

/* void mini_state_load(const struct mini_state *state, uint32_t vectors) */
    .globl mini_state_load
mini_state_load:
    fxrstor64 (%rdi)
    cmpl $1, %esi
    jb 1f
    .irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    vinsertf128 $1, YMM + 16 * \i(%rdi), %ymm\i, %ymm\i
    .endr
    je 1f
    .irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    vinsertf64x4 $1, ZMM + 32 * \i(%rdi), %zmm\i, %zmm\i
    .endr
    .irp i, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    vmovdqu64 HI16_ZMM + 64 * (\i - 16)(%rdi), %zmm\i
    .endr
    .irp i, 0, 1, 2, 3, 4, 5, 6, 7
    kmovq OPMASK + 8 * \i(%rdi), %k\i
    .endr
1:  ret

/* void mini_state_store(struct mini_state *state, uint32_t vectors) */
    .globl mini_state_store
mini_state_store:
    fxsave64 (%rdi)
    cmpl $1, %esi
    jb 1f
    .irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    vextractf128 $1, %ymm\i, YMM + 16 * \i(%rdi)
    .endr
    je 1f
    .irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    vextractf64x4 $1, %zmm\i, ZMM + 32 * \i(%rdi)
    .endr
    .irp i, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    vmovdqu64 %zmm\i, HI16_ZMM + 64 * (\i - 16)(%rdi)
    .endr
    .irp i, 0, 1, 2, 3, 4, 5, 6, 7
    kmovq %k\i, OPMASK + 8 * \i(%rdi)
    .endr
1:  ret

    .section .note.GNU-stack, "", @progbits
