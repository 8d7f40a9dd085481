/* SPDX-License-Identifier: MIT */
/* Records of altpick's own, by hand. */
#include "code.inc"

#ifdef __x86_64__
#define FLAGS 0
#else
#define FLAGS 1
#endif

.macro record site, item, bytes, default_bytes
    .pushsection altpick_sites, "a"
    RELATIVE(\site)
    RELATIVE(\item)
    .byte \bytes, \default_bytes, FLAGS, 1
    .popsection
.endm

    .text
    .globl start
start:
    ret
a:  .byte 0x0f, 0x1f, 0x44, 0x00, 0x00
b:  .byte 0xf0, 0xff, 0x06 /* lock incl (%esi) */
    .byte 0x90, 0x90
    ret
    .section .rodata, "a"
gap:
    .asciz "nop.fill.5"
counter:
    .asciz "refcount.inc"
    record a, gap, 5, 5
    record b, counter, 5, 3
    .section .note.GNU-stack, "", @progbits
