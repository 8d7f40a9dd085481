/* SPDX-License-Identifier: MIT */
/* Records as ALTCODEPATCH of Haiku makes them: offsets from where its kernel is loaded. */
#include "code.inc"

#define LOAD_BASE 0x80000000

.macro record site, bytes, tag
    .pushsection .altcodepatch, "a"
    .long \site - LOAD_BASE
    .short \bytes, \tag
    .popsection
.endm

    .text
    .globl start
start:
    ret
a:  .byte 0x0f, 0x1f, 0x00
b:  .byte 0x0f, 0x1f, 0x44, 0x00, 0x00
    ret
    record a, 3, 1
    record b, 5, 2
    record a, 3, 1
    .section .note.GNU-stack, "", @progbits
