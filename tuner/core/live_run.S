/* SPDX-License-Identifier: MIT */
/*
 * Runs a placed block between two clock reads.
 *
 * The block's contract: it may change every general register but rsp and rdx, and the flags.  rdx
 * holds the trips left; rbx is 0 on entry, so that chains of adds keep their numbers small.
 */
    .text

/*
 * uint64_t altpick_live_run(const void *code, uint32_t trips, const struct far_pointer *far,
 * void *stack): clock ticks from call to return.  @code finds @far in r8 and @stack in r9.
 */
    .globl  altpick_live_run
    .hidden altpick_live_run
    .type   altpick_live_run, @function
    .p2align 6
altpick_live_run:
    pushq   %rbx
    pushq   %rbp
    pushq   %r12
    pushq   %r13
    pushq   %r14
    pushq   %r15
    pushq   %rdi
    movq    %rdx, %r8
    movq    %rcx, %r9
    xorl    %ebx, %ebx
    lfence
    rdtsc
    lfence
    shlq    $32, %rdx
    orq     %rdx, %rax
    pushq   %rax
    movl    %esi, %edx
    call    *8(%rsp)
    lfence
    rdtsc
    lfence
    shlq    $32, %rdx
    orq     %rdx, %rax
    popq    %rcx
    subq    %rcx, %rax
    popq    %rdi
    popq    %r15
    popq    %r14
    popq    %r13
    popq    %r12
    popq    %rbp
    popq    %rbx
    ret
    .size   altpick_live_run, . - altpick_live_run

/*
 * The way into 32-bit code and back: called with the far pointer to it in r8 and a stack below
 * 4 GiB in r9.  It is copied below 4 GiB, because a far return from 32-bit code has 32 bits of
 * address, so it refers to nothing by address.  32-bit code leaves the upper halves of registers
 * undefined (SDM vol. 1, 3.4.1.1): all that is kept is kept in memory.
 */
    .globl  altpick_live_gate, altpick_live_gate_end
    .hidden altpick_live_gate, altpick_live_gate_end
    .type   altpick_live_gate, @function
altpick_live_gate:
    movq    %rsp, -8(%r9)
    leaq    -8(%r9), %rsp
    lcall   *(%r8)
    movl    %esp, %esp
    popq    %rsp
    ret
altpick_live_gate_end:
    .size   altpick_live_gate, . - altpick_live_gate

/* void altpick_live_serialize(void): SERIALIZE, where CPUID leaf 7 EDX bit 14 says it exists. */
    .globl  altpick_live_serialize
    .hidden altpick_live_serialize
    .type   altpick_live_serialize, @function
altpick_live_serialize:
    .byte   0x0f, 0x01, 0xe8 /* serialize */
    ret
    .size   altpick_live_serialize, . - altpick_live_serialize

/*
 * void altpick_live_iret(void): IRET to the next instruction, which serialises everywhere and, other
 * than CPUID, does not leave a virtual machine (SDM vol. 3, 8.3; APM vol. 2, 7.6.4).
 */
    .globl  altpick_live_iret
    .hidden altpick_live_iret
    .type   altpick_live_iret, @function
altpick_live_iret:
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
    .size   altpick_live_iret, . - altpick_live_iret

    .section .note.GNU-stack, "", @progbits
