/* SPDX-License-Identifier: MIT */
/* Layouts of state from CPUIDs made up for the purpose, and the images that are made of them. */
#include "altpick/xstate.h"
#include "check_run.h"
#include "test.h"

#include <string.h>

enum { LEGACY = 512, HEADER = 64, GUARD = 0xa5, N_BITS = 20 };

#define OSXSAVE (1u << 27)
#define XSAVE   (1u << 26)
#define AVX     (1u << 28)

struct place {
    uint32_t bytes, offset;
};

/* By bit of XCR0: a part with AVX-512, AMX and protection keys, and what it cannot have as well. */
/* clang-format off */
static const struct place server[N_BITS] = {
    [2] = {256, 576},  [3] = {64, 960},   [4] = {64, 1024}, [5] = {64, 1088},  [6] = {512, 1152},
    [7] = {1024, 1664}, [9] = {8, 2688}, [17] = {64, 2752}, [18] = {8192, 2816}, [19] = {128, 960},
};
/* clang-format on */

struct fake {
    const struct place *place;
    uint64_t xcr0;
};

static void fake_cpuid(void *ctx, uint32_t leaf, uint32_t subleaf, uint32_t ret_regs[4])
{
    const struct fake *fake = ctx;
    bool has_xsave = fake->xcr0 != 0;

    memset(ret_regs, 0, 4 * sizeof *ret_regs);
    if (leaf == 0) {
        ret_regs[ALTPICK_CPU_EAX] = has_xsave ? 0xd : 1;
    } else if (leaf == 1) {
        ret_regs[ALTPICK_CPU_ECX] = has_xsave ? OSXSAVE | XSAVE | AVX : 0;
        ret_regs[ALTPICK_CPU_EDX] = 1u << 0 | 1u << 24 | 1u << 25 | 1u << 26; /* FPU, FXSR, SSE */
    } else if (leaf == 0xd && subleaf == 1) {
        ret_regs[ALTPICK_CPU_EAX] = 0x7;
    } else if (leaf == 0xd && subleaf >= 2 && subleaf < N_BITS) {
        ret_regs[ALTPICK_CPU_EAX] = fake->place[subleaf].bytes;
        ret_regs[ALTPICK_CPU_EBX] = fake->place[subleaf].offset;
    }
}

static uint64_t fake_xgetbv0(void *ctx)
{
    return ((const struct fake *) ctx)->xcr0;
}

static struct altpick_cpu cpu;

/* @xcr0: 0 for a CPU without XSAVE. */
static struct altpick_xstate read_fake(const struct place *place, uint64_t xcr0, uint64_t usable)
{
    struct fake fake = {.place = place, .xcr0 = xcr0};
    struct altpick_cpuid_source source = {fake_cpuid, fake_xgetbv0, &fake};
    struct altpick_xstate xstate;

    altpick_cpu_read(&source, &cpu);
    memset(&xstate, GUARD, sizeof xstate);
    altpick_xstate_read(&source, &cpu, usable, &xstate);
    return xstate;
}

static void a_layout_is_what_leaf_d_says(void **state)
{
    struct altpick_xstate xstate = read_fake(server, 0x602e7, UINT64_MAX);
    (void) state;

    assert_int_equal(xstate.xcr0, 0x600e7); /* never PKRU */
    assert_true(xstate.has_xsave && xstate.has_xgetbv1 && xstate.has_avx);
    assert_int_equal(xstate.bytes, 11008);
    for (unsigned bit = 2; bit < N_BITS; bit++) {
        bool is_here = xstate.xcr0 >> bit & 1;

        assert_int_equal(xstate.at[bit].offset, is_here ? server[bit].offset : 0);
        assert_int_equal(xstate.at[bit].bytes, is_here ? server[bit].bytes : 0);
    }
}

/* Linux gives no permission for tiles before it is asked. */
static void what_the_process_may_not_use_is_left_out(void **state)
{
    struct altpick_xstate xstate = read_fake(server, 0x602e7, 0x2ff);
    (void) state;

    assert_int_equal(xstate.xcr0, 0xe7);
    assert_int_equal(xstate.bytes, 2688);
}

static void without_xsave_there_is_the_legacy_region(void **state)
{
    struct altpick_xstate xstate = read_fake(server, 0, UINT64_MAX);
    (void) state;

    assert_int_equal(xstate.xcr0, 0x3);
    assert_int_equal(xstate.bytes, LEGACY);
    assert_false(xstate.has_xsave || xstate.has_xgetbv1 || xstate.has_avx);
}

static void without_fxsr_there_is_nothing(void **state)
{
    static const struct altpick_cpu none;
    struct altpick_xstate xstate;
    (void) state;

    memset(&xstate, GUARD, sizeof xstate);
    altpick_xstate_read(NULL, &none, UINT64_MAX, &xstate);
    assert_int_equal(xstate.bytes, 0);
    assert_int_equal(xstate.xcr0, 0);
}

