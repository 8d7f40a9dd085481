/* SPDX-License-Identifier: MIT */
/* One entry a vector, 16 bytes apart: makes a struct boot_frame (trap.h) and calls boot_trap(). */

    .text
    .balign 16
    .globl boot_trap_entries
boot_trap_entries:
    .set vector, 0
    .rept 256
    .balign 16
    /* Vectors 8, 10 to 14, 17 and 21 (SDM vol. 3A, table 6-1), AMD's 29 and 30 (APM vol. 2, 8.2). */
    .set pushes, 0
    .if vector < 32
    .set pushes, (0x60227d00 >> vector) & 1
    .endif
    .if pushes == 0
    pushq $0
    .endif
    pushq $vector
    jmp common
    .set vector, vector + 1
    .endr

common:
    cld
    pushq %rax
    pushq %rbx
    pushq %rcx
    pushq %rdx
    pushq %rsi
    pushq %rdi
    pushq %rbp
    pushq %r8
    pushq %r9
    pushq %r10
    pushq %r11
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, %rdi            /* aligned to 16: the CPU aligned it before its first push */
    call boot_trap
    movq %rax, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %r11
    popq %r10
    popq %r9
    popq %r8
    popq %rbp
    popq %rdi
    popq %rsi
    popq %rdx
    popq %rcx
    popq %rbx
    popq %rax
    addq $16, %rsp
    iretq

    .section .note.GNU-stack, "", @progbits
