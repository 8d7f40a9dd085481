/* SPDX-License-Identifier: MIT */
/* Identity, features and cache sizes, from CPUIDs made up for the purpose. */
#include "altpick/cpu.h"
#include "test.h"

#include <string.h>

/* A CPUID leaf a row; leaf 0 is the first. */
struct row {
    uint32_t leaf, subleaf, eax, ebx, ecx, edx;
};

struct fake {
    const struct row *rows;
    size_t n_rows;
    uint64_t xcr0;
};

#define FAKE(table, xcr0_value)                                                                    \
    (struct fake)                                                                                  \
    {                                                                                              \
        .rows = (table), .n_rows = sizeof(table) / sizeof *(table), .xcr0 = (xcr0_value)           \
    }

#define INTEL 0x756e6547, 0x6c65746e, 0x49656e69 /* EBX, ECX, EDX */
#define AMD   0x68747541, 0x444d4163, 0x69746e65

#define OSXSAVE (1u << 27)
#define XSAVE   (1u << 26)
#define AVX     (1u << 28)
#define TOPOEXT (1u << 22)

/* Fails when a leaf above a maximum is read: CPUs answer with the values of another one. */
static void fake_cpuid(void *ctx, uint32_t leaf, uint32_t subleaf, uint32_t ret_regs[4])
{
    const struct fake *fake = ctx;
    uint32_t max_basic = fake->rows[0].eax, max_extended = 0;

    for (size_t i = 0; i < fake->n_rows; i++) {
        if (fake->rows[i].leaf == 0x80000000u)
            max_extended = fake->rows[i].eax;
    }
    if (leaf < 0x40000000u)
        assert_true(leaf <= max_basic);
    if (leaf > 0x80000000u)
        assert_true(leaf <= max_extended);

    for (size_t i = 0; i < fake->n_rows; i++) {
        const struct row *row = &fake->rows[i];

        if (row->leaf == leaf && row->subleaf == subleaf) {
            memcpy(ret_regs, &row->eax, 4 * sizeof *ret_regs);
            return;
        }
    }
    memset(ret_regs, 0, 4 * sizeof *ret_regs);
}

/* XGETBV without OSXSAVE is #UD. */
static uint64_t fake_xgetbv0(void *ctx)
{
    const struct fake *fake = ctx;
    uint32_t r[4];

    fake_cpuid(ctx, 1, 0, r);
    assert_true(r[ALTPICK_CPU_ECX] & OSXSAVE);
    return fake->xcr0;
}

static struct altpick_cpu read_fake(struct fake fake)
{
    struct altpick_cpuid_source source = {fake_cpuid, fake_xgetbv0, &fake};
    struct altpick_cpu cpu;

    memset(&cpu, 0xa5, sizeof cpu);
    altpick_cpu_read(&source, &cpu);
    return cpu;
}

static void an_old_cpu_has_leaf_1_only(void **state)
{
    static const struct row rows[] = {
        {0,      0, 1, INTEL                                  },
        { 1, 0, 0x633, 0, 0, 1u << 0 | 1u << 4 | 1u << 15 | 1u << 23},
    };
    struct altpick_cpu cpu = read_fake(FAKE(rows, 0));
    (void) state;

    assert_string_equal(cpu.vendor, "GenuineIntel");
    assert_string_equal(cpu.brand, "");
    assert_string_equal(cpu.hypervisor, "");
    assert_int_equal(cpu.family, 6);
    assert_int_equal(cpu.model, 3);
    assert_int_equal(cpu.stepping, 3);
    assert_true(altpick_cpu_has(&cpu, ALTPICK_CPU_CMOV));
    assert_false(altpick_cpu_has(&cpu, ALTPICK_CPU_SSE));
    assert_int_equal(cpu.l1i_bytes, 0);
    assert_int_equal(cpu.xcr0, 0);
}

