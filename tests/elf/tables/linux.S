/* SPDX-License-Identifier: MIT */
/* Records as struct alt_instr of Linux lays them out, in LAYOUT bytes, and lock prefixes. */
#include "code.inc"

/* inverted, direct_call: 0 or 1 */
.macro record site, replacement, feature, inverted, direct_call, site_bytes, bytes, padding
    .pushsection .altinstructions, "a"
    RELATIVE(\site)
    RELATIVE(\replacement)
#if LAYOUT == 14
    .word \feature, \inverted | \direct_call << 1
    .byte \site_bytes, \bytes
#elif LAYOUT == 13
    .word \feature
    .byte \site_bytes, \bytes, \padding
#else
    .word \feature | \inverted << 15
    .byte \site_bytes, \bytes
#endif
    .popsection
.endm

    .text
    .globl start, helper, other
start:
    ret
a:  .byte 0x90, 0x90, 0x90
b:  call helper
c:  jmp 1f
    .byte 0x0f, 0x1f, 0x00 /* nopl (%eax) */
1:
d:  call *MEMORY(pointer)
e:  .byte 0x0f, 0xae, 0xf0 /* mfence */
    .byte 0x90, 0x90, 0x90, 0x90
lock1:
    lock incl MEMORY(counter)
lock2:
    .byte 0x3e /* once a lock prefix */
    incl MEMORY(counter)
    .byte 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0
    ret
helper:
    ret
other:
    ret

    .section .altinstr_replacement, "ax"
ra: lfence
rb: call other
rc: jmp helper
rd: call helper
re: .byte 0xf0, 0x83, 0x44, 0x24, 0xfc, 0x00 /* lock addl $0, -4(%esp) */
end:

    record a, ra, 3*32+18, 0, 0, 3, 3, 3
#if LAYOUT == 13
    record b, rb, 9*32+20, 0, 0, 5, 5, 0
#else
    record b, rb, 9*32+20, 1, 0, 5, 5, 0
#endif
    record c, rc, 8*32+16, 0, 0, 5, 5, 3
    record c, end, 7*32+11, 0, 0, 5, 0, 3
#if LAYOUT == 14
    record d, rd, 3*32+21, 0, 1, 6, 5, 0
#else
    record d, rd, 3*32+21, 0, 0, 6, 5, 0
#endif
    record e, re, 0*32+26, 0, 0, 7, 6, 4

    .section .smp_locks, "a"
    .balign 4
    RELATIVE(lock1)
    RELATIVE(lock2)
#ifndef OBJECT
    .long 0 /* padding */
#endif

    .data
pointer:
    ADDRESS helper
counter:
    .long 0
    .section .note.GNU-stack, "", @progbits
