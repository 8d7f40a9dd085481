/* SPDX-License-Identifier: MIT */
/* Brings a CPU from what PVH, multiboot2 or a monitor leaves to 64-bit C code (see info.h). */

    .set STACK_BYTES, 65536
    .set IST_BYTES, 16384
    .set BY_PVH, 1             /* BOOT_BY_... of info.h */
    .set BY_MULTIBOOT2, 2
    .set LEAVE_UNFIT, 0x12     /* BOOT_LEAVE_UNFIT of leave.h */

    .set ID_FLAG, 1 << 21
    .set CPUID_MCE, 1 << 7     /* leaf 1 EDX */
    .set CPUID_FXSR, 1 << 24
    .set CPUID_SSE2, 1 << 26
    .set CPUID_LM, 1 << 29     /* leaf 0x80000001 EDX */

/* Multiboot2 Specification 2.0, 3.1: in the first 32 KiB of the file, aligned to 8. */
    .section .boot.head, "a", @progbits
    .balign 8
multiboot2:
    .long 0xe85250d6, 0, multiboot2_end - multiboot2
    .long -(0xe85250d6 + (multiboot2_end - multiboot2))
    .short 0, 0                /* the end of tags */
    .long 8
multiboot2_end:

/* Xen's public/elfnote.h: XEN_ELFNOTE_PHYS32_ENTRY. */
    .section .note.pvh, "a", @note
    .balign 4
    .long 4, 4, 18
    .asciz "Xen"
    .long start_pvh

    .section .boot.text, "ax", @progbits
    .code32
    .globl start_pvh, start_multiboot2
start_pvh:
    movl $BY_PVH, %ebp
    jmp start32
start_multiboot2:
    movl $BY_MULTIBOOT2, %ebp
start32:
    cli
    cld
    movl $stack_end, %esp
    pushl $0
    popfl
    movl %ebx, %edi            /* the loader's data */

    /* What is missing is told, whatever the CPU: there is no handler for faults yet. */
    pushfl                     /* a CPU whose EFLAGS.ID cannot change has no CPUID */
    popl %eax
    movl %eax, %ecx
    xorl $ID_FLAG, %eax
    pushl %eax
    popfl
    pushfl
    popl %eax
    xorl %ecx, %eax
    movl $no_cpuid, %esi
    testl $ID_FLAG, %eax
    jz refuse
    movl $0x80000000, %eax
    cpuid
    movl $no_long_mode, %esi
    cmpl $0x80000001, %eax
    jb refuse
    movl $0x80000001, %eax
    cpuid
    testl $CPUID_LM, %edx
    jz refuse
    movl $1, %eax
    cpuid
    movl $no_sse2, %esi
    testl $CPUID_SSE2, %edx
    jz refuse
    movl $no_fxsr, %esi
    testl $CPUID_FXSR, %edx
    jz refuse

    /* PAE, OSFXSR, OSXMMEXCPT; machine checks are taken, not a shutdown. */
    movl $0x620, %eax
    testl $CPUID_MCE, %edx
    jz 1f
    orl $0x40, %eax
1:  movl %eax, %cr4
    call make_page_tables
    movl $page_map, %eax
    movl %eax, %cr3
    movl $0xc0000080, %ecx     /* EFER.LME */
    rdmsr
    orl $0x100, %eax
    wrmsr
    movl $0x80010033, %eax     /* PG, WP, NE, ET, MP, PE; no EM, no TS; caches on */
    movl %eax, %cr0
    lgdt gdt_pointer
    ljmp $8, $start64

/* 4 GiB mapped to themselves in pages of 2 MiB, writable and executable. */
make_page_tables:
    xorl %ecx, %ecx
1:  movl %ecx, %eax
    shll $21, %eax
    orl $0x83, %eax
    movl %eax, page_directories(, %ecx, 8)
    movl $0, page_directories + 4(, %ecx, 8)
    incl %ecx
    cmpl $2048, %ecx
    jne 1b
    movl $page_directories + 3, %eax
    xorl %ecx, %ecx
2:  movl %eax, page_directory_pointers(, %ecx, 8)
    addl $4096, %eax
    incl %ecx
    cmpl $4, %ecx
    jne 2b
    movl $page_directory_pointers + 3, page_map
    ret

/* ESI: text.  To COM1, 115200 8N1, and to the top of a VGA text screen; then out. */
refuse:
    movl $uart_setup, %ebx
