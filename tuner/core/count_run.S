/* SPDX-License-Identifier: MIT */
/* Runs an operation on a reference counter as the users of its code do. */
    .text

/*
 * uint64_t altpick_count_run(const void *code, void *counter, uint32_t amount): eax, and ecx in the
 * upper half.  eax is no result beforehand, so that an operation that sets a part of it is seen.
 */
    .globl  altpick_count_run
    .hidden altpick_count_run
    .type   altpick_count_run, @function
altpick_count_run:
    movq    %rdi, %r8
    movq    %rsi, %rdi
    movl    %edx, %esi
    xorl    %ecx, %ecx
    movl    $0x5a5a5a5a, %eax
    call    *%r8
    movl    %eax, %eax
    shlq    $32, %rcx
    orq     %rcx, %rax
    ret
    .size   altpick_count_run, . - altpick_count_run

    .section .note.GNU-stack, "", @progbits
