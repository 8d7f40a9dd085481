/* SPDX-License-Identifier: MIT */
/*
 * A whole program: it saves the state that it starts with, sends it to a pipe, and ends.  Copied
 * into an executable file that is made in memory (start.c), with its parameters behind it.
 */
#include "start_stub.h"

    .section .rodata
    .globl  altpick_start_stub
    .hidden altpick_start_stub
    .globl  altpick_start_stub_end
    .hidden altpick_start_stub_end

/* EDX:EAX: which components. */
    .macro mask
    movl    ALTPICK_START_MASK(%rbx), %eax
    movl    ALTPICK_START_MASK + 4(%rbx), %edx
    .endm

altpick_start_stub:
    movl    $ALTPICK_START_DATA, %ebx
    cmpl    $0, ALTPICK_START_PLANTED(%rbx)
    je      2f
    cmpq    $0, ALTPICK_START_MASK(%rbx)
    je      1f
    mask
    xrstor64 ALTPICK_START_PLANT(%rbx)
    jmp     2f
1:  fxrstor64 ALTPICK_START_PLANT(%rbx)
2:  cmpl    $0, ALTPICK_START_ASKS(%rbx)
    je      3f
    movl    $1, %ecx
    xgetbv
    movl    %eax, ALTPICK_START_IN_USE(%rbx)
    movl    %edx, ALTPICK_START_IN_USE + 4(%rbx)
3:  cmpq    $0, ALTPICK_START_MASK(%rbx)
    je      4f
    mask
    xsave64 ALTPICK_START_AREA(%rbx)
    jmp     5f
4:  fxsave64 ALTPICK_START_AREA(%rbx)
5:  fnstenv ALTPICK_START_ENVIRONMENT(%rbx)
    movl    $1, %eax /* write */
    movl    ALTPICK_START_FD(%rbx), %edi
    leaq    ALTPICK_START_IN_USE(%rbx), %rsi
    movl    ALTPICK_START_BYTES(%rbx), %edx
    syscall
    movl    $231, %eax /* exit_group */
    xorl    %edi, %edi
    syscall
    ud2
altpick_start_stub_end:

    .section .note.GNU-stack, "", @progbits
