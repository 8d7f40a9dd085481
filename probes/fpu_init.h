/* SPDX-License-Identifier: MIT */
/* What fpu.init's files share: candidates, required guarantees, tables. */
#ifndef ALTPICK_PROBES_FPU_INIT_H
#define ALTPICK_PROBES_FPU_INIT_H

#include "altpick/decide.h"
#include "altpick/derived.h"
#include "altpick/look.h"
#include "altpick/question.h"
#include "code_bytes.h"

/* That nothing leaks is what the question asks: all candidates are held to it. */
#define FPU_INIT_PROMISES                                                                          \
    (GUARANTEE(NO_LEAK_X87) | GUARANTEE(NO_LEAK_X87_POINTERS) | GUARANTEE(NO_LEAK_X87_CONTROL) |   \
     GUARANTEE(NO_LEAK_MXCSR) | GUARANTEE(NO_LEAK_XMM) | GUARANTEE(NO_LEAK_YMM) |                  \
     GUARANTEE(NO_LEAK_BND) | GUARANTEE(NO_LEAK_OPMASK) | GUARANTEE(NO_LEAK_ZMM) |                 \
     GUARANTEE(NO_LEAK_HI16_ZMM) | GUARANTEE(NO_LEAK_TILE) | GUARANTEE(NO_LEAK_APX))

enum { FPU_INIT_BODY, FPU_INIT_WARM, FPU_INIT_N_ITEMS };

/* fpu_init_code.c */
size_t altpick_fpu_init_candidates(const struct altpick_question *question,
                                   struct altpick_candidate ret[ALTPICK_CANDIDATES_MAX]);
bool altpick_fpu_init_candidate(const struct altpick_question *question, size_t index,
                                struct altpick_candidate *ret);

/* Whether @code is what chooses at run time, which runs on every x86-64 CPU. */
bool altpick_fpu_init_dispatches(const struct altpick_candidate *candidate);

/* All of no-leak, exact-init and xinuse-clear. */
uint64_t altpick_fpu_init_state_guarantees(void);

/* What must hold where tasks own @components (bit n: enum altpick_component n). */
uint64_t altpick_fpu_init_requires(uint32_t components);

/* fpu_init_table.c */
altpick_derive_table altpick_fpu_init_derive;

#endif
