/* SPDX-License-Identifier: MIT */
/*
 * Code with sites.  Each default is right on every CPU and is what runs until sites are patched;
 * where the table has nothing for a site, or this CPU lacks what that needs, it stays.
 */
#include "altpick/site.h"

    .text

/* void mini_fpu_init(const void *data, uint32_t has_xsave): nothing of any task is left after it */
    .balign 16
    .globl mini_fpu_init
mini_fpu_init:
    movl %esi, %eax
    altpick_site_begin
    fninit                     /* values of our own for the x87 pointers: AMD before family 17h */
    fildl 24(%rdi)             /* keeps those of another task when state is restored */
    testl %eax, %eax
    jz 1f
    movl $0xfffffdff, %eax     /* all of XCR0 but PKRU */
    orl $-1, %edx
    xrstor64 (%rdi)
    jmp 2f
1:  fxrstor64 (%rdi)
2:
    altpick_site_end "fpu.init.body", 190
    ret

/* void mini_save(void *area, uint32_t has_xsave) */
    .balign 16
    .globl mini_save
mini_save:
    movl %esi, %eax
    altpick_site_begin
    testl %eax, %eax
    jz 1f
    movl $0xfffffdff, %eax
    orl $-1, %edx
    xsave64 (%rdi)
    jmp 2f
1:  fxsave64 (%rdi)
2:
    altpick_site_end "xstate.save", 32
    ret

/* void mini_restore(const void *area, uint32_t has_xsave): what mini_save() wrote, and only that */
    .balign 16
    .globl mini_restore
mini_restore:
    movl %esi, %eax
    altpick_site_begin
    fninit
    fildl 24(%rdi)
    testl %eax, %eax
    jz 1f
    movl $0xfffffdff, %eax
    orl $-1, %edx
    xrstor64 (%rdi)
    jmp 2f
1:  fxrstor64 (%rdi)
2:
    altpick_site_end "xstate.restore", 32
    ret

/* void mini_trace(void): turned on, its NOP is a call of mini_trace_hit() */
    .balign 16
    .globl mini_trace, mini_trace_site
mini_trace:
    altpick_site_gap 11        /* as a compiler would align what follows */
mini_trace_site:
    altpick_site_begin
    .byte 0x0f, 0x1f, 0x44, 0, 0
    altpick_site_end "nop.text-poke.5", 5
    ret

    .balign 16
    .globl mini_trace_hit
mini_trace_hit:
    incq mini_trace_hits
    ret

    .bss
    .balign 8
    .globl mini_trace_hits
mini_trace_hits:
    .skip 8

    .section .note.GNU-stack, "", @progbits
