/* SPDX-License-Identifier: MIT */
/* Turns one run of a candidate into the set of registers that it changed. */
#include "altpick/check.h"

#include "altpick/err.h"
#include "altpick/xstate.h"
#include "bytes.h"
#include "check_run.h"
#include "live_run.h"

enum {
    N_FILLS = 2,
    NO_CANDIDATE = UINT32_MAX,
    CODE_AT = ALTPICK_LIVE_SLOTS_AT, /* in the arena: the first slot */
    CODE_BYTES_MAX = 10 + ALTPICK_CODE_MAX + 26,
    RETURN = 0xc3,
};

/* One fill of everything, and what is left of it when nothing runs. */
struct fill {
    struct altpick_check_state before;
    struct altpick_check_state idle;
};

struct check {
    const struct altpick_live *live;
    const struct altpick_timer *timer;
    struct fill fill[N_FILLS];
    struct altpick_check_frame frame;
};

/*
 * General registers get two halves that are neither zero nor equal, so that a write of 32 bits
 * shows, and values that are no address, so that a use of them faults.
 */
static void make_general(struct altpick_check_state *state, unsigned fill)
{
    uint64_t flip = fill ? UINT64_MAX : 0;

    for (unsigned i = 0; i < ALTPICK_CHECK_GENERAL; i++)
        state->general[i] =
            (UINT64_C(0x6b8b4567327b23c6) ^ i * UINT64_C(0x0101010101010101)) ^ flip;
    for (unsigned i = 0; i < ALTPICK_CHECK_STACK; i++)
        state->stack[i] = (UINT64_C(0x643c98691e2d3a4b) ^ i) ^ flip;
    state->flags = fill ? 0 : ALTPICK_CHECK_FLAGS;
}

/* What a candidate with data is given, in both fills alike (question.h). */
static void make_inputs(struct altpick_check_state *state, const struct altpick_live *live,
                        enum altpick_data kind)
{
    state->general[ALTPICK_REGISTER_RAX] = altpick_live_flag(live, kind);
    state->general[ALTPICK_REGISTER_RCX] = 0;
    state->general[ALTPICK_REGISTER_RSI] = 1;
    state->general[ALTPICK_REGISTER_RDI] = (uint64_t) (uintptr_t) altpick_live_data(live, kind);
}

static uint32_t get32(const uint8_t *at)
{
    return (uint32_t) at[0] | (uint32_t) at[1] << 8 | (uint32_t) at[2] << 16 |
           (uint32_t) at[3] << 24;
}

/*
 * rax is loaded last and stored first, through the address of the frame, so that the code between
 * may change every register, the stack pointer too, and is still found out.
 */
static void emit(struct check *check, const uint8_t *code, size_t bytes)
{
    uint8_t *p = check->live->write_view + CODE_AT;
    uint64_t frame = (uint64_t) (uintptr_t) &check->frame;

    altpick_put(p, 2, 0xa148); /* mov rax, [before.general[0]] */
    altpick_put(p + 2, 8, frame + offsetof(struct altpick_check_frame, before));
    p += 10;
    altpick_copy_bytes(p, code, bytes);
    p += bytes;
    altpick_put(p, 2, 0xa348); /* mov [after.general[0]], rax */
    altpick_put(p + 2, 8, frame + offsetof(struct altpick_check_frame, after));
    altpick_put(p + 10, 2, 0xb848); /* mov rax, frame */
    altpick_put(p + 12, 8, frame);
    altpick_put(p + 20, 2, 0xa0ff); /* jmp [rax + landing] */
    altpick_put(p + 22, 4, offsetof(struct altpick_check_frame, landing));
}

static bool differs(const uint8_t *a, const uint8_t *b, unsigned first, unsigned end)
{
    return !altpick_equal_bytes(a + first, b + first, end - first);
}

static uint32_t changed_fx(const uint8_t *a, const uint8_t *b)
{
    uint32_t changed = 0;

    if (differs(a, b, ALTPICK_FX_CONTROL, ALTPICK_FX_STATUS))
        changed |= 1u << ALTPICK_REGISTER_X87_CONTROL;
    if (differs(a, b, ALTPICK_FX_STATUS, ALTPICK_FX_MXCSR) ||
        differs(a, b, ALTPICK_FX_ST, ALTPICK_FX_XMM))
        changed |= 1u << ALTPICK_REGISTER_X87;
    if (get32(a + ALTPICK_FX_MXCSR) != get32(b + ALTPICK_FX_MXCSR))
        changed |= 1u << ALTPICK_REGISTER_MXCSR;
    if (differs(a, b, ALTPICK_FX_XMM, ALTPICK_FX_END))
        changed |= 1u << ALTPICK_REGISTER_VECTORS;
    return changed;
}

static uint32_t changed_flags(uint64_t difference)
{
    uint32_t changed = 0;

    if (difference & ALTPICK_CHECK_FLAG_DF)
        changed |= 1u << ALTPICK_REGISTER_DF;
    if (difference & ALTPICK_CHECK_FLAG_AC)
        changed |= 1u << ALTPICK_REGISTER_AC;
    if (difference & ALTPICK_CHECK_STATUS_FLAGS)
        changed |= 1u << ALTPICK_REGISTER_FLAGS;
    return changed;
}

