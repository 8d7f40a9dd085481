/* SPDX-License-Identifier: MIT */
/*
 * Turns an owner and a generation into the value of every register, and a value back into its
 * owner.  A byte is the owner in three bits and, in five, the generation plus a number that
 * depends on the place: a single byte tells its owner, and two tell one who is not.
 */
#include "leak.h"

#include "bytes.h"
#include "check_run.h"
#include "xstate_run.h"

enum {
    HEADER_AT = 512,
    HEADER_BYTES = 64,
    AREA_ALIGN = 64,
    OWNER_SHIFT = 5,
    GENERATION_MASK = ALTPICK_LEAK_GENERATIONS - 1,
    TILE_ROWS = 8,
    TILE_ROW_BYTES = 64,
    TILE_ROWS_EACH = 16,
    FIELD_BYTES_MAX = 64,
    ENOUGH = 4,    /* bytes of one owner that no accident makes */
    SAVES_MAX = 2, /* that a register may be mixed of; text and constants look like many */
};

/* @at: in an area, or where an area has what FNSTENV shows. */
static uint8_t place_number(const struct altpick_leak_part *part, uint32_t at)
{
    if (part->shows)
        at = at - part->offset + part->shows;
    return (uint8_t) ((at * 11 + (at >> 5) * 7) & GENERATION_MASK);
}

static uint8_t tag(const struct altpick_leak_part *part, struct altpick_leak_state state,
                   uint32_t at)
{
    if (state.owner == ALTPICK_LEAK_NOBODY)
        return 0;
    return (uint8_t) (state.owner << OWNER_SHIFT |
                      ((place_number(part, at) + state.generation) & GENERATION_MASK));
}

/* Rounding and the infinity bit are the owner; precision, which has three values, the generation.
 */
static uint16_t control_of(struct altpick_leak_state state)
{
    static const uint16_t precision[] = {0x300, 0x200, 0x000};

    if (state.owner == ALTPICK_LEAK_NOBODY)
        return ALTPICK_X87_CONTROL_INIT;
    return (uint16_t) (0x7f | precision[state.generation % 3] | (state.owner & 3) << 10 |
                       (state.owner >> 2) << 12);
}

/* C0, C1 and C2 are the owner; TOP and C3, with masked exceptions, the generation. */
static uint16_t status_of(struct altpick_leak_state state)
{
    if (state.owner == ALTPICK_LEAK_NOBODY)
        return 0;
    return (uint16_t) (state.owner << 8 | (state.generation & 7) << 11 |
                       (state.generation >> 3 & 1) << 14 | (state.generation >> 4 & 1) << 5);
}

/* Rounding and flush-to-zero are the owner; the flags of masked exceptions the generation. */
static uint32_t mxcsr_of(struct altpick_leak_state state)
{
    if (state.owner == ALTPICK_LEAK_NOBODY)
        return ALTPICK_MXCSR_INIT;
    return ALTPICK_MXCSR_INIT | (uint32_t) state.owner << 13 | state.generation;
}

static uint16_t opcode_of(struct altpick_leak_state state)
{
    if (state.owner == ALTPICK_LEAK_NOBODY)
        return 0;
    return (uint16_t) (state.owner << 8 | state.generation << 3);
}

/*
 * Palette 1 with tiles of the largest rows (SDM vol. 1, 18.2).  The rows of the last three tell the
 * owner; tiles are patterned in the half that both numbers of rows have.
 */
static void make_tile_configuration(struct altpick_leak_state state, uint8_t *at)
{
    altpick_zero(at, FIELD_BYTES_MAX);
    if (state.owner == ALTPICK_LEAK_NOBODY)
        return;
    at[0] = 1;
    for (unsigned i = 0; i < TILE_ROWS; i++) {
        unsigned bit = i >= 5 ? (unsigned) state.owner >> (i - 5) & 1u : 0;

        altpick_put(at + 16 + 2 * i, 2, TILE_ROW_BYTES);
        at[48 + i] = (uint8_t) (TILE_ROWS_EACH - bit);
    }
}

/* The value of a part that has fields, in part->bytes bytes. */
static void make_fields(const struct altpick_leak_part *part, struct altpick_leak_state state,
                        uint8_t *to)
{
    const unsigned at = part->shows ? part->shows : part->offset;

    if (part->bytes == FIELD_BYTES_MAX)
        make_tile_configuration(state, to);
    else if (at == ALTPICK_FX_CONTROL)
        altpick_put(to, 2, control_of(state));
    else if (at == ALTPICK_FX_STATUS)
        altpick_put(to, 2, status_of(state));
    else if (at == ALTPICK_FX_OPCODE)
        altpick_put(to, 2, opcode_of(state));
    else
        altpick_put(to, 4, mxcsr_of(state));
}

