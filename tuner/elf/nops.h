/* SPDX-License-Identifier: MIT */
/* NOPs within a site into fewer ones, as each generation of Linux does it. */
#ifndef ALTPICK_ELF_NOPS_H
#define ALTPICK_ELF_NOPS_H

#include "elf/apply.h"

/*
 * Optimise the NOPs of the @bytes at @site by the rule of @kernel's engine, as entry @number.  It
 * ends where an instruction does not decode, as the kernel does, and returns that offset; else
 * @bytes.
 */
size_t altpick_nops_optimise(const struct altpick_kernel *kernel,
                             const struct altpick_patched *site, size_t bytes, uint32_t number);

/* A jump before NOPs, which ALTPICK_NOPS_WITH_JUMP may make one with them. */
struct altpick_nops_jump {
    size_t at;
    int64_t target; /* 0: none */
};

/*
 * One step of the same under ALTPICK_NOPS_WITH_JUMP, for an instruction of @insn_bytes at @at:
 * where NOPs start there, they become one and *ret_next is behind them; else false.
 */
struct altpick_insn;
bool altpick_nops_step(const struct altpick_kernel *kernel, const struct altpick_patched *site,
                       size_t bytes, uint32_t number, size_t at, const struct altpick_insn *insn,
                       struct altpick_nops_jump *jump, size_t *ret_next);

#endif