/* Such CPUs answer 0x80000000 with the values of their last basic leaf. */
static void a_junk_extended_maximum_is_no_maximum(void **state)
{
    static const struct row rows[] = {
        {0,      0, 1, INTEL},
        { 1,           0, 0x633, 0,     0, 1},
        { 0x80000000u, 0, 0x633, 0,     0, 1},
    };
    struct altpick_cpu cpu = read_fake(FAKE(rows, 0));
    (void) state;

    assert_string_equal(cpu.brand, "");
    assert_false(altpick_cpu_has(&cpu, ALTPICK_CPU_LM));
}

static void without_leaf_7_its_features_are_absent(void **state)
{
    static const struct row rows[] = {
        {0,        0, 6,                     INTEL},
        { 1, 0, 0x206a7, 0,     XSAVE | OSXSAVE | AVX, 1},
        { 7, 0,     0,                   ~0u,   ~0u, ~0u},
    };
    struct altpick_cpu cpu = read_fake(FAKE(rows, 7));
    (void) state;

    assert_true(altpick_cpu_has(&cpu, ALTPICK_CPU_AVX));
    assert_false(altpick_cpu_has(&cpu, ALTPICK_CPU_AVX2));
    assert_false(altpick_cpu_has(&cpu, ALTPICK_CPU_ERMS));
    assert_false(altpick_cpu_has(&cpu, ALTPICK_CPU_HYBRID));
    assert_false(altpick_cpu_has(&cpu, ALTPICK_CPU_XSAVEC));
}

static void avx_needs_the_operating_system(void **state)
{
    static const struct row rows[] = {
        {0,        0,                      0xd,         INTEL              },
        { 1, 0,                      0x306c3, 0, XSAVE | AVX, 1u << 25 | 1u << 26},
        { 7, 0, 0,           1u << 5 | 1u << 9 | 1u << 16,                   0, 0},
    };
    struct altpick_cpu cpu = read_fake(FAKE(rows, 0xff));
    (void) state;

    assert_int_equal(cpu.xcr0, 0);
    assert_false(altpick_cpu_has(&cpu, ALTPICK_CPU_OSXSAVE));
    assert_false(altpick_cpu_has(&cpu, ALTPICK_CPU_AVX));
    assert_false(altpick_cpu_has(&cpu, ALTPICK_CPU_AVX2));
    assert_false(altpick_cpu_has(&cpu, ALTPICK_CPU_AVX512F));
    assert_true(altpick_cpu_has(&cpu, ALTPICK_CPU_ERMS));
    assert_true(altpick_cpu_has(&cpu, ALTPICK_CPU_SSE2));
}

static void avx512_needs_all_of_its_components_in_xcr0(void **state)
{
    static const struct row rows[] = {
        {0,        0,                                  0xd,                   INTEL   },
        { 1, 0,                                  0x606a6, 0,        XSAVE | OSXSAVE | AVX, 0},
        { 7, 0, 0,                     1u << 5 | 1u << 16 | 1u << 30 | 1u << 31, 0, 1u << 24},
    };
    struct altpick_cpu some = read_fake(FAKE(rows, 0x67)); /* opmask and upper ZMM, not ZMM16 */
    struct altpick_cpu all = read_fake(FAKE(rows, 0xe7));
    struct altpick_cpu tile = read_fake(FAKE(rows, 0x600e7));
    (void) state;

    assert_true(altpick_cpu_has(&some, ALTPICK_CPU_AVX2));
    assert_false(altpick_cpu_has(&some, ALTPICK_CPU_AVX512F));
    assert_false(altpick_cpu_has(&some, ALTPICK_CPU_AVX512VL));
    assert_true(altpick_cpu_has(&all, ALTPICK_CPU_AVX512F));
    assert_true(altpick_cpu_has(&all, ALTPICK_CPU_AVX512BW));
    assert_false(altpick_cpu_has(&all, ALTPICK_CPU_AMX_TILE));
    assert_true(altpick_cpu_has(&tile, ALTPICK_CPU_AMX_TILE));
    assert_int_equal(tile.xcr0, 0x600e7);
}

