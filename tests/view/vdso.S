/* SPDX-License-Identifier: MIT */
/* A vDSO with one alternative, for kernel.S to hold. */
#ifdef FLAGS
#define FEATURE .short 3 * 32 + 18, 0
#else
#define FEATURE .short 3 * 32 + 18
#endif

    .text
    .globl gettime
    .type gettime, @function
gettime:
1:  .byte 0x0f, 0x31, 0x90, 0x90, 0x90  /* rdtsc */
2:  ret
    .size gettime, . - gettime

    .section .altinstr_replacement, "ax"
3:  .byte 0x0f, 0xae, 0xe8, 0x0f, 0x31  /* lfence, rdtsc */
4:
    .section .altinstructions, "a"
    .long 1b - ., 3b - .
    FEATURE
    .byte 2b - 1b, 4b - 3b
    .section .note.GNU-stack, "", @progbits
