/* SPDX-License-Identifier: MIT */
/* States that conditions ask for, brought about on this CPU: by XINUSE and by what is saved. */
#include "altpick/live.h"
#include "live_run.h"
#include "looked.h"
#include "machine.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096, XMM = 0x2, YMM = 0x4, ZMM = 0x40, HEADER_AT = 512 };

static struct altpick_live live;
static struct altpick_xstate xstate;

static int set_up(void **state)
{
    size_t bytes = (altpick_live_data_bytes() + PAGE - 1) / PAGE * PAGE;
    struct altpick_cpu cpu;

    (void) state;
    altpick_cpu_read(&altpick_cpuid_native, &cpu);
    altpick_xstate_read(&altpick_cpuid_native, &cpu, altpick_machine_xcr0_usable(), &xstate);
    live = (struct altpick_live){.xstate = &xstate, .data = aligned_alloc(PAGE, bytes)};
    if (!live.data)
        return -1;
    altpick_live_data_init(&live);
    return 0;
}

static int tear_down(void **state)
{
    (void) state;
    altpick_live_state(&live, ALTPICK_STATE_INIT, NULL);
    free(live.data);
    return 0;
}

/* XINUSE after @setup; xmm does not count, because compiled code between may use it. */
static uint64_t in_use_after(enum altpick_setup_state setup)
{
    uint64_t in_use;

    altpick_live_state(&live, setup, NULL);
    in_use = altpick_xstate_in_use(&xstate);
    return in_use & xstate.xcr0 & ~(uint64_t) XMM;
}

static uint64_t saved_bits(void)
{
    uint64_t bits;

    memcpy(&bits, altpick_live_data(&live, ALTPICK_DATA_SAVE_AREA) + HEADER_AT, sizeof bits);
    return bits & ~(uint64_t) XMM;
}

static void dirty_is_everything_in_use(void **state)
{
    uint64_t all = xstate.xcr0 & ~(uint64_t) XMM;
    (void) state;

    if (!xstate.has_xgetbv1)
        skip();
    assert_int_equal(in_use_after(ALTPICK_STATE_DIRTY), all);
    assert_int_equal(saved_bits(), all);
    assert_int_equal(in_use_after(ALTPICK_STATE_RESTORED), all);
    assert_int_equal(saved_bits(), all);
}

static void initial_is_nothing_in_use(void **state)
{
    (void) state;
    if (!xstate.has_xgetbv1)
        skip();
    in_use_after(ALTPICK_STATE_DIRTY);
    assert_int_equal(in_use_after(ALTPICK_STATE_INIT), 0);
    assert_int_equal(saved_bits(), 0);
}

static void vzeroall_leaves_upper_halves_unused_and_the_rest_alone(void **state)
{
    uint64_t rest = xstate.xcr0 & ~(uint64_t) (XMM | YMM | ZMM);
    (void) state;

    if (!xstate.has_xgetbv1 || !xstate.has_avx)
        skip();
    assert_int_equal(in_use_after(ALTPICK_STATE_ZEROED), rest);
}

/* A save that compacts leaves a header behind that XRSTOR of the standard format refuses. */
static void what_a_compacting_save_left_does_no_harm(void **state)
{
    (void) state;
    memset(altpick_live_data(&live, ALTPICK_DATA_SAVE_AREA), 0xff, xstate.bytes);
    altpick_live_state(&live, ALTPICK_STATE_RESTORED, NULL);
    altpick_live_state(&live, ALTPICK_STATE_INIT, NULL);
}

static void constants_are_where_candidates_look_for_them(void **state)
{
    uint32_t mxcsr;
    (void) state;

    memcpy(&mxcsr, altpick_live_data(&live, ALTPICK_DATA_MXCSR), sizeof mxcsr);
    assert_int_equal(mxcsr, 0x1f80);
    for (unsigned kind = 0; kind < ALTPICK_N_DATA; kind++) {
        size_t at = (size_t) (altpick_live_data(&live, (enum altpick_data) kind) - live.data);

        assert_true(at + altpick_live_data_size(&live, (enum altpick_data) kind) <=
                    altpick_live_data_bytes());
        assert_int_equal(at % 64, 0);
    }
}

static size_t nop(const struct altpick_question *self,
                  struct altpick_candidate ret[ALTPICK_CANDIDATES_MAX])
{
    (void) self;
    ret[0] = (struct altpick_candidate){.name = "nop", .code = {0x90}, .code_bytes = 1};
    return 1;
}

/* Upper halves that stay in use slow down the SSE code of the next condition. */
static void wide_work_leaves_nothing_in_use(void **state)
{
    static const struct altpick_question question = {
        .name = "test.wide", .bits = 64, .conditions = 1u << ALTPICK_AVX2_512, .candidates = nop};
    struct altpick_block block = {
        .kind = ALTPICK_BLOCK_FILL, .condition = ALTPICK_AVX2_512, .copies = 1};
    struct looked looked;
    uint64_t ticks;
    (void) state;

    looked_begin(&looked, &question);
    block.candidate = looked.hosted.session->candidates;
    if (xstate.has_xgetbv1 && altpick_cpu_has(&looked.cpu, ALTPICK_CPU_AVX2)) {
        const struct altpick_timer *timer = &looked.hosted.timer;

        assert_int_equal(timer->place(timer->ctx, &block), 0);
        assert_int_equal(timer->sync(timer->ctx), 0);
        assert_int_equal(timer->time(timer->ctx, &block, 2, &ticks), 0);
        assert_int_equal(altpick_xstate_in_use(&xstate) & YMM, 0);
    }
    altpick_hosted_session_fini(&looked.hosted);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

ALTPICK_TEST_MAIN(TEST(dirty_is_everything_in_use), TEST(initial_is_nothing_in_use),
                  TEST(vzeroall_leaves_upper_halves_unused_and_the_rest_alone),
                  TEST(what_a_compacting_save_left_does_no_harm),
                  TEST(wide_work_leaves_nothing_in_use),
                  TEST(constants_are_where_candidates_look_for_them))
