/* SPDX-License-Identifier: MIT */
/*
 * Runs a placed block between two clock reads.
 *
 * The block's contract: it may change every general register but rsp and rbp, and the flags.  ebp
 * holds the trips left; rbx is 0 on entry, so that chains of adds keep their numbers small; esi is
 * 1, ecx is 0, rdi points to data and eax is a flag that goes with it; r12, r13 and r14 are for what
 * some conditions run after a candidate, which must leave them alone there.
 */
#include "asm.h"

    .set    CALL_CODE, 0
    .set    CALL_FAR, 8
    .set    CALL_STACK, 16
    .set    CALL_DATA, 24
    .set    CALL_WORK, 32
    .set    CALL_TRIPS, 48
    .set    CALL_WORK_BYTES, 56
    .set    CALL_FLAG, 64

    .text

/*
 * uint64_t altpick_live_run(const struct altpick_live_call *call): clock ticks from call to return.
 */
    .p2align 6
FUNCTION(altpick_live_run)
    push_callee_saved
    pushq   CALL_CODE(%rdi)
    movq    CALL_FAR(%rdi), %r8
    movq    CALL_STACK(%rdi), %r9
    movq    CALL_WORK(%rdi), %r12
    movq    CALL_WORK + 8(%rdi), %r13
    movq    CALL_WORK_BYTES(%rdi), %r14
    movq    CALL_TRIPS(%rdi), %rbp
    movq    CALL_FLAG(%rdi), %r15
    movq    CALL_DATA(%rdi), %rdi
    xorl    %ebx, %ebx
    movl    $1, %esi
    lfence
    rdtsc
    lfence
    shlq    $32, %rdx
    orq     %rdx, %rax
    pushq   %rax
    xorl    %ecx, %ecx
    movl    %r15d, %eax
    call    *8(%rsp)
    lfence
    rdtsc
    lfence
    shlq    $32, %rdx
    orq     %rdx, %rax
    popq    %rcx
    subq    %rcx, %rax
    popq    %rdi
    pop_callee_saved
    ret
END(altpick_live_run)

/* void altpick_live_flush(const void *first, size_t bytes): CLFLUSH, then wait for it. */
FUNCTION(altpick_live_flush)
    addq    %rdi, %rsi
    andq    $-64, %rdi
1:  cmpq    %rsi, %rdi
    jae     2f
    clflush (%rdi)
    addq    $64, %rdi
    jmp     1b
2:  mfence
    lfence
    ret
END(altpick_live_flush)

/*
 * The way into 32-bit code and back: called with the far pointer to it in r8 and a stack below
 * 4 GiB in r9.  It is copied below 4 GiB, because a far return from 32-bit code has 32 bits of
 * address, so it refers to nothing by address.  32-bit code leaves the upper halves of registers
 * undefined (SDM vol. 1, 3.4.1.1): all that is kept is kept in memory.
 */
FUNCTION(altpick_live_gate)
    movq    %rsp, -8(%r9)
    leaq    -8(%r9), %rsp
    lcall   *(%r8)
    movl    %esp, %esp
    popq    %rsp
    ret
LABEL(altpick_live_gate_end)
END(altpick_live_gate)

/* void altpick_live_serialize(void): SERIALIZE, where CPUID leaf 7 EDX bit 14 says it exists. */
FUNCTION(altpick_live_serialize)
    .byte   0x0f, 0x01, 0xe8 /* serialize */
    ret
END(altpick_live_serialize)

/*
 * void altpick_live_iret(void): IRET to the next instruction, which serialises everywhere and, other
 * than CPUID, does not leave a virtual machine (SDM vol. 3, 8.3; APM vol. 2, 7.6.4).
 */
FUNCTION(altpick_live_iret)
    movq    %rsp, %rcx
    movl    %ss, %eax
    pushq   %rax
    pushq   %rcx
    pushfq
    movl    %cs, %eax
    pushq   %rax
    leaq    1f(%rip), %rax
    pushq   %rax
    iretq
1:  ret
END(altpick_live_iret)

END_OF_FILE
