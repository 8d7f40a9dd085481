/* SPDX-License-Identifier: MIT */
/* A consumer: code whose sites altpick's table names, and sites of its own in the same table. */
#include "sites.h"

#ifdef __x86_64__
#define DI %rdi
#else
#define DI %edi
#endif

    .section sites_text, "ax", @progbits

/* A function whose only argument is in DI, and whose ecx is 0. */
.macro FUNCTION name
    .globl \name
    .type \name, @function
\name:
#ifndef __x86_64__
    push %edi
    mov 8(%esp), %edi
#endif
    xor %ecx, %ecx
.endm

.macro END
#ifndef __x86_64__
    pop %edi
#endif
    ret
.endm

.macro SITE name, length, default:vararg
    .globl \name
\name:
    \default
    .fill \length - (. - \name), 1, 0x90
.endm

#ifdef CONSUMER_FIRST
FUNCTION count_inc
SITE site_inc, 40, lock incl (DI)
    mov %ecx, %eax
END

FUNCTION count_nest
SITE site_nest, 48, lock addl $16, (DI)
END

FUNCTION count_dec
SITE site_dec, 48, lock addl $32, (DI)
END

FUNCTION pass_gaps
SITE site_gap, 24
SITE site_long, 100
SITE site_poke, 5
    mov $1, %eax
END

/* MXCSR with a flag set before; the register after. */
FUNCTION begin_fpu
    push $0x1fa0
#ifdef __x86_64__
    ldmxcsr (%rsp)
    mov $1, %eax
SITE site_begin, 16
    stmxcsr (%rsp)
    pop %rax
#else
    ldmxcsr (%esp)
    mov $1, %eax
SITE site_begin, 16
    stmxcsr (%esp)
    pop %eax
#endif
END

#ifdef __x86_64__
/* esi: whether there is XSAVE.  What is left of a register of another task. */
FUNCTION init_fpu
    pcmpeqd %xmm5, %xmm5
    mov %esi, %eax
SITE site_fpu, 230, fninit
    movd %xmm5, %eax
END
#endif
#endif

#ifdef CONSUMER_LAST
FUNCTION after_all
    xor %eax, %eax
SITE site_own, 8
END
#else
FUNCTION before_all
    xor %eax, %eax
SITE site_call, 8
END
#endif

/* The consumer's own records, written by its assembler: what is replaced is a branch elsewhere. */
#if ALTPICK_TEST_LAYOUT != LAYOUT_altpick
.macro RECORD site, length, feature, flags, code, code_end, pad
    .pushsection .altinstructions, "a", @progbits
    .long \site - .
    .long \code - .
    .word \feature
#if ALTPICK_TEST_LAYOUT == LAYOUT_linux14
    .word \flags
    .byte \length, \code_end - \code
#elif ALTPICK_TEST_LAYOUT == LAYOUT_xen14
    .byte \length - \pad, \code_end - \code, \pad, 0
#else
    .byte \length, \code_end - \code
#if ALTPICK_TEST_LAYOUT == LAYOUT_linux13
    .byte \pad
#endif
#endif
    .popsection
.endm

#ifdef CONSUMER_LAST
RECORD site_own, 8, FEATURE(2), 0, own_code, own_end, 8
#else
RECORD site_call, 8, FEATURE(1), 0, own_code, own_end, 8
#endif

    .section .altinstr_replacement, "ax", @progbits
own_code:
    call helper
own_end:
#endif

#ifdef CONSUMER_FIRST
    .text
    .globl helper
helper:
    mov $7, %eax
    ret

/* An indirect call that linux14 makes direct. */
#if ALTPICK_TEST_LAYOUT == LAYOUT_linux14
    .section sites_text, "ax", @progbits
FUNCTION call_direct
    .globl site_direct
site_direct:
#ifdef __x86_64__
    call *pointer(%rip)
#else
    call *pointer
#endif
END
RECORD site_direct, 6, ALWAYS, 2, direct_code, direct_end, 0
    .section .altinstr_replacement, "ax", @progbits
direct_code:
    call bug
direct_end:
    .data
    .balign 8
pointer:
#ifdef __x86_64__
    .quad helper
#else
    .long helper
#endif
    .text
    .globl bug
bug:
    ud2
#endif
#endif

    .section .note.GNU-stack, "", @progbits
