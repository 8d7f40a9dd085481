/* SPDX-License-Identifier: MIT */
/* Records as HOTPATCH of NetBSD makes them: without alignment, the address last. */
#include "code.inc"

.macro record name, bytes, site
    .pushsection .rodata.hotpatch, "a"
    .byte \name, \bytes
    ADDRESS \site
    .popsection
.endm

    .text
    .globl start
start:
    ret
a:  .byte 0x0f, 0x1f, 0x00
b:  .byte 0x0f, 0x1f, 0x44, 0x00, 0x00
    ret
    record 1, 3, a
    record 13, 5, b
    record 1, 3, a
    .section .note.GNU-stack, "", @progbits
