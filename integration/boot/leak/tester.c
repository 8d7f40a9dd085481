/* SPDX-License-Identifier: MIT */
/* Holds a state while something happens, and finds out first what can be seen of states here. */
#include "leak.h"

#include "bytes.h"
#include "check_run.h"
#include "look_run.h"
#include "xstate_run.h"

enum {
    N_AREAS = 6,
    ENVIRONMENT_BYTES = 28, /* in bytes of an area that no save writes */
    HEADER_AT = 512,
    HEADER_BYTES = 64,
    TRIES = 3, /* for a bit to come back: something may really leak meanwhile */
};

size_t altpick_leak_memory_bytes(const struct altpick_xstate *xstate)
{
    return N_AREAS * altpick_leak_area_bytes(xstate);
}

static void set_up(struct altpick_leak *leak, const struct altpick_xstate *xstate,
                   struct altpick_leak_findings *findings, uint8_t *memory)
{
    const size_t bytes = altpick_leak_area_bytes(xstate);

    *leak = (struct altpick_leak){
        .xstate = xstate,
        .findings = findings,
        .image = memory,
        .wanted = memory + bytes,
        .seen = memory + 2 * bytes,
        .initial = memory + 3 * bytes,
        .scratch = memory + 4 * bytes,
        .mask = memory + 5 * bytes,
    };
    altpick_leak_make(xstate, (struct altpick_leak_state){0}, leak->initial);
}

/* Restore leak->image, call @action with @ctx, and save to leak->seen. */
static void run(struct altpick_leak *leak, ALTPICK_SYSV void (*action)(void *), void *ctx)
{
    const struct altpick_xstate *xstate = leak->xstate;
    struct altpick_xstate_call call = {
        .fill = leak->image,
        .after = leak->seen,
        .reset = leak->initial,
        .code = (const void *) (uintptr_t) action,
        .data = ctx,
        .mask = xstate->has_xsave ? xstate->xcr0 : 0,
        .asks_in_use = xstate->has_xgetbv1,
    };

    altpick_zero(leak->seen, altpick_leak_area_bytes(xstate));
    altpick_xstate_run(&call);
    leak->in_use = call.in_use & xstate->xcr0;
}

static ALTPICK_SYSV void do_nothing(void *ctx)
{
    (void) ctx;
}

/* Bits of an area that come back as @state has them, in one of a few tries, to leak->scratch. */
static void see_kept(struct altpick_leak *leak, struct altpick_leak_state state)
{
    const size_t bytes = altpick_leak_area_bytes(leak->xstate);

    altpick_leak_make(leak->xstate, state, leak->image);
    altpick_zero(leak->scratch, bytes);
    for (unsigned i = 0; i < TRIES; i++) {
        run(leak, do_nothing, NULL);
        if (state.owner == ALTPICK_LEAK_NOBODY)
            leak->always_used &= leak->in_use;
        altpick_look_normalise(leak->xstate, leak->seen);
        for (size_t k = 0; k < bytes; k++)
            leak->scratch[k] |= (uint8_t) ~(leak->seen[k] ^ leak->image[k]);
    }
}

/*
 * Whether all of register @index of @part comes back.  A bit that was lost may have been right by
 * accident in another byte of the register: bytes, and small fields, count whole or not at all.
 */
static bool keep_whole_bytes(struct altpick_leak *leak, const struct altpick_leak_part *part,
                             unsigned index)
{
    const uint32_t at = altpick_leak_at(leak->xstate, part, index);
    bool all = true;

    for (uint32_t i = at; i < at + part->bytes; i++) {
        bool is_kept = leak->mask[i] == 0xff;

        all = all && is_kept;
        if (!is_kept)
            leak->mask[i] = 0;
    }
    for (uint32_t i = at; i < at + part->bytes && !all && part->tag_bytes == 0; i++)
        leak->mask[i] = 0;
    return all;
}

static bool is_visible(struct altpick_leak *leak, const struct altpick_leak_part *part)
{
    bool visible = altpick_leak_has(leak->xstate, part);

    for (unsigned i = 0; i < part->registers && altpick_leak_has(leak->xstate, part); i++)
        visible = keep_whole_bytes(leak, part, i) && visible;
    return visible;
}

