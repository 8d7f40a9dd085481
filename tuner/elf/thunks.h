/* SPDX-License-Identifier: MIT */
/* Return thunks and retpolines into the instructions that Linux puts there without them. */
#ifndef ALTPICK_ELF_THUNKS_H
#define ALTPICK_ELF_THUNKS_H

#include "elf/apply.h"
#include "elf/overlay.h"
#include "elf/rewriters.h"

/* Which of the two passes is to be done, by the features that decide of it. */
struct altpick_thunks_plan {
    bool returns;    /* no X86_FEATURE_RETHUNK: jumps to the return thunk become returns */
    bool retpolines; /* no X86_FEATURE_RETPOLINE, or with LFENCE: plain indirect branches */
    bool lfence;     /* X86_FEATURE_RETPOLINE_LFENCE: behind an LFENCE, where that fits */
};

/*
 * What the passes of @plan write, in their order, allocated for the caller to free().  Sites that
 * the kernel would leave alone (no jump to the thunk, a form that does not fit) are not among them.
 * ALTPICK_ENOMEM.
 */
int altpick_thunks_make(const struct altpick_memory *memory,
                        const struct altpick_rewriters *rewriters,
                        const struct altpick_kernel *kernel, const struct altpick_thunks_plan *plan,
                        struct altpick_rewrite **ret_rewrites, size_t *ret_n,
                        struct altpick_diag *diag);

/*
 * The thunk that returns jump to: the target that most records of .return_sites share, or the
 * undefined symbol of that name.  False: there is none.
 */
bool altpick_thunks_return(const struct altpick_memory *memory,
                           const struct altpick_rewriters *rewriters, uint64_t *ret_address);

#endif
