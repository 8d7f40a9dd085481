/* SPDX-License-Identifier: MIT */
/*
 * Runs code between a fill of all registers and a look at all registers.  At boot: interrupts on is
 * fine, CR0.TS must be clear and CR4.OSFXSR set.
 */
#include "asm.h"

    .set    STATE_FLAGS, 128
    .set    STATE_STACK, 136
    .set    STATE_FX, 192
    .set    AFTER, 704
    .set    CALLER_FX, 1408
    .set    CODE, 1920
    .set    CALLER_STACK, 1928
    .set    CALLER_FLAGS, 1936
    .set    FLAGS, 0x40cd5 /* CF, PF, AF, ZF, SF, DF, OF, AC */

    .text

/* void altpick_check_run(struct altpick_check_frame *frame) */
    .p2align 4
FUNCTION(altpick_check_run)
    push_callee_saved
    fxsave64 CALLER_FX(%rdi)
    fxrstor64 STATE_FX(%rdi)
    movq    %rsp, CALLER_STACK(%rdi)

    /* Seven words to guard, below two that the landing pushes over. */
    leaq    -72(%rsp), %rsp
    .irp    i, 0, 1, 2, 3, 4, 5, 6
    movq    STATE_STACK + 8 * \i(%rdi), %rax
    movq    %rax, 8 * \i(%rsp)
    .endr
    movq    %rsp, 8 * 4(%rdi)

    pushfq
    popq    %rax
    movq    %rax, CALLER_FLAGS(%rdi)
    andq    $~FLAGS, %rax
    orq     STATE_FLAGS(%rdi), %rax
    pushq   %rax
    popfq
    movq    8 * 1(%rdi), %rcx
    movq    8 * 2(%rdi), %rdx
    movq    8 * 3(%rdi), %rbx
    movq    8 * 5(%rdi), %rbp
    movq    8 * 6(%rdi), %rsi
    .irp    i, 8, 9, 10, 11, 12, 13, 14, 15
    movq    8 * \i(%rdi), %r\i
    .endr
    movq    CODE(%rdi), %rax
    movq    8 * 7(%rdi), %rdi
    jmp     *%rax

/* rax: the frame.  Anything else may hold anything, DF and AC may be set. */
LABEL(altpick_check_landing)
    movq    %rcx, AFTER + 8 * 1(%rax)
    movq    %rdx, AFTER + 8 * 2(%rax)
    movq    %rbx, AFTER + 8 * 3(%rax)
    movq    %rsp, AFTER + 8 * 4(%rax)
    movq    %rbp, AFTER + 8 * 5(%rax)
    movq    %rsi, AFTER + 8 * 6(%rax)
    movq    %rdi, AFTER + 8 * 7(%rax)
    .irp    i, 8, 9, 10, 11, 12, 13, 14, 15
    movq    %r\i, AFTER + 8 * \i(%rax)
    .endr
    /* Below the words to be looked at, which an interrupt or a signal may write over else. */
    movq    8 * 4(%rax), %rsp
    pushfq
    popq    AFTER + STATE_FLAGS(%rax)
    pushq   CALLER_FLAGS(%rax)
    popfq

    movq    8 * 4(%rax), %rsi
    .irp    i, 0, 1, 2, 3, 4, 5, 6
    movq    8 * \i(%rsi), %rcx
    movq    %rcx, AFTER + STATE_STACK + 8 * \i(%rax)
    .endr
    movq    CALLER_STACK(%rax), %rsp
    fxsave64 AFTER + STATE_FX(%rax)
    fxrstor64 CALLER_FX(%rax)
    pop_callee_saved
    ret
END(altpick_check_run)

END_OF_FILE
