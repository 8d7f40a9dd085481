/* SPDX-License-Identifier: MIT */
/* Runs a question's own look at each candidate, and compares what was saved, part by part. */
#include "look_run.h"

#include "altpick/err.h"
#include "bytes.h"
#include "check_run.h"
#include "live_run.h"

enum {
    NO_CANDIDATE = UINT32_MAX,
    CODE_AT = ALTPICK_LIVE_SLOTS_AT, /* in the arena: the first slot */
    HEADER_AT = 512,
    MXCSR_BYTES = 4,
    RETURN = 0xc3,
};

#define G(name) ALTPICK_GUARANTEE_##name

/* clang-format off */
const struct altpick_look_part altpick_look_parts[ALTPICK_LOOK_PARTS] = {
    {G(NO_LEAK_X87), G(INIT_X87), G(UNUSED_X87), 0x1,
     ALTPICK_FX_STATUS, ALTPICK_FX_OPCODE, ALTPICK_FX_ST, ALTPICK_FX_XMM},
    {0, G(X87_EMPTY), 0, 0x1, ALTPICK_FX_STATUS, ALTPICK_FX_OPCODE, 0, 0},
    /* AMD's saves leave the pointers out while no exception is pending; FNSTENV shows them. */
    {G(NO_LEAK_X87_POINTERS), G(INIT_X87_POINTERS), 0, 0x1,
     ALTPICK_FX_OPCODE, ALTPICK_FX_MXCSR,
     ALTPICK_FX_ENVIRONMENT_POINTERS, ALTPICK_FX_ENVIRONMENT_END},
    {G(NO_LEAK_X87_CONTROL), G(INIT_X87_CONTROL), 0, 0x1,
     ALTPICK_FX_CONTROL, ALTPICK_FX_STATUS, 0, 0},
    {G(NO_LEAK_MXCSR), G(INIT_MXCSR), 0, 0x2,
     ALTPICK_FX_MXCSR, ALTPICK_FX_MXCSR + MXCSR_BYTES, 0, 0},
    {G(NO_LEAK_XMM), G(INIT_XMM), G(UNUSED_XMM), 0x2, ALTPICK_FX_XMM, ALTPICK_FX_END, 0, 0},
    {G(NO_LEAK_YMM), G(INIT_YMM), G(UNUSED_YMM), 0x4, 0, 0, 0, 0},
    {G(NO_LEAK_BND), G(INIT_BND), G(UNUSED_BND), 0x18, 0, 0, 0, 0},
    {G(NO_LEAK_OPMASK), G(INIT_OPMASK), G(UNUSED_OPMASK), 0x20, 0, 0, 0, 0},
    {G(NO_LEAK_ZMM), G(INIT_ZMM), G(UNUSED_ZMM), 0x40, 0, 0, 0, 0},
    {G(NO_LEAK_HI16_ZMM), G(INIT_HI16_ZMM), G(UNUSED_HI16_ZMM), 0x80, 0, 0, 0, 0},
    {G(NO_LEAK_TILE), G(INIT_TILE), G(UNUSED_TILE), 0x60000, 0, 0, 0, 0},
    {G(NO_LEAK_APX), G(INIT_APX), G(UNUSED_APX), 0x80000, 0, 0, 0, 0},
};
/* clang-format on */

int altpick_look_place(const struct altpick_looking *looking, const uint8_t *code, size_t bytes,
                       const void **ret_entry)
{
    const struct altpick_live *live = looking->live;

    if (live->arena_bytes < CODE_AT + bytes + 1)
        return ALTPICK_ENOSPACE;
    altpick_copy_bytes(live->write_view + CODE_AT, code, bytes);
    live->write_view[CODE_AT + bytes] = RETURN;
    *ret_entry = live->execute_view + CODE_AT;
    return looking->timer->sync(looking->timer->ctx);
}

