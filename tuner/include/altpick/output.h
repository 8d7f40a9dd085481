/* SPDX-License-Identifier: MIT */
/* What a generator prints: built once from decisions, the same for every format. */
#ifndef ALTPICK_OUTPUT_H
#define ALTPICK_OUTPUT_H

#include "altpick/decide.h"
#include "altpick/measure.h"
#include "altpick/nop.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ALTPICK_NOP_BYTES_MAX = ALTPICK_NOP_LONGEST, ALTPICK_GAP_OVERRIDES_MAX = 16 };

/* Machine code for one purpose, and the rule that chose it. */
struct altpick_string {
    uint8_t code[ALTPICK_CODE_MAX];
    uint32_t bytes;
    const char *remark; /* "clear", "kept", "pinned", "only-eligible" or "default"; static text */
};

/* Padding for one kind of code: 64-bit or 32-bit. */
struct altpick_nop_tables {
    struct altpick_string
        nop[ALTPICK_NOP_BYTES_MAX + 1]; /* [n]: fills exactly n bytes; [0] empty */
    uint32_t
        longest_nop_bytes; /* longer gaps: ceil(gap / longest) NOPs, split evenly, longer first */
    const char *longest_remark;
    uint32_t prefix_limit; /* most prefixes on one NOP before it loses to two NOPs */
    const char *prefix_remark;
    uint32_t jump_from_bytes; /* gaps from here on: jmp over filler; 0: never */
    const char *jump_remark;
    struct altpick_string
        gap[ALTPICK_GAP_OVERRIDES_MAX]; /* gaps whose even split lost, by length */
    size_t n_gaps;
    struct altpick_string text_poke2, text_poke5; /* one instruction, replaced while it may run */
};

/*
 * Code that does more than pad: one of the built-in candidates of a question, its bytes unchanged.
 * How it is entered, and what it may change, is its question's to say: rdi points to its data.
 */
struct altpick_body {
    const char *name; /* "kernel-fpu.begin.sse-32"; static text; NULL: there is no body */
    char candidate[ALTPICK_NAME_MAX]; /* "both-guarded" */
    uint8_t code[ALTPICK_CODE_MAX];
    uint32_t bytes;
    enum altpick_data data;
    uint64_t needs;     /* bit n: enum altpick_cpu_feature n, without which it must not run */
    const char *remark; /* as of struct altpick_string */
};

/* Who uses the FPU inside a kernel. */
enum altpick_fpu_user {
    ALTPICK_FPU_USER_SSE,
    ALTPICK_FPU_USER_X87,
    ALTPICK_FPU_USER_EFI,
    ALTPICK_N_FPU_USERS
};

enum { ALTPICK_BODY_DATA_MAX = 576 };

struct altpick_bodies {
    struct altpick_body fpu_init; /* 64-bit code only */
    uint64_t fpu_init_xcr0;       /* bits of XCR0 that it is right for: no other may be set */
    struct altpick_body kernel_fpu64[ALTPICK_N_FPU_USERS], kernel_fpu32[ALTPICK_N_FPU_USERS];
    /* By enum altpick_counter_op; the same bytes in both kinds of code. */
    struct altpick_body refcount[ALTPICK_N_COUNTER_OPS];
    /*
     * 64-bit code, for sites only: what saves a task's state, all but PKRU, and what reads that
     * back.  They need the same of a CPU, and are never applied one without the other.
     */
    struct altpick_body xstate_save, xstate_restore;
    uint64_t xstate_xcr0;                    /* bits of XCR0 that may be set, for both */
    char refcount_variant[ALTPICK_NAME_MAX]; /* "xadd"; empty: no bodies */
};

struct altpick_output {
    const struct altpick_machine *machine; /* NULL: the default, nothing was measured */
    enum altpick_target target;
    struct altpick_nop_tables nop64, nop32;
    struct altpick_bodies bodies;
};

/*
 * What an output has of a question, linked with it: what no question that is there refers to is in
 * no image.
 */
struct altpick_emitting {
    /* Put what is right on every CPU into *bodies.  NULL: every output has it from the start. */
    void (*begin)(const struct altpick_question *question, struct altpick_bodies *bodies);

    /* See altpick_output_take(). */
    int (*take)(const struct altpick_machine *machine, const struct altpick_policy *policy,
                const struct altpick_question *question, const struct altpick_decisions *decisions,
                struct altpick_output *output);
};

extern const struct altpick_emitting altpick_emits_nop_fill_64, altpick_emits_nop_fill_32,
    altpick_emits_nop_text_poke, altpick_emits_fpu_init, altpick_emits_kernel_fpu_begin,
    altpick_emits_refcount, altpick_emits_xstate_save;

/* The decisions that an output is made of; NULL where the machine was not asked. */
struct altpick_output_decisions {
    const struct altpick_decisions *nop_fill_64;   /* NULL: the recommended forms */
    const struct altpick_decisions *nop_fill_32;   /* the same */
    const struct altpick_decisions *nop_text_poke; /* the same; items ".2" and ".5" */
    const struct altpick_decisions *fpu_init;      /* NULL: what the default has; and so on */
    const struct altpick_decisions *kernel_fpu_begin;
    const struct altpick_decisions *refcount;
    const struct altpick_decisions *xstate_save; /* item ".all" */
};

/*
 * Build the output of @machine's decisions.  Returns ALTPICK_ENOFIT when an item is missing or
 * malformed, or its code does not fill its gap exactly with what its question accepts.  A form of
 * nop.text-poke that is a NOP in 64-bit code only is not taken for 32-bit code.  Bodies are the
 * built-in code of what won.  Needs 40 KiB of stack.
 */
int altpick_output_build(const struct altpick_machine *machine, const struct altpick_policy *policy,
                         const struct altpick_output_decisions *decisions,
                         struct altpick_output *ret_output);

/*
 * The output without any figures: recommended forms that no published CPU is bad at, the longest of
 * which has @max_nop_bytes at most, 0 for no limit; bodies that are right on every CPU.  Needs 4
 * KiB of stack.
 */
void altpick_output_default(uint32_t max_nop_bytes, struct altpick_output *ret_output);

/* The same with bodies of @n @questions only; there are none of others. */
void altpick_output_begin(const struct altpick_question *const *questions, size_t n,
                          uint32_t max_nop_bytes, struct altpick_output *ret_output);

/*
 * Make *output, which altpick_output_default() or an earlier call wrote, have what @decisions of
 * one question say, for @machine and @policy's target: so an output can be made with the decisions
 * of one question in memory at a time.  A question of which nothing is emitted changes nothing
 * else. Fails as altpick_output_build() does, and then *output is as it was.  Nothing in *output
 * refers to @decisions or @policy afterwards, but to @machine.  Needs 12 KiB of stack.
 */
int altpick_output_take(const struct altpick_machine *machine, const struct altpick_policy *policy,
                        const struct altpick_decisions *decisions, struct altpick_output *output);

/* Write the constant that code with @data is given; returns its bytes, 0 where it is given none. */
uint32_t altpick_body_data(enum altpick_data data, uint8_t ret[ALTPICK_BODY_DATA_MAX]);

#endif
