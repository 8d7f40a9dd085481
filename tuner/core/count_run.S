/* SPDX-License-Identifier: MIT */
/* Runs an operation on a reference counter as the users of its code do. */
#include "asm.h"

    .text

/*
 * uint64_t altpick_count_run(const void *code, void *counter, uint32_t amount): eax, and ecx in the
 * upper half.  eax is no result beforehand, so that an operation that sets a part of it is seen.
 */
FUNCTION(altpick_count_run)
    movq    %rdi, %r8
    movq    %rsi, %rdi
    movl    %edx, %esi
    xorl    %ecx, %ecx
    movl    $0x5a5a5a5a, %eax
    call    *%r8
    movl    %eax, %eax
    shlq    $32, %rcx
    orq     %rcx, %rax
    ret
END(altpick_count_run)

END_OF_FILE
