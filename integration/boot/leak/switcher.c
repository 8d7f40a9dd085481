/* SPDX-License-Identifier: MIT */
/* A switch between two owners: saves what is present, restores what is to come. */
#include "switcher.h"

#include "xstate_run.h"

enum { FIRST = 1, SECOND = 2, LAZY_EACH = 3 };

/*
 * Restore @area, of the task that @to describes.  A planted mistake leaves components out of the
 * restore, skips it where the task has no state of its own, or spoils single registers after it.
 */
static void restore(const struct altpick_leak_switcher *switcher, const uint8_t *area,
                    struct altpick_leak_state to, struct altpick_leak_state from)
{
    struct altpick_leak *planter = switcher->planter;
    const struct altpick_xstate *xstate = planter->xstate;
    const struct altpick_leak_plant *plant = planter->plant;
    uint64_t forgotten = 0;

    if (plant && plant->where == ALTPICK_LEAK_SWITCH &&
        (!plant->lazy || to.owner == ALTPICK_LEAK_NOBODY))
        forgotten = altpick_leak_plant_components(plant) & xstate->xcr0;
    if (!forgotten || !xstate->has_xsave) {
        altpick_xstate_restore(xstate, area);
        altpick_leak_plant_apply(planter, ALTPICK_LEAK_SWITCH, to, from);
    } else if (forgotten != xstate->xcr0) {
        altpick_xstate_run_xrstor(area, xstate->xcr0 & ~forgotten);
    }
}

/* One round in progress. */
struct round {
    const struct altpick_leak_switcher *switcher;
    struct altpick_leak_state first, second;
    unsigned bad;
};

static void to_second_and_back(void *ctx)
{
    struct round *round = ctx;
    const struct altpick_leak_switcher *switcher = round->switcher;
    const struct altpick_leak_trial second = {
        .scene = switcher->scene,
        .holds = {SECOND, 0},
        .wants = round->second,
    };

    /* It uses every register before it is switched away from. */
    const struct altpick_leak_state used = {SECOND, round->first.generation};

    altpick_leak_save(switcher->first->xstate, switcher->first_area);
    restore(switcher, switcher->second_area, round->second, round->first);
    if (switcher->between)
        switcher->between(switcher->ctx);
    round->bad += altpick_leak_look(switcher->second, &second);
    altpick_leak_hold(switcher->second, used);
    altpick_leak_save(switcher->second->xstate, switcher->second_area);
    restore(switcher, switcher->first_area, round->first, used);
}

unsigned altpick_leak_switch_round(const struct altpick_leak_switcher *switcher, uint32_t round)
{
    const uint8_t generation = (uint8_t) (round % ALTPICK_LEAK_GENERATIONS);
    struct round one = {
        .switcher = switcher,
        .first = {FIRST,                                                 generation},
        .second = {round % LAZY_EACH == 0 ? ALTPICK_LEAK_NOBODY : SECOND, generation},
    };
    const struct altpick_leak_trial first = {
        .scene = switcher->scene,
        .holds = one.first,
        .wants = one.first,
        .action = to_second_and_back,
        .ctx = &one,
    };

    altpick_leak_make(switcher->second->xstate, one.second, switcher->second_area);
    return altpick_leak_try(switcher->first, &first) + one.bad;
}
