/* SPDX-License-Identifier: MIT */
/* Sites in assembly: one with instructions, a gap, and in 64-bit objects one of 32-bit code. */
#include "altpick/site.h"

    .section .text.count_in_assembly, "ax", @progbits
    .globl count_in_assembly
    .type count_in_assembly, @function
count_in_assembly:
#ifdef __x86_64__
    mov %edi, %eax
#else
    mov 4(%esp), %eax
#endif
    altpick_site_begin
    jmp 1f
    int3
1:  inc %eax
    altpick_site_end "test.assembly", 21
    altpick_site_gap 37
    ret
#ifdef __x86_64__
    .code32
    altpick_site_begin
    inc %eax
    altpick_site_end test.code32, 9, 1
    .code64
#endif
    .size count_in_assembly, . - count_in_assembly
    .section .note.GNU-stack, "", @progbits
