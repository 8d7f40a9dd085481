/* SPDX-License-Identifier: MIT */
/* A tick that comes while the library does not have the CPU: it is acknowledged. */
#include "asm.h"

    .set    X2APIC_EOI, 0x80b

    .text

    .p2align 4
FUNCTION(efi_deadline_entry)
    push_registers rax, rcx, rdx
    movq    efi_deadline_apic(%rip), %rcx
    xorl    %eax, %eax
    testq   %rcx, %rcx
    jz      1f
    movl    %eax, (%rcx)
    jmp     2f
1:  xorl    %edx, %edx
    movl    $X2APIC_EOI, %ecx
    wrmsr
2:  pop_registers rax, rcx, rdx
    iretq
END(efi_deadline_entry)

END_OF_FILE
