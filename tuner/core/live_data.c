/* SPDX-License-Identifier: MIT */
/* The memory that candidates work on: images of state, a save area, a counter, blocks to xor. */
#include "live_run.h"

#include "bytes.h"
#include "xstate_run.h"

enum {
    PAGE_BYTES = 4096,
    IMAGE_AT = 0, /* initial state, for FXRSTOR and XRSTOR alike */
    MXCSR_AT = 1024,
    COUNTER_AT = 2048,
    AREAS_AT = PAGE_BYTES, /* the save area, two fills, two for looks */
    SAVE_AREA = 0,
    FIRST_FILL = 1,
    FIRST_SCRATCH = 3,
    N_AREAS = 5,
    WORK_AT = AREAS_AT + N_AREAS * ALTPICK_XSTATE_BYTES_MAX,
    HEADER_AT = 512, /* in an area of state */
    HEADER_BYTES = 64,
    WORK_BYTES = 65536,
    N_WORKS = 2,
    /* Far from both ends, so that no loop of increments or decrements gets there. */
    COUNTER_MIDDLE = 1 << 29,
};

size_t altpick_live_data_bytes(void)
{
    return WORK_AT + N_WORKS * WORK_BYTES;
}

static uint8_t *area(const struct altpick_live *live, unsigned index)
{
    return live->data + AREAS_AT + index * (size_t) ALTPICK_XSTATE_BYTES_MAX;
}

const uint8_t *altpick_live_fill(const struct altpick_live *live, unsigned fill)
{
    return area(live, FIRST_FILL + fill);
}

uint8_t *altpick_live_scratch(const struct altpick_live *live, unsigned which)
{
    return area(live, FIRST_SCRATCH + which);
}

uint8_t *altpick_live_data(const struct altpick_live *live, enum altpick_data kind)
{
    switch (kind) {
    case ALTPICK_DATA_MXCSR:
        return live->data + MXCSR_AT;
    case ALTPICK_DATA_COUNTER:
        return live->data + COUNTER_AT;
    case ALTPICK_DATA_SAVE_AREA:
        return area(live, SAVE_AREA);
    default:
        return live->data + IMAGE_AT;
    }
}

uint32_t altpick_live_flag(const struct altpick_live *live, enum altpick_data kind)
{
    if (kind == ALTPICK_DATA_CR0)
        return live->guard ? live->guard->cr0 : 0;
    return kind != ALTPICK_DATA_XSAVE_IMAGE || (live->xstate && live->xstate->has_xsave);
}

static const uint32_t data_bytes[] = {
#define X(id, bytes) bytes,
    ALTPICK_DATA(X)
#undef X
};

uint32_t altpick_data_bytes(enum altpick_data data)
{
    return data_bytes[data];
}

size_t altpick_live_data_size(const struct altpick_live *live, enum altpick_data kind)
{
    if (kind == ALTPICK_DATA_COUNTER)
        return sizeof(uint32_t);
    return kind == ALTPICK_DATA_SAVE_AREA ? live->xstate->bytes : data_bytes[kind];
}

void altpick_live_data_init(const struct altpick_live *live)
{
    altpick_zero(live->data, altpick_live_data_bytes());
    altpick_put(live->data + MXCSR_AT, 4, ALTPICK_MXCSR_INIT);
    altpick_put(live->data + COUNTER_AT, 4, COUNTER_MIDDLE);
    altpick_xstate_make_init(live->xstate, live->data + IMAGE_AT);
    for (unsigned fill = 0; fill < 2; fill++)
        altpick_xstate_make_fill(live->xstate, fill, area(live, FIRST_FILL + fill));
}

void altpick_live_begin(const struct altpick_live *live, const struct altpick_candidate *candidate,
                        bool timed)
{
    if (live->guard)
        live->guard->begin(live->guard->ctx, candidate, timed);
}

void altpick_live_end(const struct altpick_live *live)
{
    if (live->guard)
        live->guard->end(live->guard->ctx);
}

/* In the format that @candidate reads and writes. */
static void save_to_area(const struct altpick_live *live, const struct altpick_candidate *candidate)
{
    if (candidate && candidate->compacted)
        altpick_xstate_run_xsaves(area(live, SAVE_AREA), ~(uint64_t) ALTPICK_XCR0_PKRU);
    else
        altpick_xstate_save(live->xstate, area(live, SAVE_AREA));
}

static void restore_from_area(const struct altpick_live *live,
                              const struct altpick_candidate *candidate)
{
    if (candidate && candidate->compacted)
        altpick_xstate_run_xrstors(area(live, SAVE_AREA), ~(uint64_t) ALTPICK_XCR0_PKRU);
    else
        altpick_xstate_restore(live->xstate, area(live, SAVE_AREA));
}

/*
 * The save area holds what the registers hold, as after a switch; after RESTORED the CPU knows that
 * it does, so that a save may skip what was not modified (SDM vol. 1, 13.5.4).
 */
void altpick_live_state(const struct altpick_live *live, enum altpick_setup_state state,
                        const struct altpick_candidate *candidate)
{
    const uint8_t *image = live->data + IMAGE_AT;

    if (!live->xstate || state == ALTPICK_STATE_ANY)
        return;
    if (state != ALTPICK_STATE_INIT)
        image = altpick_live_fill(live, 0);
    /*
     * A compacting save may have been here: XSAVE leaves most of the header alone.  Before the
     * restore, not after it: a C library may clear memory with vector registers.
     */
    altpick_zero(area(live, SAVE_AREA) + HEADER_AT, HEADER_BYTES);
    altpick_live_begin(live, NULL, false);
    altpick_xstate_restore(live->xstate, image);
    save_to_area(live, candidate);
    if (state == ALTPICK_STATE_RESTORED)
        restore_from_area(live, candidate);
    else
        altpick_xstate_restore(live->xstate, image);
    if (state == ALTPICK_STATE_ZEROED && live->xstate->has_avx)
        altpick_xstate_run_vzeroall();
    altpick_live_end(live);
}

void altpick_live_work(const struct altpick_live *live, const struct altpick_setup *setup,
                       struct altpick_live_call *ret_call)
{
    altpick_put(live->data + COUNTER_AT, 4, COUNTER_MIDDLE);
    for (unsigned i = 0; i < N_WORKS; i++)
        ret_call->work[i] = live->data + WORK_AT + i * (size_t) WORK_BYTES;
    ret_call->work_bytes = setup->work_bytes;
}
