/* SPDX-License-Identifier: MIT */
/* The clock: no test here asserts how long anything takes. */
#include "altpick/clock.h"
#include "clock_step.h"
#include "test.h"

#include <string.h>

static void later_readings_are_not_smaller(void **state)
{
    uint64_t before = altpick_clock_start();
    (void) state;

    for (int i = 0; i < 1000; i++) {
        uint64_t stop = altpick_clock_stop();
        uint64_t start;

        assert_true(stop >= before);
        start = altpick_clock_start();
        assert_true(start >= stop);
        before = start;
    }
}

static void the_counter_advances(void **state)
{
    uint64_t first = altpick_clock_start();
    (void) state;

    for (int i = 0; i < 1000000; i++) {
        if (altpick_clock_stop() > first)
            return;
    }
    fail_msg("the counter stands still");
}

static void the_step_is_not_zero(void **state)
{
    (void) state;
    assert_int_not_equal(altpick_clock_quantum_ticks(), 0);
}

static uint32_t step_of(const uint32_t pattern[], size_t n)
{
    uint32_t steps[256];

    for (size_t i = 0; i < 256; i++)
        steps[i] = pattern[i % n];
    return altpick_clock_step_of(steps, 256);
}

static void a_coarse_counter_has_its_step(void **state)
{
    (void) state;
    assert_int_equal(step_of((uint32_t[]){26, 52, 0, 26, 78, 130000}, 6), 26);
}

static void an_even_counter_steps_by_two(void **state)
{
    (void) state;
    assert_int_equal(step_of((uint32_t[]){16, 18, 20, 24, 34, 38}, 6), 2);
}

static void a_fine_counter_steps_by_one(void **state)
{
    (void) state;
    assert_int_equal(step_of((uint32_t[]){16, 17, 19, 20, 24, 33, 38}, 7), 1);
}

static void a_scaled_coarse_counter_has_its_step(void **state)
{
    (void) state;
    assert_int_equal(step_of((uint32_t[]){26, 27, 53, 52, 79, 105}, 6), 26);
}

static void a_counter_that_stands_still_has_no_step(void **state)
{
    (void) state;
    assert_int_equal(step_of((uint32_t[]){0}, 1), 0);
}

static void a_huge_only_step_is_that_step(void **state)
{
    (void) state;
    assert_int_equal(step_of((uint32_t[]){UINT32_MAX}, 1), UINT32_MAX);
}

/* A table instead of CPUID: what leaf 80000021H says in EAX, and the last leaf. */
struct amd {
    uint32_t last, features_2;
};

static void amd_cpuid(void *ctx, uint32_t leaf, uint32_t subleaf, uint32_t ret_regs[4])
{
    const struct amd *amd = ctx;

    (void) subleaf;
    memset(ret_regs, 0, 4 * sizeof *ret_regs);
    ret_regs[0] = leaf == 0x80000000 ? amd->last : leaf == 0x80000021 ? amd->features_2 : 0;
}

static bool needs_fence_bit(const char *vendor, uint32_t family, struct amd amd)
{
    const struct altpick_cpuid_source source = {.cpuid = amd_cpuid, .ctx = &amd};
    struct altpick_cpu cpu = {.family = family};

    strcpy(cpu.vendor, vendor);
    return altpick_clock_needs_fence_bit(&cpu, &source);
}

static void fences_of_some_cpus_wait_only_when_told(void **state)
{
    const struct amd old = {.last = 0x8000001f}, zen3 = {.last = 0x80000023, .features_2 = 4},
                     unsaid = {.last = 0x80000021};

    (void) state;
    assert_false(needs_fence_bit("GenuineIntel", 0x6, old));
    assert_false(needs_fence_bit("AuthenticAMD", 0xf, old));
    assert_true(needs_fence_bit("AuthenticAMD", 0x10, old));
    assert_false(needs_fence_bit("AuthenticAMD", 0x11, old));
    assert_true(needs_fence_bit("AuthenticAMD", 0x17, old));
    assert_true(needs_fence_bit("HygonGenuine", 0x18, old));
    assert_false(needs_fence_bit("AuthenticAMD", 0x19, zen3));
    assert_true(needs_fence_bit("AuthenticAMD", 0x19, unsaid)); /* a guest that is told less */
}

ALTPICK_TEST_MAIN(cmocka_unit_test(later_readings_are_not_smaller),
                  cmocka_unit_test(the_counter_advances), cmocka_unit_test(the_step_is_not_zero),
                  cmocka_unit_test(a_coarse_counter_has_its_step),
                  cmocka_unit_test(an_even_counter_steps_by_two),
                  cmocka_unit_test(a_fine_counter_steps_by_one),
                  cmocka_unit_test(a_scaled_coarse_counter_has_its_step),
                  cmocka_unit_test(a_counter_that_stands_still_has_no_step),
                  cmocka_unit_test(a_huge_only_step_is_that_step),
                  cmocka_unit_test(fences_of_some_cpus_wait_only_when_told))
