/* SPDX-License-Identifier: MIT */
/* One entry a vector, 16 bytes apart: makes a struct boot_frame (trap.h) and calls boot_trap(). */
#include "asm.h"

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
    push_registers rax, rbx, rcx, rdx, rsi, rdi, rbp, r8, r9, r10, r11, r12, r13, r14, r15
    movq %rsp, %rdi            /* aligned to 16: the CPU aligned it before its first push */
    call boot_trap
    movq %rax, %rsp
    pop_registers rax, rbx, rcx, rdx, rsi, rdi, rbp, r8, r9, r10, r11, r12, r13, r14, r15
    addq $16, %rsp
    iretq

    .section .note.GNU-stack, "", @progbits
