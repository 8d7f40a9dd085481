/* SPDX-License-Identifier: MIT */
/* Smallest programs for altpick_kvm_run(), one for each of GUEST_...: each ends in its own way. */

    .set COM1, 0x3f8
    .set LEAVE, 0xf4
    .set NOWHERE, 0xd0000000   /* mapped, and no memory */

    .text
    .globl boot_entry64
boot_entry64:
#if defined GUEST_DONE         /* says a line and leaves with 0x5a */
    leaq line(%rip), %rsi
    movl $line_end - line, %ecx
    movw $COM1, %dx
    rep outsb
    movb $0x5a, %al
    outb %al, $LEAVE
    ud2
line:
    .ascii "a line\r\n"
line_end:
#elif defined GUEST_UART       /* what the UART of a PC can do, a letter for each step */
    movw $COM1 + 7, %dx        /* s: the scratch register keeps a value */
    movb $0xa5, %al
    outb %al, %dx
    inb %dx, %al
    cmpb $0xa5, %al
    jne out_of_here
    movw $COM1 + 3, %dx        /* d: the divisor is behind the data */
    movb $0x80, %al
    outb %al, %dx
    movw $COM1, %dx
    movb $12, %al
    outb %al, %dx
    xorl %eax, %eax
    inb %dx, %al
    cmpb $12, %al
    jne out_of_here
    movw $COM1 + 3, %dx
    movb $3, %al
    outb %al, %dx
    movw $COM1 + 4, %dx        /* l: a loop gives back what was sent, once */
    movb $0x10, %al
    outb %al, %dx
    movw $COM1, %dx
    movb $'x', %al
    outb %al, %dx
    movw $COM1 + 5, %dx
    inb %dx, %al
    cmpb $0x61, %al
    jne out_of_here
    movw $COM1, %dx
    inb %dx, %al
    cmpb $'x', %al
    jne out_of_here
    movw $COM1 + 5, %dx
    inb %dx, %al
    cmpb $0x60, %al
    jne out_of_here
    movw $COM1 + 4, %dx
    movb $3, %al
    outb %al, %dx
    inb $0x21, %al             /* a: what is absent reads as ones, and takes what is written */
    cmpb $0xff, %al
    jne out_of_here
    outb %al, $0x43
    movw $COM1, %dx
    movb $'.', %al
    outb %al, %dx
out_of_here:
    outb %al, $LEAVE
#elif defined GUEST_HALT
    hlt
#elif defined GUEST_LOOP
    movw $COM1, %dx
    movb $'L', %al
    outb %al, %dx
    movb $'\n', %al
    outb %al, %dx
1:  jmp 1b
#elif defined GUEST_POLL       /* leaves the guest all the time, and never ends */
    movw $COM1 + 5, %dx
1:  inb %dx, %al
    jmp 1b
#elif defined GUEST_FLOOD
    movw $COM1, %dx
1:  leaq boot_entry64(%rip), %rsi
    movl $4096, %ecx
    rep outsb
    jmp 1b
#elif defined GUEST_PORT_READ
    inb $0x70, %al
#elif defined GUEST_PORT_WIDE
    movw $COM1, %dx
    outw %ax, %dx
#elif defined GUEST_MMIO
    movl $NOWHERE, %eax
    movl %ebx, (%rax)
#elif defined GUEST_EMULATE    /* KVM must emulate it there, and its emulator does not have it */
    movl $NOWHERE, %edi
    popcntl (%rdi), %eax
#elif defined GUEST_XGETBV
    movl $0x40620, %eax        /* with OSXSAVE: else it is invalid */
    movq %rax, %cr4
    xorl %ecx, %ecx
    xgetbv
    movb $0x10, %al
    outb %al, $LEAVE
#elif defined GUEST_TRIPLE     /* the IDT is empty */
    ud2
#elif defined GUEST_ECHO       /* says its command line as its last one, and that it failed */
    leaq LINE(%rdi), %rsi      /* from tests/boot/kvm/meson.build */
    movw $COM1, %dx
1:  lodsb
    testb %al, %al
    jz 2f
    outb %al, %dx
    jmp 1b
2:  movb $'\n', %al
    outb %al, %dx
    movb $0x11, %al
    outb %al, $LEAVE
#elif defined GUEST_SAYS       /* what a test puts behind the mark */
    leaq says(%rip), %rsi
    movl says_length(%rip), %ecx
    movw $COM1, %dx
    rep outsb
    movb says_code(%rip), %al
    outb %al, $LEAVE

    .data
    .balign 16
    .ascii "what is to be said: "
says_length:
    .long 0
says_code:
    .byte 0
says:
    .skip 65536
#else
#error which guest?
#endif

    .section .note.GNU-stack, "", @progbits
