/* SPDX-License-Identifier: MIT */
/* The macros of an emitted include, under the names that flavour elf declares. */
    .include ALTPICK_INCLUDE

    .macro code name:req
    .globl  altpick_\name\()_code
    .hidden altpick_\name\()_code
    .type   altpick_\name\()_code, @function
altpick_\name\()_code:
    altpick_\name
    ret
    .size   altpick_\name\()_code, . - altpick_\name\()_code
    .endm

    .text
    code    fpu_init
    code    kernel_fpu_begin_sse
    code    kernel_fpu_begin_x87
    code    kernel_fpu_begin_efi
    code    refcount_add
    code    refcount_inc
    code    refcount_inc_not_zero
    code    refcount_dec
    code    refcount_dec_and_test
    code    refcount_sub_and_test

    .macro  data name:req
    .globl  altpick_\name
    .hidden altpick_\name
    .balign 64
altpick_\name:
    altpick_\name
    .endm

    .section .rodata
    data    mxcsr_init
    data    fpu_init_data

    .section .note.GNU-stack, "", @progbits
