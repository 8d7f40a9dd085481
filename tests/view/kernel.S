/* SPDX-License-Identifier: MIT */
/* The smallest kernel that altpick view can be asked about.  RELEASE names the Linux it says to be;
 * FLAGS: records have flags (6.3 and later); DIRECT: direct calls (6.8 and later); MODULE: what it
 * calls is elsewhere; VDSO: the file of one that it holds. */

#ifdef FLAGS
#define RECORD(site, site_end, code, code_end, feature, inverted, direct)                          \
    .long site - ., code - .; .short feature, inverted | direct << 1;                              \
    .byte site_end - site, code_end - code
#else
#define RECORD(site, site_end, code, code_end, feature, inverted, direct)                          \
    .long site - ., code - .; .short feature | inverted << 15;                                     \
    .byte site_end - site, code_end - code
#endif

#ifdef __x86_64__
#define WORD .quad
#define POINTER %rsi
#else
#define WORD .long
#define POINTER %esi
#endif

    .text
    .globl _start, plain, calls, jumps, nested, locked, labelled, thunk
    .type _start, @function
    .type plain, @function
    .type calls, @function
    .type jumps, @function
    .type nested, @function
    .type locked, @function
    .type labelled, @function
    .type thunk, @function

_start:
    nop
plain:                                  /* 9*32+20: stac, else NOPs */
1:  nop
    nop
    nop
2:  .byte 0x0f, 0x1f, 0x00, 0x90, 0x90  /* never patched */
3:  ret
4:
    .size plain, . - plain

calls:                                  /* not 8*32+16: another function */
5:  call plain
6:  ret
    .size calls, . - calls

jumps:                                  /* 1*32+2: forwards, near */
7:  .byte 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90
8:  ret
    .size jumps, . - jumps

nested:                                 /* 2*32+1, then 2*32+2, which is longer */
9:  .byte 0xfa, 0xfa, 0xfa, 0xfa
10: ret
    .size nested, . - nested

locked:
11: lock incl (POINTER)
    ret
    .size locked, . - locked

labelled:
12: .byte 0x0f, 0x1f, 0x44, 0x00, 0x00
13: ret
    .size labelled, . - labelled

#ifdef DIRECT
    .globl direct
    .type direct, @function
direct:                                 /* 3*32+21: through a pointer */
#ifdef __x86_64__
14: call *pointer(%rip)
#else
14: call *pointer
#endif
15: ret
    .size direct, . - direct
#endif

thunk:
    ret
    .size thunk, . - thunk

    .globl a_function_whose_name_is_longer_than_what_is_left_of_a_line_of_a_hundred_columns
    .type a_function_whose_name_is_longer_than_what_is_left_of_a_line_of_a_hundred_columns, @function
a_function_whose_name_is_longer_than_what_is_left_of_a_line_of_a_hundred_columns:
16: .fill 120, 1, 0x90                  /* 5*32+2: a call, and padding that is longer than a line */
17: ret
18: .size a_function_whose_name_is_longer_than_what_is_left_of_a_line_of_a_hundred_columns, 18b - 16b

    .section .altinstr_replacement, "ax"
21: .byte 0x0f, 0x01, 0xcb              /* stac */
22:
#ifdef MODULE
23: call external
#else
23: call thunk
#endif
24:
25: jmp thunk
26:
27: .byte 0xfb
28: .byte 0xf4, 0xf4
29:
30: call thunk                          /* in place of BUG_func */
31:
32: call a_function_whose_name_is_longer_than_what_is_left_of_a_line_of_a_hundred_columns
33:

    .section .altinstructions, "a"
    RECORD(1b, 2b, 21b, 22b, 9*32+20, 0, 0)
    RECORD(2b, 3b, 22b, 22b, 5*32+1, 0, 0)
    RECORD(5b, 6b, 23b, 24b, 8*32+16, 1, 0)
    RECORD(7b, 8b, 25b, 26b, 1*32+2, 0, 0)
    RECORD(9b, 10b - 1, 27b, 28b, 2*32+1, 0, 0)
    RECORD(9b, 10b, 28b, 29b, 2*32+2, 0, 0)
#ifdef DIRECT
    RECORD(14b, 15b, 30b, 31b, 3*32+21, 0, 1)
#endif
    RECORD(16b, 17b, 32b, 33b, 5*32+2, 0, 0)

    .section .smp_locks, "a"
    .balign 4
    .long 11b - ., 0

    .section __jump_table, "aw"
    .balign 8
    .long 12b - ., 13b - .
    WORD pointer - .

    .data
    .balign 8
    .globl pointer
pointer:
    WORD plain

#ifdef MODULE
    .section .modinfo, "a"
    .asciz "vermagic=" RELEASE " SMP"
#else
    .section .rodata, "a"
    .asciz "Linux version " RELEASE " (somebody)"
#endif
#ifdef VDSO
    .section .vdso, "a"
    .balign 4096
    .incbin VDSO
#endif
    .section .note.GNU-stack, "", @progbits
