/* SPDX-License-Identifier: MIT */
/*
 * What runs after a candidate in the same trip, to see what it costs those that come later.  Copied
 * into the block, so nothing here refers to an address.  r12, r13: two blocks of memory; r14: their
 * bytes, a multiple of 128.  rsi, r8, r9 and xmm0-3 change.
 */
    .section .rodata

    .macro work name
    .globl  altpick_work_\name
    .hidden altpick_work_\name
altpick_work_\name:
    .endm

    .macro work_end name
    .globl  altpick_work_\name\()_end
    .hidden altpick_work_\name\()_end
altpick_work_\name\()_end:
    .endm

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

    work    sse
    xor_begin
    xor_sse
    work_end sse

/* Four lines ahead in both blocks, as the kernel's routine of that name. */
    work    prefetch
    xor_begin
    prefetcht0 256(%r8, %rsi)
    prefetcht0 256(%r9, %rsi)
    xor_sse
    work_end prefetch

    work    avx2
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
    work_end avx2

    work    avx512
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
    work_end avx512

/* The save that an operating system does next: all components, into the first block. */
    work    save
    orl     $-1, %eax
    orl     $-1, %edx
    xsavec64 (%r12)
    work_end save

    .section .note.GNU-stack, "", @progbits