struct altpick_xstate_call altpick_look_call(const struct altpick_looking *looking, unsigned fill,
                                             const void *entry, enum altpick_data data)
{
    const struct altpick_live *live = looking->live;

    altpick_zero(altpick_live_scratch(live, fill), live->xstate->bytes);
    return (struct altpick_xstate_call){
        .fill = altpick_live_fill(live, fill),
        .after = altpick_live_scratch(live, fill),
        .reset = altpick_live_data(live, ALTPICK_DATA_XSAVE_IMAGE),
        .code = entry,
        .data = altpick_live_data(live, data),
        .mask = live->xstate->has_xsave ? live->xstate->xcr0 : 0,
        .asks_in_use = live->xstate->has_xgetbv1,
        .flag = altpick_live_flag(live, data),
    };
}

void altpick_look_run(const struct altpick_looking *looking, struct altpick_xstate_call *call)
{
    altpick_live_begin(looking->live, NULL, false);
    altpick_xstate_run(call);
    altpick_live_end(looking->live);
}

void altpick_look_note(struct altpick_looking *looking, uint32_t candidate, unsigned guarantee,
                       bool holds)
{
    if (guarantee == 0)
        return;
    looking->session->looked[candidate] |= UINT64_C(1) << guarantee;
    if (holds)
        looking->session->held[candidate] |= UINT64_C(1) << guarantee;
}

bool altpick_look_has(const struct altpick_xstate *xstate, const struct altpick_look_part *part)
{
    return (xstate->xcr0 & part->component) != 0;
}

bool altpick_look_equal(const struct altpick_xstate *xstate, const struct altpick_look_part *part,
                        const uint8_t *a, const uint8_t *b)
{
    if (part->end)
        return altpick_equal_bytes(a + part->first, b + part->first, part->end - part->first) &&
               altpick_equal_bytes(a + part->more_first, b + part->more_first,
                                   part->more_end - part->more_first);
    for (unsigned bit = 0; bit < ALTPICK_XSTATE_BITS; bit++) {
        uint32_t at = xstate->at[bit].offset;

        if (part->component >> bit & 1 && xstate->xcr0 >> bit & 1 &&
            !altpick_equal_bytes(a + at, b + at, xstate->at[bit].bytes))
            return false;
    }
    return true;
}

void altpick_look_normalise(const struct altpick_xstate *xstate, uint8_t *area)
{
    uint64_t used = area[HEADER_AT] | (uint64_t) area[HEADER_AT + 1] << 8 |
                    (uint64_t) area[HEADER_AT + 2] << 16;

    if (!xstate->has_xsave)
        return;
    for (unsigned bit = 2; bit < ALTPICK_XSTATE_BITS; bit++) {
        if (xstate->xcr0 >> bit & 1 && !(used >> bit & 1))
            altpick_zero(area + xstate->at[bit].offset, xstate->at[bit].bytes);
    }
    if (!(used & 2))
        altpick_zero(area + ALTPICK_FX_XMM, ALTPICK_FX_END - ALTPICK_FX_XMM);
    if (!(used & 1)) {
        altpick_zero(area, ALTPICK_FX_MXCSR);
        altpick_zero(area + ALTPICK_FX_ST, ALTPICK_FX_XMM - ALTPICK_FX_ST);
        area[ALTPICK_FX_CONTROL] = ALTPICK_X87_CONTROL_INIT & 0xff;
        area[ALTPICK_FX_CONTROL + 1] = ALTPICK_X87_CONTROL_INIT >> 8;
    }
}

static bool is_due(const struct altpick_session *session, uint32_t i)
{
    return session->state[i] == ALTPICK_CELL_ACTIVE && !session->seen[i];
}

int altpick_look_session(const struct altpick_question *question, struct altpick_looking *looking)
{
    struct altpick_session *session = looking->session;
    int r = ALTPICK_OK;

    if (!question->look || !looking->live->xstate || !looking->live->xstate->bytes)
        return r;
    looking->question = question;
    for (uint32_t i = 0; i < session->n_candidates && r == 0; i++) {
        if (!is_due(session, i))
            continue;
        if (altpick_session_is_late(session, looking->timer))
            break;
        session->running = i;
        r = question->look(looking, i);
        session->seen[i] = r == 0;
    }
    session->running = NO_CANDIDATE;
    return r;
}