/* Run what was emitted with @fill; returns what changed besides x87 and SSE state. */
static uint32_t run(struct check *check, const struct altpick_candidate *candidate,
                    const struct fill *fill)
{
    struct altpick_check_frame *frame = &check->frame;
    uint32_t changed = 0;

    frame->before = fill->before;
    altpick_live_begin(check->live, candidate, false);
    altpick_check_run(frame);
    altpick_live_end(check->live);
    for (unsigned i = 0; i < ALTPICK_CHECK_GENERAL; i++)
        changed |= (uint32_t) (frame->before.general[i] != frame->after.general[i]) << i;
    for (unsigned i = 0; i < ALTPICK_CHECK_STACK; i++) {
        if (frame->before.stack[i] != frame->after.stack[i])
            changed |= 1u << ALTPICK_REGISTER_STACK;
    }
    return changed | changed_flags(frame->before.flags ^ frame->after.flags);
}

/* Run nothing at all: what FXSAVE stores then depends on the CPU (AMD leaves pointers out). */
static int run_idle(struct check *check)
{
    static const uint8_t nothing;
    static const struct altpick_xstate legacy = {.bytes = sizeof check->fill->before.fx};

    emit(check, &nothing, 0);
    for (unsigned f = 0; f < N_FILLS; f++) {
        struct fill *fill = &check->fill[f];
        int r = check->timer->sync(check->timer->ctx);

        make_general(&fill->before, f);
        altpick_xstate_make_fill(&legacy, f, fill->before.fx);
        if (r < 0)
            return r;
        if (run(check, NULL, fill))
            return ALTPICK_EFAULT;
        fill->idle = check->frame.after;
    }
    return ALTPICK_OK;
}

static int run_candidate(struct check *check, const struct altpick_candidate *candidate,
                         uint32_t *ret_changed)
{
    uint32_t changed = 0;
    int r;

    if (candidate->compacted)
        altpick_live_state(check->live, ALTPICK_STATE_INIT, candidate);
    emit(check, candidate->code, candidate->code_bytes);
    r = check->timer->sync(check->timer->ctx);
    for (unsigned f = 0; f < N_FILLS && r == 0; f++) {
        struct fill fill = check->fill[f];

        if (candidate->data != ALTPICK_DATA_NONE)
            make_inputs(&fill.before, check->live, candidate->data);
        changed |= run(check, candidate, &fill);
        changed |= changed_fx(check->frame.after.fx, check->fill[f].idle.fx);
    }
    *ret_changed = changed;
    return r;
}

/* Whether @candidate raises #NM: its code alone runs, and nothing follows the exception. */
static int try_trap(const struct check *check, const struct altpick_candidate *candidate,
                    bool *ret_raised)
{
    const struct altpick_guard *guard = check->live->guard;
    int r;

    altpick_copy_bytes(check->live->write_view + CODE_AT, candidate->code, candidate->code_bytes);
    check->live->write_view[CODE_AT + candidate->code_bytes] = RETURN;
    r = check->timer->sync(check->timer->ctx);
    if (r < 0)
        return r;
    *ret_raised = guard->traps(guard->ctx, check->live->execute_view + CODE_AT,
                               altpick_live_data(check->live, candidate->data));
    return ALTPICK_OK;
}

static int check_candidate(struct check *check, struct altpick_session *session, uint32_t i,
                           uint32_t may_change)
{
    const struct altpick_candidate *candidate = &session->candidates[i];
    bool raised = true;
    int r = candidate->traps ? try_trap(check, candidate, &raised)
                             : run_candidate(check, candidate, &session->changed[i]);

    if (r < 0)
        return r;
    if (!raised)
        session->state[i] = ALTPICK_CELL_SILENT;
    else if (session->changed[i] & ~may_change)
        session->state[i] = ALTPICK_CELL_BREACHED;
    session->checked[i] = 1;
    return ALTPICK_OK;
}

static bool is_due(const struct altpick_session *session, uint32_t i)
{
    return session->state[i] == ALTPICK_CELL_ACTIVE && !session->checked[i];
}

int altpick_check_session(struct altpick_session *session, const struct altpick_live *live,
                          const struct altpick_timer *timer, uint32_t may_change)
{
    struct check check = {.live = live, .timer = timer};
    uint32_t i = 0;
    int r;

    while (i < session->n_candidates && !is_due(session, i))
        i++;
    if (i == session->n_candidates)
        return ALTPICK_OK;
    if (live->arena_bytes < CODE_AT + CODE_BYTES_MAX)
        return ALTPICK_ENOSPACE;
    check.frame.code = live->execute_view + CODE_AT;
    check.frame.landing = (uint64_t) (uintptr_t) altpick_check_landing;
    r = run_idle(&check);
    for (; i < session->n_candidates && r == 0; i++) {
        if (!is_due(session, i))
            continue;
        if (altpick_session_is_late(session, timer))
            break;
        session->running = i;
        r = check_candidate(&check, session, i, may_change);
    }
    session->running = NO_CANDIDATE;
    return r;
}

void altpick_check_text(uint32_t changed, char *ret_text, size_t capacity)
{
    const char *verb = "", *last = "";

    ret_text[0] = '\0';
    for (unsigned i = 0; i < ALTPICK_N_REGISTERS; i++) {
        if (!(changed >> i & 1))
            continue;
        verb = i <= ALTPICK_REGISTER_STACK ? "clobbered " : "changed ";
        if (ret_text[0])
            altpick_append(ret_text, capacity, ", ");
        if (verb != last)
            altpick_append(ret_text, capacity, verb);
        altpick_append(ret_text, capacity, altpick_register_name(i));
        last = verb;
    }
}