void altpick_leak_init(struct altpick_leak *leak, const struct altpick_xstate *xstate,
                       struct altpick_leak_findings *findings, uint8_t *memory)
{
    static const struct altpick_leak_state samples[] = {
        {0, 0 },
        {1, 0 },
        {1, 31},
        {2, 9 },
        {4, 6 },
        {7, 31},
        {7, 16},
        {6, 1 }
    };
    const size_t bytes = altpick_leak_area_bytes(xstate);

    set_up(leak, xstate, findings, memory);
    leak->always_used = UINT64_MAX;
    for (size_t k = 0; k < bytes; k++)
        leak->mask[k] = 0xff;
    for (size_t i = 0; i < sizeof samples / sizeof samples[0] && xstate->bytes; i++) {
        see_kept(leak, samples[i]);
        for (size_t k = 0; k < bytes; k++)
            leak->mask[k] &= leak->scratch[k];
    }
    for (unsigned i = 0; i < ALTPICK_LEAK_PARTS; i++) {
        if (is_visible(leak, &altpick_leak_parts[i]))
            leak->visible |= UINT32_C(1) << i;
    }
}

void altpick_leak_init_like(struct altpick_leak *leak, const struct altpick_leak *like,
                            struct altpick_leak_findings *findings, uint8_t *memory)
{
    set_up(leak, like->xstate, findings, memory);
    altpick_copy_bytes(leak->mask, like->mask, altpick_leak_area_bytes(like->xstate));
    leak->visible = like->visible;
    leak->always_used = like->always_used;
    leak->plant = like->plant;
}

unsigned altpick_leak_compare_all(struct altpick_leak *leak, const struct altpick_leak_trial *trial,
                                  uint8_t *area)
{
    unsigned bad;

    leak->has_environment = true;
    bad = altpick_leak_compare(leak, trial, area);
    leak->has_environment = false;
    return bad;
}

/* An action with what is planted behind it. */
struct planted {
    struct altpick_leak *leak;
    const struct altpick_leak_trial *trial;
};

static ALTPICK_SYSV void act(void *ctx)
{
    const struct planted *planted = ctx;
    const struct altpick_leak_trial *trial = planted->trial;

    trial->action(trial->ctx);
    altpick_leak_plant_apply(planted->leak, ALTPICK_LEAK_SWITCH, trial->holds, trial->other);
}

unsigned altpick_leak_try(struct altpick_leak *leak, const struct altpick_leak_trial *trial)
{
    struct planted planted = {leak, trial};

    altpick_leak_make(leak->xstate, trial->holds, leak->image);
    run(leak, act, &planted);
    if (trial->wants.owner == ALTPICK_LEAK_NOBODY && leak->in_use & ~leak->always_used) {
        leak->used |= leak->in_use & ~leak->always_used;
        leak->n_used++;
    }
    return altpick_leak_compare_all(leak, trial, leak->seen);
}

/*
 * Without altpick_zero(), which may become a call of a library that uses vector registers.  Behind
 * the header XSAVE writes all that it is asked for.
 */
void altpick_leak_save(const struct altpick_xstate *xstate, uint8_t *area)
{
    volatile uint64_t *header = (volatile uint64_t *) (void *) (area + HEADER_AT);

    for (unsigned i = 0; i < HEADER_BYTES / sizeof *header; i++)
        header[i] = 0;
    altpick_xstate_save(xstate, area);
}

unsigned altpick_leak_look(struct altpick_leak *leak, const struct altpick_leak_trial *trial)
{
    unsigned bad;

    altpick_leak_save(leak->xstate, leak->seen);
    __asm__ volatile("fnstenv %0"
                     : "=m"(*(uint8_t(*)[ENVIRONMENT_BYTES])(leak->seen + ALTPICK_FX_ENVIRONMENT)));
    for (size_t i = 0; i < altpick_leak_area_bytes(leak->xstate); i++)
        leak->image[i] = ((volatile const uint8_t *) leak->seen)[i];
    bad = altpick_leak_compare_all(leak, trial, leak->seen);
    altpick_xstate_restore(leak->xstate, leak->image);
    return bad;
}

void altpick_leak_hold(struct altpick_leak *leak, struct altpick_leak_state state)
{
    altpick_leak_make(leak->xstate, state, leak->image);
    altpick_xstate_restore(leak->xstate, leak->image);
}
