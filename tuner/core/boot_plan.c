/* SPDX-License-Identifier: MIT */
/* Turns a budget into a plan: how much to measure, and what one step of it takes at most. */
#include "boot_run.h"

#include "setup.h"

enum {
    BRIEF_LAYOUTS = 9, /* what an interval by order statistics takes; fewer where time ends */
    BRIEF_WARM_TRIPS = 3,
    BRIEF_STATE_BYTES = 64,
    BRIEF_REGION_QUANTA = 30, /* 3 % of a region is a step of the clock; margins are 25 % */
    BRIEF_REGION_TICKS = 800,
    /* The dearest published NOP takes 2.9 cycles a byte (66 66 66 66 90, AMD family 15h). */
    PLAIN_TICKS_PER_BYTE = 16,
    STATE_TICKS = 20000, /* a save or restore of all components from memory, or a VM exit */
    RUNS = 12,           /* of a region in one step: ruler, canary and sample, each twice */
};

/* Only what runs in loops, in the caches: the rest takes longer than there is. */
static bool fits_brief(unsigned condition)
{
    const struct altpick_setup *setup = altpick_setup_of(condition);

    if (setup->plain_code)
        return condition == ALTPICK_HOT;
    return !setup->shot && !setup->contended && setup->work == ALTPICK_WORK_NONE;
}

static void make_brief(struct altpick_plan *plan)
{
    plan->batches = 1;
    plan->extra_batches = 0;
    plan->region_quanta = BRIEF_REGION_QUANTA;
    plan->region_ticks = BRIEF_REGION_TICKS;
    plan->patience_ticks = 0;
    plan->brief = true;
    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
        struct altpick_effort *effort = &plan->effort[c];

        if (!fits_brief(c)) {
            effort->block_bytes = 0;
            continue;
        }
        effort->layouts = BRIEF_LAYOUTS;
        effort->rounds = 1;
        effort->warm_trips = BRIEF_WARM_TRIPS;
        if (!altpick_setup_of(c)->plain_code)
            effort->block_bytes = BRIEF_STATE_BYTES;
    }
}

void altpick_boot_plan(const struct altpick_boot_options *options, const struct altpick_cpu *cpu,
                       struct altpick_plan *ret_plan)
{
    altpick_plan_init(cpu, false, ret_plan);
    /* Neither another CPU nor memory far larger than the caches is the caller's to give. */
    ret_plan->effort[ALTPICK_CONTENDED].block_bytes = 0;
    ret_plan->effort[ALTPICK_STREAMED].block_bytes = 0;
    if (options->budget_us && options->budget_us < ALTPICK_BOOT_BRIEF_US)
        make_brief(ret_plan);
}

uint64_t altpick_boot_plan_step(const struct altpick_plan *plan, uint32_t quantum_ticks,
                                const struct altpick_candidate *candidate, unsigned condition)
{
    const struct altpick_setup *setup = altpick_setup_of(condition);
    uint64_t quanta = (uint64_t) plan->region_quanta * quantum_ticks;
    uint64_t region = quanta > plan->region_ticks ? quanta : plan->region_ticks;
    bool is_plain = !candidate->ring0 && (candidate->data == ALTPICK_DATA_NONE ||
                                          candidate->data == ALTPICK_DATA_COUNTER);
    uint64_t once =
        is_plain ? (uint64_t) candidate->code_bytes * PLAIN_TICKS_PER_BYTE : STATE_TICKS;
    const struct altpick_effort *effort = &plan->effort[condition];
    uint64_t block =
        effort->retry_bytes > effort->block_bytes ? effort->retry_bytes : effort->block_bytes;
    uint64_t copies = candidate->code_bytes ? block / candidate->code_bytes : 0;
    uint64_t trips = effort->warm_trips + RUNS;

    if (setup->shot || setup->work != ALTPICK_WORK_NONE || copies == 0)
        copies = 1;
    return RUNS * region + trips * copies * once;
}
