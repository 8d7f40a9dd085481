/* SPDX-License-Identifier: MIT */
/*
 * For hand-written assembly: what object formats disagree about, and registers kept on the stack.
 *
 * Formats disagree about where names are marked for a linker.  In ELF a name has a type, a size and
 * a visibility; in COFF, that firmware's images are linked from, it has none of them.
 */
#ifndef ALTPICK_CORE_ASM_H
#define ALTPICK_CORE_ASM_H

/* clang-format off */
#if defined(__ELF__)

/* Code that others call, between FUNCTION(name) and END(name); altpick/abi.h says how it is called. */
#define FUNCTION(name) .globl name; .hidden name; .type name, @function; name:
#define END(name)      .size name, . - name

/* A place in code or data that others know. */
#define LABEL(name)    .globl name; .hidden name; name:

#define READ_ONLY_DATA .section .rodata

/* Ends each file: where it is missing linkers make stacks executable. */
#define END_OF_FILE    .section .note.GNU-stack, "", @progbits

#else

#define FUNCTION(name) .globl name; name:
#define END(name)
#define LABEL(name)    .globl name; name:
#define READ_ONLY_DATA .section .rdata, "dr"
#define END_OF_FILE

#endif

/* 8 bytes of stack each, the first the highest. */
    .macro push_registers registers:vararg
    .irp    register, \registers
    pushq   %\register
    .endr
    .endm

/* Undoes push_registers of the same list: from its end to its beginning. */
    .macro pop_registers first, others:vararg
    .ifnb   \others
    pop_registers \others
    .endif
    popq    %\first
    .endm

/* What a callee keeps (System V ABI, 3.2.1) but for rsp: 48 bytes of stack, rbx the highest. */
    .macro push_callee_saved
    push_registers rbx, rbp, r12, r13, r14, r15
    .endm

    .macro pop_callee_saved
    pop_registers rbx, rbp, r12, r13, r14, r15
    .endm
/* clang-format on */

#endif
