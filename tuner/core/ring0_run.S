/* SPDX-License-Identifier: MIT */
/*
 * The handlers of exceptions while candidates run, and the way back from them.
 *
 * Handlers find struct altpick_ring0 by the base of the IDT that SIDT stores: it is its first field.
 * They are reached through gates that close interrupts.
 */
#include "asm.h"

    .set    HANDLER, 4096
    .set    ARMED, 4352
    .set    RECOVER, 4360
    .set    VECTOR, 4368
    .set    RIP, 4376
    .set    STACK, 4392
    .set    TIMED_OUT, 0x100

    .text

/* rax: struct altpick_ring0. */
    .macro find_ring0
    subq    $16, %rsp
    sidt    6(%rsp)
    movq    8(%rsp), %rax
    addq    $16, %rsp
    .endm

/* One stub a vector, 8 bytes apart. */
    .p2align 4
FUNCTION(altpick_ring0_stubs)
    .set    n, 0
    .rept   32
    .p2align 3
    pushq   $n
    jmp     handle
    .set    n, n + 1
    .endr
END(altpick_ring0_stubs)

/*
 * The vector is on the stack, above it what the CPU pushed, an error code first for some vectors.
 * What no candidate raised goes on to the caller's handler with the stack that it expects.
 */
    .p2align 4
handle:
    pushq   %rax
    pushq   %rdx
    find_ring0
    movq    16(%rsp), %rdx
    cmpq    $0, ARMED(%rax)
    jne     recover
    cmpq    $0, HANDLER(%rax, %rdx, 8)
    je      recover
    movq    HANDLER(%rax, %rdx, 8), %rdx
    movq    %rdx, 16(%rsp)
    popq    %rdx
    popq    %rax
    ret

/* rax: ring0, rdx: vector; two registers and the vector are on the stack. */
recover:
    movq    %rdx, VECTOR(%rax)
    leaq    24(%rsp), %rcx
    movl    $0x20227d00, %esi /* vectors with an error code: 8, 10 to 14, 17, 21, 29 */
    btl     %edx, %esi
    jnc     1f
    addq    $8, %rcx
1:  movq    (%rcx), %rcx
    movq    %rcx, RIP(%rax)
leave:
    movq    RECOVER(%rax), %rsp
    testq   %rsp, %rsp
    jz      nowhere
    pushq   $2 /* whatever the candidate set: AC, NT; interrupts stay closed */
    popfq
    movl    $1, %ecx
    jmp     tried

/* A fault of nobody's, without anyone to tell: as good as none of this had ever been here. */
nowhere:
    hlt
    jmp     nowhere

/*
 * int altpick_ring0_run(ring0, code, argument): code(argument), on STACK unless a run outside of this
 * one is there already.  Recovery comes to `tried` with rsp at what is pushed here and ecx 1.
 */
    .p2align 4
FUNCTION(altpick_ring0_run)
    push_callee_saved
    pushq   RECOVER(%rdi)
    pushq   STACK(%rdi)
    pushq   %rdi
    movq    %rsp, RECOVER(%rdi)
    movq    %rsp, %rbx
    movq    STACK(%rdi), %rcx
    movq    $0, STACK(%rdi)
    testq   %rcx, %rcx
    cmovnzq %rcx, %rsp
    andq    $-16, %rsp
    movq    %rdx, %rdi
    call    *%rsi
    movq    %rbx, %rsp
    movl    %eax, %ecx
tried:
    cld
    popq    %rdi
    movq    $0, ARMED(%rdi)
    popq    STACK(%rdi)
    popq    RECOVER(%rdi)
    pop_callee_saved
    movl    %ecx, %eax
    ret
END(altpick_ring0_run)

/* void altpick_ring0_call(const void *code, void *data): may be left by an exception. */
    .p2align 4
FUNCTION(altpick_ring0_call)
    push_callee_saved
    subq    $8, %rsp
    movq    %rdi, %r8
    movq    %rsi, %rdi
    movl    $1, %esi
    movl    $1, %eax
    xorl    %ecx, %ecx
    call    *%r8
    addq    $8, %rsp
    pop_callee_saved
    ret
END(altpick_ring0_call)

/* The caller's timer: may end a candidate that is running. */
    .p2align 4
FUNCTION(altpick_ring0_timer)
    cld
    push_registers rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11, rbx
    find_ring0
    movq    %rsp, %rbx
    andq    $-16, %rsp
    movq    %rax, %rdi
    call    altpick_ring0_timer_fired
    movq    %rbx, %rsp
    movzbl  %al, %ecx
    find_ring0
    testl   %ecx, %ecx
    jz      1f
    movq    $TIMED_OUT, VECTOR(%rax)
    movq    $0, RIP(%rax)
    jmp     leave
1:  pop_registers rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11, rbx
    iretq
END(altpick_ring0_timer)

/* Handlers of #NM that step over an instruction of n bytes and leave CR0.TS set: 16 n bytes on. */
    .p2align 4
FUNCTION(altpick_ring0_steps)
    .set    n, 0
    .rept   16
    .p2align 4
    addq    $n, (%rsp)
    iretq
    .set    n, n + 1
    .endr
END(altpick_ring0_steps)

END_OF_FILE
