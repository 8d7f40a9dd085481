/* SPDX-License-Identifier: MIT */
/* Interrupts and exceptions of a boot program. */
#ifndef ALTPICK_BOOT_TRAP_H
#define ALTPICK_BOOT_TRAP_H

#include <stdint.h>

/* What was interrupted, as it lies on the stack.  x87 and vector state stay in the registers. */
struct boot_frame {
    uint64_t r15, r14, r13, r12, r11, r10, r9, r8, rbp, rdi, rsi, rdx, rcx, rbx, rax;
    uint64_t vector, error_code; /* error_code: 0 where the CPU pushes none */
    uint64_t rip, cs, rflags, rsp, ss;
};

/*
 * Returns the frame to go on with: @frame, changed or not, or that of another task on its own
 * stack.  Runs with interrupts off.
 */
typedef struct boot_frame *boot_trap_handler(struct boot_frame *frame);

/* Load the IDT.  All vectors report what happened, in words, and leave. */
void boot_trap_start(void);

/* Call @handler for @vector (0..255); NULL: report and leave again. */
void boot_trap_set(unsigned vector, boot_trap_handler *handler);

/* Say on both outputs what @frame is, and leave with BOOT_LEAVE_FAILED. */
_Noreturn void boot_trap_report(const struct boot_frame *frame);

#endif
