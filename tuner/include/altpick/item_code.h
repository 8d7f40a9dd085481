/* SPDX-License-Identifier: MIT */
/* The code that an output has for one item, found by the item's name. */
#ifndef ALTPICK_ITEM_CODE_H
#define ALTPICK_ITEM_CODE_H

#include "altpick/output.h"

#include <stddef.h>
#include <stdint.h>

enum { ALTPICK_ITEM_PLACE_MAX = 255 }; /* bytes of the place where the code of an item is put */

/* Why there is no code, or that there is. */
enum altpick_item_answer {
    ALTPICK_ITEM_FOUND,
    ALTPICK_ITEM_UNKNOWN,    /* no item of this name has code, or this output has no body for it */
    ALTPICK_ITEM_OTHER_BITS, /* it is for the other kind of code */
    ALTPICK_ITEM_LENGTH      /* a replaceable NOP, which is as long as its place and no shorter */
};

struct altpick_item_code {
    uint8_t code[ALTPICK_CODE_MAX];
    uint32_t bytes;
    const struct altpick_body *body; /* of the output; NULL where the item is padding */
    uint64_t needs; /* bit n: enum altpick_cpu_feature n, beyond what every CPU that runs code of
                       these bits has and what the code itself asks for */
    uint64_t xcr0;  /* bits of XCR0 that may be set where it is run; UINT64_MAX: any */
};

/*
 * The code of @item for a place of @place_bytes (1 to ALTPICK_ITEM_PLACE_MAX) in code of @bits (64
 * or 32).  "nop.fill.64" and "nop.fill.32" fill the place; "nop.text-poke.2" and ".5" are one NOP;
 * everything else is a body, which may be longer than the place: "fpu.init.body",
 * "kernel-fpu.begin.sse", "refcount.inc", "xstate.save".  *ret_code is written only where it is
 * found.
 */
enum altpick_item_answer altpick_item_code(const struct altpick_output *output, const char *item,
                                           uint32_t bits, uint32_t place_bytes,
                                           struct altpick_item_code *ret_code);

/*
 * The length of the shortest code that may be decided for @item, whatever figures say: of padding 1
 * or that of the NOP, else of the built-in candidates that have what their question requires.  0
 * where there is no such item.
 */
uint32_t altpick_item_code_shortest(const char *item);

/* The name of item @index, in a fixed order; NULL beyond the last. */
const char *altpick_item_code_name(size_t index);

/*
 * Fill @bytes (1 to ALTPICK_ITEM_PLACE_MAX) by the rule of docs/formats.md: the table, a sequence
 * of its own, a jump, or pieces as even as possible.
 */
void altpick_nop_tables_fill(const struct altpick_nop_tables *tables, uint32_t bytes,
                             uint8_t *ret_code);

#endif
