/* SPDX-License-Identifier: MIT */
/* Tables made by hand, whose code refers to other sections: the linker fills in displacements. */
    .text
    .type forty_two, @function
forty_two:
    mov $42, %eax
    ret

#ifdef __x86_64__
#define KIND 1
#else
#define KIND 2
#endif

    .section .rodata.handmade, "a", @progbits
/* table NAME, ENTRIES: what a table starts with; padding is single-byte NOPs. */
.macro table name
    .balign 64
    .globl \name
    .hidden \name
    .type \name, @object
\name:
    .asciz "altpick-patches"
    .short 1, 2f - \name, 3f - \name, (4f - 3f) / 24, 5f - \name, 5f - \name, 0, 0
5:  .set gap, 0
    .rept 16
    .short 6f - \name
    .byte gap, 0
    .set gap, gap + 1
    .endr
    .rept 240
    .short 0
    .byte 0, (gap + 14) / 15
    .set gap, gap + 1
    .endr
6:  .fill 16, 1, 0x90
    .balign 4
.endm
/* entry NAME, ITEM, CODE, END, FIXUPS, COUNT */
.macro entry name, item, code, end, fixups, count
    .short \item - \name, \code - \name, \end - \code, 0, 0, 0, \fixups - \name
    .byte 0, \count, KIND, 0, 0, 0
    .long -1
.endm
.macro finish name
    .byte 0
2:  .size \name, . - \name
    .globl \name\()_bytes
    .hidden \name\()_bytes
    .type \name\()_bytes, @object
    .balign 4
\name\()_bytes:
    .long 2b - \name
    .size \name\()_bytes, 4
.endm

    table handmade_table
3:  entry handmade_table, item_call, code_call, end_call, fixups_call, 2
    entry handmade_table, item_count, code_count, end_count, fixups_call, 0
4:
fixups_call:
#ifdef __x86_64__
    .byte 1, 4, 5, 0, 7, 4, 11, 0
#else
    .byte 1, 4, 5, 0, 6, 4, 10, 0
#endif
item_call:
    .asciz "test.call"
item_count:
    .asciz "refcount.inc"
code_call:
#ifdef __x86_64__
    call forty_two
    add seven(%rip), %eax
#else
    call forty_two
    call add_seven
#endif
    jmp end_call
end_call:
code_count:
    lock
#ifdef __x86_64__
    incl (%rdi)
#else
    incl (%edi)
#endif
end_count:
    finish handmade_table

    table far_table
3:  entry far_table, item_short, code_short, end_short, fixup_short, 1
    entry far_table, item_call2, code_short, code_short, fixup_short, 0
4:
fixup_short:
    .byte 1, 1, 2, 0
item_short:
    .asciz "test.short"
item_call2:
    .asciz "test.call"
code_short:
    .byte 0xeb, 100 /* jmp 100 bytes on: far from any site */
end_short:
    finish far_table

    .balign 4
seven:
    .long 7
#ifdef __i386__
    .text
add_seven:
    add $7, %eax
    ret
#endif
    .section .note.GNU-stack, "", @progbits