/* Beyond what is reserved, wrapping around, over the legacy region or the header, or nowhere. */
static void a_place_that_cannot_be_is_refused(void **state)
{
    static const struct place bad[] = {
        {256,                      ALTPICK_XSTATE_BYTES_MAX - 255},
        {256,                      0xffffff80                    },
        {ALTPICK_XSTATE_BYTES_MAX, 576                           },
        {0xffffffff,               0xffffffff                    },
        {64,                       512                           },
        {64,                       0                             },
        {0,                        0                             },
    };
    (void) state;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct place place[N_BITS];
        struct altpick_xstate xstate;

        memcpy(place, server, sizeof place);
        place[6] = bad[i];
        xstate = read_fake(place, 0xe7, UINT64_MAX);
        assert_int_equal(xstate.xcr0, 0xa7);
        assert_int_equal(xstate.at[6].bytes, 0);
        assert_int_equal(xstate.bytes, 2688);
    }
}

static void bits_that_nobody_knows_are_left_out(void **state)
{
    struct altpick_xstate xstate = read_fake(server, UINT64_C(0xc0000000000000e7), UINT64_MAX);
    (void) state;

    assert_int_equal(xstate.xcr0, 0xe7);
}

/* Two fills and the initial state. */
static uint8_t area[3][ALTPICK_XSTATE_BYTES_MAX];

static void make_areas(const struct altpick_xstate *xstate)
{
    memset(area, GUARD, sizeof area);
    altpick_xstate_make_fill(xstate, 0, area[0]);
    altpick_xstate_make_fill(xstate, 1, area[1]);
    altpick_xstate_make_init(xstate, area[2]);
    for (unsigned i = 0; i < 2; i++) {
        for (size_t at = xstate->bytes; at < sizeof area[i]; at++)
            assert_int_equal(area[i][at], GUARD);
    }
    assert_int_equal(area[2][LEGACY + (xstate->has_xsave ? HEADER : 0)], GUARD);
    memset(area[2] + LEGACY, 0, sizeof area[2] - LEGACY);
}

static uint16_t get16(const uint8_t *at)
{
    return (uint16_t) (at[0] | at[1] << 8);
}

static bool is_zero(const uint8_t *at, size_t n)
{
    while (n-- > 0) {
        if (at[n])
            return false;
    }
    return true;
}

/* The fills differ from each other, and both from the initial state. */
static void assert_all_differ(size_t first, size_t end)
{
    assert_memory_not_equal(area[0] + first, area[1] + first, end - first);
    for (unsigned fill = 0; fill < 2; fill++)
        assert_memory_not_equal(area[fill] + first, area[2] + first, end - first);
}

static void assert_registers_differ(size_t first, size_t each, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        assert_all_differ(first + i * each, first + (i + 1) * each);
}

/* XRSTOR of an exception that is pending and not masked would stop the probe at the next wait. */
static void assert_masked(const uint8_t *image)
{
    assert_int_equal(get16(image + ALTPICK_FX_CONTROL) & 0x3f, 0x3f);
    assert_int_equal(get16(image + ALTPICK_FX_MXCSR) & 0x1f80, 0x1f80);
    assert_true(is_zero(image + ALTPICK_FX_MXCSR + 2, 2)); /* a reserved bit is #GP */
}

static void fills_differ_in_every_part_of_the_legacy_region(void **state)
{
    struct altpick_xstate xstate = read_fake(server, 0, UINT64_MAX);
    (void) state;

    make_areas(&xstate);
    assert_all_differ(ALTPICK_FX_CONTROL, ALTPICK_FX_STATUS);
    assert_all_differ(ALTPICK_FX_STATUS, ALTPICK_FX_TAGS);
    assert_all_differ(ALTPICK_FX_TAGS, ALTPICK_FX_TAGS + 1);
    assert_all_differ(ALTPICK_FX_OPCODE, ALTPICK_FX_INSTRUCTION);
    assert_all_differ(ALTPICK_FX_INSTRUCTION, ALTPICK_FX_OPERAND);
    assert_all_differ(ALTPICK_FX_OPERAND, ALTPICK_FX_MXCSR);
    assert_all_differ(ALTPICK_FX_MXCSR, ALTPICK_FX_MXCSR + 4);
    assert_registers_differ(ALTPICK_FX_ST, 16, 8);
    assert_registers_differ(ALTPICK_FX_XMM, 16, 16);
    for (unsigned i = 0; i < 3; i++)
        assert_masked(area[i]);
}