static void leaf_d_needs_xsave(void **state)
{
    struct row rows[] = {
        {0,        0, 0xd, INTEL},
        { 1,   0, 0x306c3,   0,     0, 0},
        { 0xd, 1,     0xf,   0,     0, 0},
    };
    struct altpick_cpu without = read_fake(FAKE(rows, 0));
    struct altpick_cpu with;
    (void) state;

    rows[1].ecx = XSAVE | OSXSAVE;
    with = read_fake(FAKE(rows, 7));
    assert_false(altpick_cpu_has(&without, ALTPICK_CPU_XSAVEOPT));
    assert_true(altpick_cpu_has(&with, ALTPICK_CPU_XSAVEOPT));
    assert_true(altpick_cpu_has(&with, ALTPICK_CPU_XSAVES));
}

/* EAX: type, level; EBX: ways, partitions, line; ECX: sets; each less one. */
#define CACHE(leaf, index, type, level, ways, line, sets)                                          \
    {                                                                                              \
        leaf, index, (level) << 5 | (type), ((ways) -1u) << 22 | ((line) -1), (sets) -1, 0         \
    }

static void intel_cache_sizes_come_from_leaf_4(void **state)
{
    static const struct row rows[] = {
        {0,        0, 4, INTEL},
        { 1, 0, 0x906a3, 0,     0, 0},
        CACHE(4, 0, 1, 1, 12, 64, 64),
        CACHE(4, 1, 2, 1, 8, 64, 64),
        CACHE(4, 2, 3, 2, 10, 64, 2048),
        CACHE(4, 3, 3, 3, 12, 64, 32768),
    };
    struct altpick_cpu cpu = read_fake(FAKE(rows, 0));
    (void) state;

    assert_int_equal(cpu.l1d_bytes, 48 * 1024);
    assert_int_equal(cpu.l1i_bytes, 32 * 1024);
    assert_int_equal(cpu.l2_bytes, 1280 * 1024);
    assert_int_equal(cpu.line_bytes, 64);
}

/* clang-format off */
static const struct row amd_rows[] = {
    {0, 0, 0x10, AMD},
    {1, 0, 0x00a20f10, 0, 0, 0},
    {0x80000000u, 0, 0x8000001eu, AMD},
    {0x80000001u, 0, 0, 0, TOPOEXT, 1u << 29 | 1u << 27},
    {0x80000005u, 0, 0, 0, 64u << 24 | 64, 48u << 24 | 32},
    {0x80000006u, 0, 0, 0, 1024u << 16, 0},
    CACHE(0x8000001du, 0, 1, 1, 8, 64, 64),
    CACHE(0x8000001du, 1, 2, 1, 8, 64, 64),
    CACHE(0x8000001du, 2, 3, 2, 8, 64, 1024),
};
/* clang-format on */

static void amd_cache_sizes_come_from_leaf_8000001d(void **state)
{
    struct altpick_cpu cpu = read_fake(FAKE(amd_rows, 0));
    (void) state;

    assert_string_equal(cpu.vendor, "AuthenticAMD");
    assert_int_equal(cpu.family, 0x19);
    assert_int_equal(cpu.model, 0x21);
    assert_int_equal(cpu.stepping, 0);
    assert_int_equal(cpu.l1i_bytes, 32 * 1024);
    assert_int_equal(cpu.l2_bytes, 512 * 1024);
    assert_int_equal(cpu.line_bytes, 64);
    assert_true(altpick_cpu_has(&cpu, ALTPICK_CPU_LM));
}

static void without_topology_extensions_amd_cache_sizes_come_from_80000005(void **state)
{
    struct row rows[sizeof amd_rows / sizeof *amd_rows];
    struct altpick_cpu cpu;
    (void) state;

    memcpy(rows, amd_rows, sizeof rows);
    rows[3].ecx = 0;
    cpu = read_fake(FAKE(rows, 0));
    assert_int_equal(cpu.l1i_bytes, 48 * 1024);
    assert_int_equal(cpu.l1d_bytes, 64 * 1024);
    assert_int_equal(cpu.l2_bytes, 1024 * 1024);
    assert_int_equal(cpu.line_bytes, 32);
}