static void make_register(const struct altpick_leak_part *part, uint32_t at,
                          struct altpick_leak_state state, uint8_t *area)
{
    if (part->tag_bytes == 0) {
        make_fields(part, state, area + at);
        return;
    }
    for (uint32_t i = part->tag_from; i < (uint32_t) part->tag_from + part->tag_bytes; i++)
        area[at + i] = tag(part, state, at + i);
}

void altpick_leak_make(const struct altpick_xstate *xstate, struct altpick_leak_state state,
                       uint8_t *area)
{
    altpick_zero(area, altpick_leak_area_bytes(xstate));
    for (unsigned i = 0; i < ALTPICK_LEAK_PARTS; i++) {
        const struct altpick_leak_part *part = &altpick_leak_parts[i];

        for (unsigned k = 0; k < part->registers && altpick_leak_has(xstate, part); k++)
            make_register(part, altpick_leak_at(xstate, part, k), state, area);
    }
    if (xstate->has_xsave && state.owner != ALTPICK_LEAK_NOBODY)
        altpick_put(area + HEADER_AT, 8, xstate->xcr0);
}

size_t altpick_leak_area_bytes(const struct altpick_xstate *xstate)
{
    size_t bytes = xstate->bytes;

    if (bytes < HEADER_AT + HEADER_BYTES)
        bytes = HEADER_AT + HEADER_BYTES;
    return (bytes + AREA_ALIGN - 1) / AREA_ALIGN * AREA_ALIGN;
}

/* Fields are few and small: whoever makes this value is its owner. */
static enum altpick_leak_whose tell_fields(const struct altpick_leak_part *part,
                                           const uint8_t *seen, const uint8_t *mask,
                                           uint8_t *ret_owner)
{
    for (unsigned k = 0; k <= ALTPICK_LEAK_OWNERS * ALTPICK_LEAK_GENERATIONS; k++) {
        struct altpick_leak_state state = {0};
        uint8_t value[FIELD_BYTES_MAX];
        bool same = true;

        if (k) {
            state.owner = (uint8_t) (1 + (k - 1) / ALTPICK_LEAK_GENERATIONS);
            state.generation = (uint8_t) ((k - 1) % ALTPICK_LEAK_GENERATIONS);
        }
        make_fields(part, state, value);
        for (unsigned i = 0; i < part->bytes; i++)
            same = same && ((value[i] ^ seen[i]) & mask[i]) == 0;
        if (same && k == 0)
            return ALTPICK_LEAK_IS_INITIAL;
        if (same) {
            *ret_owner = state.owner;
            return ALTPICK_LEAK_IS_OWNER;
        }
    }
    return ALTPICK_LEAK_IS_UNKNOWN;
}

enum altpick_leak_whose altpick_leak_tell(const struct altpick_xstate *xstate,
                                          const struct altpick_leak_part *part, unsigned index,
                                          const uint8_t *area, const uint8_t *expected,
                                          const uint8_t *mask, uint8_t *ret_owner)
{
    uint32_t start = altpick_leak_at(xstate, part, index);
    unsigned n = 0, owners = 0, zeros = 0, owner = 0, generations = 0;
    uint32_t generation_set = 0;

    if (part->tag_bytes == 0)
        return tell_fields(part, area + start, mask + start, ret_owner);
    for (uint32_t at = start; at < start + part->bytes; at++) {
        if (!((area[at] ^ expected[at]) & mask[at]))
            continue;
        n++;
        zeros += area[at] == 0;
        owners |= 1u << (area[at] >> OWNER_SHIFT);
        owner = area[at] >> OWNER_SHIFT;
        generation_set |= UINT32_C(1) << ((area[at] - place_number(part, at)) & GENERATION_MASK);
    }
    for (uint32_t set = generation_set; set; set &= set - 1)
        generations++;
    if (zeros == n)
        return ALTPICK_LEAK_IS_INITIAL;
    if (owner == ALTPICK_LEAK_NOBODY || owners != 1u << owner || generations > SAVES_MAX ||
        (generations > 1 && n < ENOUGH))
        return ALTPICK_LEAK_IS_UNKNOWN;
    *ret_owner = (uint8_t) owner;
    return ALTPICK_LEAK_IS_OWNER;
}
