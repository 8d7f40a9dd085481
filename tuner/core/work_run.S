/* SPDX-License-Identifier: MIT */
/*
 * What runs after a candidate in the same trip, to see what it costs those that come later.  Copied
 * into the block, so nothing here refers to an address.  r12, r13: two blocks of memory; r14: their
 * bytes, a multiple of 128.  rsi, r8, r9 and xmm0-3 change.
 */
#include "asm.h"

    READ_ONLY_DATA

/* Offsets count up from -bytes to 0, behind both blocks. */
    .macro xor_begin
    leaq    (%r12, %r14), %r8
    leaq    (%r13, %r14), %r9
    movq    %r14, %rsi
    negq    %rsi
1:
    .endm

    .macro xor_sse
    .irp    i, 0, 1, 2, 3
    movaps  16 * \i(%r8, %rsi), %xmm\i
    .endr
    .irp    i, 0, 1, 2, 3
    xorps   16 * \i(%r9, %rsi), %xmm\i
    movaps  %xmm\i, 16 * \i(%r8, %rsi)
    .endr
    addq    $64, %rsi
    jnz     1b
    .endm

LABEL(altpick_work_sse)
    xor_begin
    xor_sse
LABEL(altpick_work_sse_end)

/* Four lines ahead in both blocks, as the kernel's routine of that name. */
LABEL(altpick_work_prefetch)
    xor_begin
    prefetcht0 256(%r8, %rsi)
    prefetcht0 256(%r9, %rsi)
    xor_sse
LABEL(altpick_work_prefetch_end)

LABEL(altpick_work_avx2)
    xor_begin
    .irp    i, 0, 1, 2, 3
    vmovdqa 32 * \i(%r8, %rsi), %ymm\i
    .endr
    .irp    i, 0, 1, 2, 3
    vpxor   32 * \i(%r9, %rsi), %ymm\i, %ymm\i
    vmovdqa %ymm\i, 32 * \i(%r8, %rsi)
    .endr
    subq    $-128, %rsi
    jnz     1b
LABEL(altpick_work_avx2_end)

LABEL(altpick_work_avx512)
    xor_begin
    .irp    i, 0, 1
    vmovdqa64 64 * \i(%r8, %rsi), %zmm\i
    .endr
    .irp    i, 0, 1
    vpxorq  64 * \i(%r9, %rsi), %zmm\i, %zmm\i
    vmovdqa64 %zmm\i, 64 * \i(%r8, %rsi)
    .endr
    subq    $-128, %rsi
    jnz     1b
LABEL(altpick_work_avx512_end)

/* The save that an operating system does next: all components, into the first block. */
LABEL(altpick_work_save)
    orl     $-1, %eax
    orl     $-1, %edx
    xsavec64 (%r12)
LABEL(altpick_work_save_end)

END_OF_FILE
