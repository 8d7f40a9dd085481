/* SPDX-License-Identifier: MIT */
/* What a candidate leaves of two different states: the same (no-leak), or the initial one. */
#include "look_run.h"

#include "altpick/err.h"
#include "bytes.h"
#include "check_run.h"
#include "live_run.h"

enum { LOOKS = 3 };

/* What is left of both fills, and of XINUSE, when @code ran between. */
struct left {
    uint8_t *after[2];
    uint64_t in_use;
};

static int run_both(struct altpick_looking *looking, const uint8_t *code, size_t bytes,
                    enum altpick_data data, struct left *ret)
{
    const void *entry;
    int r = altpick_look_place(looking, code, bytes, &entry);

    ret->in_use = 0;
    for (unsigned fill = 0; fill < 2 && r == 0; fill++) {
        struct altpick_xstate_call call = altpick_look_call(looking, fill, entry, data);

        altpick_look_run(looking, &call);
        altpick_look_normalise(looking->live->xstate, call.after);
        ret->after[fill] = call.after;
        ret->in_use |= call.in_use;
    }
    return r;
}

/*
 * The positive control: what two fills do not tell apart when nothing runs between them, such as
 * x87 pointers where FXSAVE leaves them out, cannot be seen to leak.  Bit n: part n can be seen.
 */
static int find_visible(struct altpick_looking *looking, uint32_t *ret_visible)
{
    static const uint8_t nothing;
    const struct altpick_xstate *xstate = looking->live->xstate;
    struct left left;
    int r = run_both(looking, &nothing, 0, ALTPICK_DATA_NONE, &left);

    *ret_visible = 0;
    for (unsigned i = 0; i < ALTPICK_LOOK_PARTS && r == 0; i++) {
        const struct altpick_look_part *part = &altpick_look_parts[i];

        if (altpick_look_has(xstate, part) &&
            !altpick_look_equal(xstate, part, left.after[0], left.after[1]))
            *ret_visible |= 1u << i;
    }
    return r;
}

/* The initial state as it looks when it is saved, in the save area. */
static int see_initial(struct altpick_looking *looking, const uint8_t **ret_initial)
{
    static const uint8_t nothing;
    struct altpick_xstate_call call;
    const void *entry;
    int r = altpick_look_place(looking, &nothing, 0, &entry);

    if (r < 0)
        return r;
    call = altpick_look_call(looking, 0, entry, ALTPICK_DATA_NONE);
    call.fill = call.reset;
    call.after = altpick_live_data(looking->live, ALTPICK_DATA_SAVE_AREA);
    altpick_zero(call.after, looking->live->xstate->bytes);
    altpick_look_run(looking, &call);
    altpick_look_normalise(looking->live->xstate, call.after);
    *ret_initial = call.after;
    return ALTPICK_OK;
}

/*
 * Run @candidate, again while components are in use: a task switch before XINUSE is read may set
 * what the code has cleared, and does so once in thousands of looks on a loaded machine.
 */
static int run_candidate(struct altpick_looking *looking, const struct altpick_candidate *candidate,
                         struct left *ret)
{
    uint64_t in_use = UINT64_MAX;
    int r = ALTPICK_OK;

    for (unsigned i = 0; i < LOOKS && in_use && r == 0; i++) {
        r = run_both(looking, candidate->code, candidate->code_bytes, candidate->data, ret);
        in_use &= ret->in_use;
    }
    ret->in_use = in_use;
    return r;
}

int altpick_look_state(struct altpick_looking *looking, uint32_t i)
{
    const struct altpick_candidate *candidate = &looking->session->candidates[i];
    const struct altpick_xstate *xstate = looking->live->xstate;
    const uint8_t *initial = NULL;
    uint32_t visible = 0;
    struct left left;
    int r = see_initial(looking, &initial);

    if (r == 0)
        r = find_visible(looking, &visible);
    if (r == 0)
        r = run_candidate(looking, candidate, &left);
    for (unsigned k = 0; k < ALTPICK_LOOK_PARTS && r == 0; k++) {
        const struct altpick_look_part *part = &altpick_look_parts[k];

        if (!(visible >> k & 1))
            continue;
        altpick_look_note(looking, i, part->no_leak,
                          altpick_look_equal(xstate, part, left.after[0], left.after[1]));
        altpick_look_note(looking, i, part->init,
                          altpick_look_equal(xstate, part, left.after[0], initial) &&
                              altpick_look_equal(xstate, part, left.after[1], initial));
        if (xstate->has_xgetbv1)
            altpick_look_note(looking, i, part->unused,
                              !(left.in_use & xstate->xcr0 & part->component));
    }
    return r;
}
