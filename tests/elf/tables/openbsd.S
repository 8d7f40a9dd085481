/* SPDX-License-Identifier: MIT */
/* Records as CODEPATCH_END of OpenBSD makes them. */
#include "code.inc"

.macro record site, bytes, tag
    .pushsection .codepatch, "a"
    ADDRESS \site
    .short \bytes, \tag
#ifdef __x86_64__
    .int 0
#endif
    .popsection
.endm

    .text
    .globl start
start:
    ret
a:  .byte 0x0f, 0x1f, 0x00 /* becomes stac */
b:  .byte 0x0f, 0x1f, 0x00 /* becomes clac */
c:  xorl %eax, %eax
    .byte 0x66, 0x90, 0x90
    ret
    record a, 3, 1
    record b, 3, 2
    record c, 5, 300
    record a, 3, 1
    .section .note.GNU-stack, "", @progbits