static void one_unified_cache_is_both(void **state)
{
    static const struct row rows[] = {
        {0,      0, 4, INTEL},
        { 1, 0, 0x480, 0,     0, 0},
        CACHE(4, 0, 3, 1, 4, 16, 128),
    };
    struct altpick_cpu cpu = read_fake(FAKE(rows, 0));
    (void) state;

    assert_int_equal(cpu.l1d_bytes, 8192);
    assert_int_equal(cpu.l1i_bytes, 8192);
    assert_int_equal(cpu.line_bytes, 16);
}

static void an_absurd_cache_does_not_overflow(void **state)
{
    static const struct row rows[] = {
        {0,            0,   4,   INTEL},
        { 1, 0,         0x633,   0,     0, 0},
        { 4, 0, 1u << 5 | 2, ~0u,     ~0u, 0},
    };
    struct altpick_cpu cpu = read_fake(FAKE(rows, 0));
    (void) state;

    assert_int_equal(cpu.l1i_bytes, UINT32_MAX);
}

static void endless_cpuid(void *ctx, uint32_t leaf, uint32_t subleaf, uint32_t ret_regs[4])
{
    (void) ctx;
    (void) leaf;
    (void) subleaf;
    memset(ret_regs, 0xff, 4 * sizeof *ret_regs);
}

static uint64_t endless_xgetbv0(void *ctx)
{
    (void) ctx;
    return UINT64_MAX;
}

static void a_cpuid_of_all_ones_ends(void **state)
{
    const struct altpick_cpuid_source source = {endless_cpuid, endless_xgetbv0, NULL};
    struct altpick_cpu cpu;
    (void) state;

    altpick_cpu_read(&source, &cpu);
    assert_string_equal(cpu.vendor, "????????????");
    assert_string_equal(cpu.hypervisor, "????????????");
}

static void the_core_type_is_read_on_hybrid_parts_only(void **state)
{
    struct row rows[] = {
        {0,           0, 0x20, INTEL   },
        { 1,    0,    0xb0671,    0,        0, 0},
        { 7,    0,          0,    0, 0, 1u << 15},
        { 0x1a, 0, 0x20000001,    0,        0, 0},
    };
    struct altpick_cpu hybrid = read_fake(FAKE(rows, 0));
    struct altpick_cpu short_leaves, plain;
    (void) state;

    rows[0].eax = 0x19;
    short_leaves = read_fake(FAKE(rows, 0));
    rows[0].eax = 0x20;
    rows[2].edx = 0;
    plain = read_fake(FAKE(rows, 0));
    assert_int_equal(hybrid.core_type, 0x20);
    assert_int_equal(short_leaves.core_type, 0);
    assert_int_equal(plain.core_type, 0);
}

static void junk_in_strings_is_made_printable(void **state)
{
    static const struct row rows[] = {
        {0,           0, 1,           0x0a016547, 0x41,       0x42      },
        {1,           0, 0x633,       0,          1u << 31,   0         },
        {0x40000000u, 0, 0,           0x4b4d564b, 0x564b4d56, 0x4d      },
        {0x80000000u, 0, 0x80000004u, 0,          0,          0         },
        {0x80000002u, 0, 0x20202020,  0x42202041, 0xff1b0943, 0x20202020},
        {0x80000003u, 0, 0x2020447f,  0,          0x5a5a5a5a, 0         }, /* a NUL ends it */
        {0x80000004u, 0, 0x20202020,  0x20202020, 0x20202020, 0x20202020},
    };
    struct altpick_cpu cpu = read_fake(FAKE(rows, 0));
    (void) state;

    assert_string_equal(cpu.hypervisor, "KVMKVMKVM");
    assert_string_equal(cpu.vendor, "Ge??B");
    assert_string_equal(cpu.brand, "A BC??? ?D");
}

