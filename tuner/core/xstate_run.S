/* SPDX-License-Identifier: MIT */
/* The instructions that save and restore state, and code run between a fill and a look. */
#include "asm.h"

    .set    CALL_FILL, 0
    .set    CALL_AFTER, 8
    .set    CALL_RESET, 16
    .set    CALL_CODE, 24
    .set    CALL_DATA, 32
    .set    CALL_MASK, 40
    .set    CALL_IN_USE, 48
    .set    CALL_ASKS, 56
    .set    CALL_FLAG, 64
    .set    ENVIRONMENT, 464 /* in an area: bytes that no save writes (SDM vol. 1, 10.5.1) */

    .text

/* EDX:EAX from \reg. */
    .macro mask reg
    movq    \reg, %rax
    movq    \reg, %rdx
    shrq    $32, %rdx
    .endm

FUNCTION(altpick_xstate_run_xsave)
    mask    %rsi
    xsave64 (%rdi)
    ret
END(altpick_xstate_run_xsave)

FUNCTION(altpick_xstate_run_xrstor)
    mask    %rsi
    xrstor64 (%rdi)
    ret
END(altpick_xstate_run_xrstor)

FUNCTION(altpick_xstate_run_xsaves)
    mask    %rsi
    xsaves64 (%rdi)
    ret
END(altpick_xstate_run_xsaves)

FUNCTION(altpick_xstate_run_xrstors)
    mask    %rsi
    xrstors64 (%rdi)
    ret
END(altpick_xstate_run_xrstors)

FUNCTION(altpick_xstate_run_fxsave)
    fxsave64 (%rdi)
    ret
END(altpick_xstate_run_fxsave)

FUNCTION(altpick_xstate_run_fxrstor)
    fxrstor64 (%rdi)
    ret
END(altpick_xstate_run_fxrstor)

FUNCTION(altpick_xstate_run_in_use)
    movl    $1, %ecx
    xgetbv
    shlq    $32, %rdx
    orq     %rdx, %rax
    ret
END(altpick_xstate_run_in_use)

FUNCTION(altpick_xstate_run_vzeroall)
    vzeroall
    ret
END(altpick_xstate_run_vzeroall)

/* Restore \image, or save to it, by mask(rbx): rbx is the call. */
    .macro by_mask xop, fxop, image
    movq    \image(%rbx), %rdi
    movq    CALL_MASK(%rbx), %rsi
    testq   %rsi, %rsi
    jz      1f
    mask    %rsi
    \xop    (%rdi)
    jmp     2f
1:  \fxop   (%rdi)
2:
    .endm

/* void altpick_xstate_run(struct altpick_xstate_call *call) */
FUNCTION(altpick_xstate_run)
    push_callee_saved
    pushq   %rdi
    movq    %rdi, %rbx
    by_mask xrstor64, fxrstor64, CALL_FILL
    movq    CALL_CODE(%rbx), %r8
    movq    CALL_DATA(%rbx), %rdi
    movl    $1, %esi
    movq    CALL_FLAG(%rbx), %rax
    xorl    %ecx, %ecx
    call    *%r8
    movq    (%rsp), %rbx
    by_mask xsave64, fxsave64, CALL_AFTER
    /* XINUSE first: an x87 instruction may set its bit. */
    cmpq    $0, CALL_ASKS(%rbx)
    je      3f
    movl    $1, %ecx
    xgetbv
    shlq    $32, %rdx
    orq     %rdx, %rax
    movq    %rax, CALL_IN_USE(%rbx)
3:  fnstenv ENVIRONMENT(%rdi)
    by_mask xrstor64, fxrstor64, CALL_RESET
    popq    %rdi
    pop_callee_saved
    ret
END(altpick_xstate_run)

END_OF_FILE