static void fills_differ_in_every_register_and_none_is_initial(void **state)
{
    struct altpick_xstate xstate = read_fake(server, 0x602ff, UINT64_MAX);
    (void) state;

    make_areas(&xstate);
    for (unsigned bit = 2; bit < N_BITS; bit++) {
        if (xstate.at[bit].bytes)
            assert_all_differ(xstate.at[bit].offset, xstate.at[bit].offset + xstate.at[bit].bytes);
    }
    assert_registers_differ(576, 16, 16);   /* upper halves of ymm */
    assert_registers_differ(1088, 8, 8);    /* k0-7 */
    assert_registers_differ(1152, 32, 16);  /* upper halves of zmm */
    assert_registers_differ(1664, 64, 16);  /* zmm16-31 */
    assert_registers_differ(2816, 1024, 8); /* tiles */
    for (unsigned fill = 0; fill < 2; fill++) {
        assert_memory_equal(area[fill] + LEGACY, "\xff\x00\x06\x00\x00\x00\x00\x00", 8);
        assert_true(is_zero(area[fill] + LEGACY + 8, HEADER - 8)); /* else XRSTOR is #GP */
        assert_masked(area[fill]);
        assert_int_equal(area[fill][1024] & 1, 0); /* BNDCFGU.EN */
        assert_int_equal(area[fill][2752], 1);     /* palette */
    }
}

static void registers_of_apx_are_filled(void **state)
{
    struct altpick_xstate xstate = read_fake(server, 0x800e7, UINT64_MAX);
    (void) state;

    make_areas(&xstate);
    assert_registers_differ(960, 8, 16);
}

static void the_initial_image_is_the_one_of_the_manual(void **state)
{
    struct altpick_xstate xstate = read_fake(server, 0xe7, UINT64_MAX);
    (void) state;

    memset(area, GUARD, sizeof area);
    altpick_xstate_make_init(&xstate, area[2]);
    assert_int_equal(get16(area[2] + ALTPICK_FX_CONTROL), 0x37f);
    assert_int_equal(get16(area[2] + ALTPICK_FX_MXCSR), 0x1f80);
    memset(area[2] + ALTPICK_FX_CONTROL, 0, 2);
    memset(area[2] + ALTPICK_FX_MXCSR, 0, 2);
    assert_true(is_zero(area[2], LEGACY + HEADER)); /* XSTATE_BV = 0: all is initial */
}

#define C(id) (1u << ALTPICK_COMPONENT_##id)

static void components_are_those_of_xcr0(void **state)
{
    (void) state;
    read_fake(server, 0x602e7, UINT64_MAX);
    assert_int_equal(altpick_cpu_components(&cpu),
                     C(X87) | C(XMM) | C(YMM) | C(OPMASK) | C(ZMM) | C(HI16_ZMM) | C(TILE));
    cpu.xcr0 = 0x1f;
    assert_int_equal(altpick_cpu_components(&cpu), C(X87) | C(XMM) | C(YMM) | C(BND));
    cpu.xcr0 = 0x80007;
    assert_int_equal(altpick_cpu_components(&cpu), C(X87) | C(XMM) | C(YMM) | C(APX));
    cpu.xcr0 = 0x203;
    assert_int_equal(altpick_cpu_components(&cpu), C(X87) | C(XMM));
    cpu.xcr0 = UINT64_C(1) << 62 | 0x203; /* lightweight profiling of family 15h */
    assert_int_equal(altpick_cpu_components(&cpu), C(X87) | C(XMM) | 1u << ALTPICK_COMPONENT_OTHER);
}

static void without_xsave_features_tell_the_components(void **state)
{
    static const struct altpick_cpu none;
    (void) state;

    assert_int_equal(altpick_cpu_components(&none), 0);
    read_fake(server, 0, UINT64_MAX);
    assert_int_equal(altpick_cpu_components(&cpu), C(X87) | C(XMM));
}

static void every_component_has_a_name_and_bits(void **state)
{
    uint64_t all = 0;
    (void) state;

    for (unsigned i = 0; i < ALTPICK_N_COMPONENTS; i++) {
        assert_non_null(altpick_component_name(i));
        assert_int_not_equal(altpick_component_bits(i), 0);
        assert_int_equal(all & altpick_component_bits(i), 0);
        all |= altpick_component_bits(i);
    }
    assert_int_equal(all & ALTPICK_XCR0_PKRU, 0);
    assert_null(altpick_component_name(ALTPICK_N_COMPONENTS));
    assert_int_equal(altpick_component_bits(ALTPICK_N_COMPONENTS), 0);
}

ALTPICK_TEST_MAIN(cmocka_unit_test(a_layout_is_what_leaf_d_says),
                  cmocka_unit_test(what_the_process_may_not_use_is_left_out),
                  cmocka_unit_test(without_xsave_there_is_the_legacy_region),
                  cmocka_unit_test(without_fxsr_there_is_nothing),
                  cmocka_unit_test(a_place_that_cannot_be_is_refused),
                  cmocka_unit_test(bits_that_nobody_knows_are_left_out),
                  cmocka_unit_test(fills_differ_in_every_part_of_the_legacy_region),
                  cmocka_unit_test(fills_differ_in_every_register_and_none_is_initial),
                  cmocka_unit_test(registers_of_apx_are_filled),
                  cmocka_unit_test(the_initial_image_is_the_one_of_the_manual),
                  cmocka_unit_test(components_are_those_of_xcr0),
                  cmocka_unit_test(without_xsave_features_tell_the_components),
                  cmocka_unit_test(every_component_has_a_name_and_bits))
