/* SPDX-License-Identifier: MIT */
/* Sites of which a list tells: listed_inc, 40 bytes, and listed_gap, 24 bytes. */

.macro function name
    .pushsection .text.\name, "ax", @progbits
    .globl \name
    .type \name, @function
\name:
.endm
.macro site name
    .globl \name
    .hidden \name
\name:
.endm

/* unsigned listed_count(unsigned *counter): returns the report. */
function listed_count
#ifdef __x86_64__
    mov $1, %esi
    xor %ecx, %ecx
    site listed_inc
    lock incl (%rdi)
    .fill 37, 1, 0x90
#else
    push %edi
    push %esi
    mov 12(%esp), %edi
    mov $1, %esi
    xor %ecx, %ecx
    site listed_inc
    lock incl (%edi)
    .fill 37, 1, 0x90
    pop %esi
    pop %edi
#endif
    mov %ecx, %eax
    ret
    .popsection

function listed_pad
    site listed_gap
    .fill 24, 1, 0x90
    ret
    .popsection

    .section .note.GNU-stack, "", @progbits