1:  movzwl (%ebx), %edx
    testl %edx, %edx
    jz 2f
    movb 2(%ebx), %al
    outb %al, %dx
    addl $3, %ebx
    jmp 1b
2:  movl $0xb8000, %edi
    movl $80 * 25, %ecx
    movl $0x0720, %eax
    rep stosw
    movl $0xb8000, %edi
    movl $0xb8000, %ebp        /* the line */
3:  lodsb
    testb %al, %al
    jz 5f
    cmpb $'\n', %al
    jne 4f
    movb $'\r', %al
    call uart_put
    movb $'\n', %al
    call uart_put
    addl $160, %ebp
    movl %ebp, %edi
    jmp 3b
4:  call uart_put
    movb $0x07, %ah
    stosw
    jmp 3b
5:  movb $LEAVE_UNFIT, %al
    outb %al, $0xf4
6:  cli
    hlt
    jmp 6b

/* AL; waits a bounded time for room.  Where there is no UART, reads give ones: no time. */
uart_put:
    movb %al, %ah
    movl $65536, %ecx
    movw $0x3fd, %dx
1:  inb %dx, %al
    testb $0x20, %al
    loopz 1b
    movw $0x3f8, %dx
    movb %ah, %al
    outb %al, %dx
    ret

    .section .boot.rodata, "a", @progbits
uart_setup:                    /* port, value */
    .irp pair, 0x003f9, 0x803fb, 0x013f8, 0x003f9, 0x033fb, 0x073fa, 0x033fc
    .short \pair & 0xfff
    .byte \pair >> 12
    .endr
    .short 0
no_cpuid:
    .ascii "altpick: this CPU has no CPUID instruction: it is older than x86-64.\n"
    .asciz "altpick: nothing was measured.\n"
no_long_mode:
    .ascii "altpick: this CPU has no long mode: an x86-64 CPU is needed.\n"
    .asciz "altpick: nothing was measured.\n"
no_sse2:
    .ascii "altpick: this CPU has no SSE2, which every x86-64 CPU has.\n"
    .asciz "altpick: nothing was measured.\n"
no_fxsr:
    .ascii "altpick: this CPU has no FXSAVE, which every x86-64 CPU has.\n"
    .asciz "altpick: nothing was measured.\n"

    .text
    .code64
start64:
    movl $stack_end, %esp
    movl %edi, %r12d
    movl %ebp, %r13d
    call load_segments
    movl %r13d, %edi
    movl %r12d, %esi
    call boot_begin_loaded
1:  cli
    hlt
    jmp 1b

    .globl boot_entry64
boot_entry64:
    movl $stack_end, %esp
    movq %rdi, %r12
    call load_segments
    movq %r12, %rdi
    call boot_begin
1:  cli
    hlt
    jmp 1b

/* GDT, TSS and stack of our own. */
load_segments:
    popq %rdx
    movl $tss, %eax            /* base 15:0, 23:16 and 31:24; all addresses are under 4 GiB */
    movw %ax, gdt_tss + 2
    shrl $16, %eax
    movb %al, gdt_tss + 4
    movb %ah, gdt_tss + 7
    movb $0x89, gdt_tss + 5    /* available again, should it have been loaded before */
    movl $ist_end, tss + 36    /* IST1 */
    lgdt gdt_pointer
    movl $stack_end, %esp
    movl $16, %eax
    movl %eax, %ds
    movl %eax, %es
    movl %eax, %ss
    xorl %eax, %eax
    movl %eax, %fs
    movl %eax, %gs
    movl $24, %eax
    ltr %ax
    pushq $8
    pushq %rdx
    lretq

    .data
    .balign 16
gdt:
    .quad 0
    .quad 0x00af9b000000ffff   /* 8: 64-bit code */
    .quad 0x00cf93000000ffff   /* 16: data */
gdt_tss:                       /* 24 */
    .quad 0x0000890000000067
    .quad 0
gdt_pointer:
    .short gdt_pointer - gdt - 1
    .quad gdt
    .balign 16
tss:
    .skip 102
    .short 104                 /* no I/O permission map */

    .bss
    .balign 4096
page_map:
    .skip 4096
page_directory_pointers:
    .skip 4096
page_directories:
    .skip 4 * 4096
    .skip IST_BYTES
ist_end:
    .skip STACK_BYTES
stack_end:

    .section .note.GNU-stack, "", @progbits