static void a_brand_of_48_characters_fits(void **state)
{
    static const struct row rows[] = {
        {0,            0,         1,          INTEL     },
        { 1,           0,               0x633,          0,          0, 0},
        { 0x80000000u, 0,         0x80000004u,          0,          0, 0},
        { 0x80000002u, 0, 0x41414141, 0x41414141, 0x41414141, 0x41414141},
        { 0x80000003u, 0, 0x41414141, 0x41414141, 0x41414141, 0x41414141},
        { 0x80000004u, 0, 0x41414141, 0x41414141, 0x41414141, 0x42414141},
    };
    struct altpick_cpu cpu = read_fake(FAKE(rows, 0));
    (void) state;

    assert_int_equal(strlen(cpu.brand), 48);
    assert_int_equal(cpu.brand[47], 'B');
}

static void every_feature_has_a_name(void **state)
{
    (void) state;
    for (unsigned i = 0; i < ALTPICK_N_CPU_FEATURES; i++)
        assert_non_null(altpick_cpu_feature_name(i));
    assert_string_equal(altpick_cpu_feature_name(ALTPICK_CPU_INVARIANT_TSC), "invariant-tsc");
    assert_null(altpick_cpu_feature_name(ALTPICK_N_CPU_FEATURES));
}

static void this_cpu_can_be_read(void **state)
{
    struct altpick_cpu cpu;
    (void) state;

    altpick_cpu_read(&altpick_cpuid_native, &cpu);
    assert_true(altpick_cpu_has(&cpu, ALTPICK_CPU_SSE2));
    assert_true(altpick_cpu_has(&cpu, ALTPICK_CPU_LM));
    assert_false(altpick_cpu_has(&cpu, ALTPICK_N_CPU_FEATURES));
    assert_int_not_equal(cpu.signature, 0);
}

static void all_of_several_features_are_asked_for(void **state)
{
    struct altpick_cpu cpu = {.features = {0}};
    (void) state;

    assert_true(altpick_cpu_has_all(&cpu, 0));
    for (unsigned f = 0; f < ALTPICK_N_CPU_FEATURES; f++) {
        assert_false(altpick_cpu_has_all(&cpu, UINT64_C(1) << f));
        cpu.features[f / 32] |= 1u << f % 32;
        assert_true(altpick_cpu_has_all(&cpu, UINT64_MAX >> (63 - f)));
    }
    assert_false(altpick_cpu_has_all(&cpu, UINT64_C(1) << ALTPICK_N_CPU_FEATURES));
}

ALTPICK_TEST_MAIN(
    cmocka_unit_test(an_old_cpu_has_leaf_1_only),
    cmocka_unit_test(a_junk_extended_maximum_is_no_maximum),
    cmocka_unit_test(without_leaf_7_its_features_are_absent),
    cmocka_unit_test(avx_needs_the_operating_system),
    cmocka_unit_test(avx512_needs_all_of_its_components_in_xcr0),
    cmocka_unit_test(leaf_d_needs_xsave), cmocka_unit_test(intel_cache_sizes_come_from_leaf_4),
    cmocka_unit_test(amd_cache_sizes_come_from_leaf_8000001d),
    cmocka_unit_test(without_topology_extensions_amd_cache_sizes_come_from_80000005),
    cmocka_unit_test(one_unified_cache_is_both),
    cmocka_unit_test(an_absurd_cache_does_not_overflow), cmocka_unit_test(a_cpuid_of_all_ones_ends),
    cmocka_unit_test(the_core_type_is_read_on_hybrid_parts_only),
    cmocka_unit_test(junk_in_strings_is_made_printable),
    cmocka_unit_test(a_brand_of_48_characters_fits), cmocka_unit_test(every_feature_has_a_name),
    cmocka_unit_test(all_of_several_features_are_asked_for), cmocka_unit_test(this_cpu_can_be_read))
