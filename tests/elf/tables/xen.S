/* SPDX-License-Identifier: MIT */
/* Records as struct alt_instr of Xen lays them out, in LAYOUT bytes; SYMBOLS: between two of these. */
#include "code.inc"

#ifdef SYMBOLS
#define TABLE .init.rodata
#else
#define TABLE .altinstructions
#endif

#if LAYOUT == 14
#define INVERTED 1
#else
#define INVERTED 0
#endif

/* site_bytes: without the padding */
.macro record site, replacement, feature, inverted, site_bytes, bytes, padding
    .pushsection TABLE, "a"
    RELATIVE(\site)
    RELATIVE(\replacement)
#if LAYOUT == 14
    .word \feature | \inverted << 15
    .byte \site_bytes, \bytes, \padding, 0
#else
    .word \feature
    .byte \site_bytes + \padding, \bytes
#endif
    .popsection
.endm

    .text
    .globl start, helper
start:
    ret
a:  .byte 0x0f, 0x1f, 0x00
b:  sfence
    .byte 0x0f, 0x1f, 0x40, 0x00
c:  call helper
    ret
helper:
    ret

    .section .altinstr_replacement, "ax"
ra: lfence
rb: call helper
rc: .byte 0x90, 0x90

    .section .init.rodata, "a"
    .ascii "something else  "
    .globl __alt_instructions, __alt_instructions_end
#ifdef SYMBOLS
__alt_instructions:
#endif
    record a, ra, 19*32+15, 0, 3, 3, 0
    record b, rb, 19*32+12, INVERTED, 3, 5, 4
    record c, rc, 2*32+29, 0, 5, 2, 0
    record c, rc, 2*32+30, 0, 5, 0, 0
#ifdef SYMBOLS
__alt_instructions_end:
    .ascii "and else"
#endif
    .section .note.GNU-stack, "", @progbits
