/* SPDX-License-Identifier: MIT */
/* What a generator prints: built once from decisions, the same for every format. */
#ifndef ALTPICK_OUTPUT_H
#define ALTPICK_OUTPUT_H

#include "altpick/decide.h"
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

struct altpick_output {
    const struct altpick_machine *machine; /* NULL: the default, nothing was measured */
    enum altpick_target target;
    struct altpick_nop_tables nop64, nop32;
};

/* The decisions that an output is made of; NULL where the machine was not asked. */
struct altpick_output_decisions {
    const struct altpick_decisions *nop_fill_64;   /* NULL: the recommended forms */
    const struct altpick_decisions *nop_fill_32;   /* the same */
    const struct altpick_decisions *nop_text_poke; /* the same; items ".2" and ".5" */
};

/*
 * Build the output of @machine's NOP decisions.  Returns ALTPICK_ENOFIT when an item is missing or
 * malformed, or its code does not fill its gap exactly with what its question accepts.  A form of
 * nop.text-poke that is a NOP in 64-bit code only is not taken for 32-bit code.
 */
int altpick_output_build(const struct altpick_machine *machine, const struct altpick_policy *policy,
                         const struct altpick_output_decisions *decisions,
                         struct altpick_output *ret_output);

/*
 * The output without any figures: recommended forms that no published CPU is bad at, the longest of
 * which has @max_nop_bytes at most, 0 for no limit.
 */
void altpick_output_default(uint32_t max_nop_bytes, struct altpick_output *ret_output);

#endif
