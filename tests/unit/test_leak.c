/* SPDX-License-Identifier: MIT */
/* Patterns that tell their owner, the comparison that reads them back, and its words. */
#include "altpick/xstate.h"
#include "leak.h"
#include "test.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

enum { HEADER_AT = 512, AREA_MAX = 12288, ALL = 0xe00ff };

/* A CPU with everything that is known, where no such CPU need be. */
static const struct altpick_xstate everything = {
    .xcr0 = ALL,
    .has_xsave = true,
    .bytes = 11264,
    .at = {[2] = {576, 256},
           [3] = {960, 64},
           [4] = {1024, 64},
           [5] = {1088, 64},
           [6] = {1152, 512},
           [7] = {1664, 1024},
           [17] = {2752, 64},
           [18] = {2816, 8192},
           [19] = {11136, 128}},
};

static const char *const names[ALTPICK_LEAK_OWNERS + 1] = {"nobody", "one",  "two", "three",
                                                           "four",   "five", "six", "seven"};

static struct altpick_leak_findings findings;
static struct altpick_leak leak;
static _Alignas(64) uint8_t memory[6 * AREA_MAX], area[AREA_MAX], other[AREA_MAX];

/* A tester that sees everything of a CPU that is not there: nothing is executed. */
static int set_up(void **state)
{
    size_t bytes = altpick_leak_area_bytes(&everything);

    (void) state;
    memset(&findings, 0, sizeof findings);
    memset(memory, 0xff, sizeof memory);
    leak = (struct altpick_leak){
        .xstate = &everything,
        .findings = &findings,
        .image = memory,
        .wanted = memory + bytes,
        .seen = memory + 2 * bytes,
        .initial = memory + 3 * bytes,
        .scratch = memory + 4 * bytes,
        .mask = memory + 5 * bytes,
        .has_environment = true,
    };
    altpick_leak_make(&everything, (struct altpick_leak_state){0, 0}, leak.initial);
    return 0;
}

static void make(uint8_t owner, uint8_t generation, uint8_t *to)
{
    altpick_leak_make(&everything, (struct altpick_leak_state){owner, generation}, to);
}

static struct altpick_leak_trial trial_of(uint8_t owner, uint8_t generation)
{
    return (struct altpick_leak_trial){
        .scene = "made up",
        .holds = {owner, generation},
        .wants = {owner, generation},
    };
}

static unsigned part_of(const char *register_name)
{
    unsigned i = 0;

    while (strcmp(altpick_leak_parts[i].register_name, register_name) != 0)
        i++;
    return i;
}

/* Byte @byte of register @index of part @part in @of. */
static uint8_t *byte_at(uint8_t *of, unsigned part, unsigned index, unsigned byte)
{
    return of + altpick_leak_at(&everything, &altpick_leak_parts[part], index) + byte;
}

static void a_state_is_its_owner_s_and_nobody_else_s(void **state)
{
    (void) state;
    for (uint8_t owner = 0; owner <= ALTPICK_LEAK_OWNERS; owner++) {
        struct altpick_leak_trial trial = trial_of(owner, 3);

        make(owner, 3, area);
        assert_int_equal(altpick_leak_compare(&leak, &trial, area), 0);
    }
    assert_int_equal(findings.n, 0);
    assert_int_equal(leak.looks, ALTPICK_LEAK_OWNERS + 1);
}

static void every_register_tells_every_owner(void **state)
{
    (void) state;
    for (uint8_t owner = 0; owner <= ALTPICK_LEAK_OWNERS; owner++) {
        uint8_t mine = owner == 5 ? 6 : 5;
        unsigned all = 0;

        make(owner, 17, other);
        for (unsigned i = 0; i < ALTPICK_LEAK_PARTS; i++) {
            const struct altpick_leak_part *part = &altpick_leak_parts[i];
            unsigned bad = part->shows && owner == ALTPICK_LEAK_NOBODY ? 0 : 1;

            for (unsigned k = 0; k < part->registers; k++, all++) {
                struct altpick_leak_trial trial = trial_of(mine, 2);
                const struct altpick_leak_finding *found = findings.finding;

                make(mine, 2, area);
                memcpy(byte_at(area, i, k, 0), byte_at(other, i, k, 0), part->bytes);
                findings.n = 0;
                assert_int_equal(altpick_leak_compare(&leak, &trial, area), bad);
                assert_int_equal(findings.n, bad);
                if (!bad)
                    continue;
                assert_int_equal(found->part, i);
                assert_int_equal(found->registers, 1u << k);
                assert_int_equal(found->holder, mine);
                assert_int_equal(found->whose,
                                 owner ? ALTPICK_LEAK_IS_OWNER : ALTPICK_LEAK_IS_INITIAL);
                assert_int_equal(found->owner, owner);
            }
        }
        assert_int_equal(all, 13 + 8 + 16 + 16 + 4 + 8 + 16 + 16 + 8 + 16);
    }
}

static void old_bits_of_one_s_own_are_told_from_present_ones(void **state)
{
    struct altpick_leak_trial trial = trial_of(2, 9);
    (void) state;

    make(2, 8, area);
    assert_int_not_equal(altpick_leak_compare(&leak, &trial, area), 0);
    for (uint32_t i = 0; i < findings.n; i++) {
        assert_int_equal(findings.finding[i].whose, ALTPICK_LEAK_IS_OWNER);
        assert_int_equal(findings.finding[i].owner, 2);
    }
}

static void one_byte_is_enough_and_is_named(void **state)
{
    struct altpick_leak_trial trial = trial_of(1, 0);
    unsigned ymm = part_of("ymm");
    (void) state;

    make(1, 0, area);
    make(3, 30, other);
    *byte_at(area, ymm, 7, 11) = *byte_at(other, ymm, 7, 11);
    assert_int_equal(altpick_leak_compare(&leak, &trial, area), 1);
    assert_int_equal(findings.finding[0].registers, 1u << 7);
    assert_int_equal(findings.finding[0].first, 11);
    assert_int_equal(findings.finding[0].last, 11);
    assert_int_equal(findings.finding[0].n_sample, 1);
    assert_int_equal(findings.finding[0].owner, 3);
    assert_int_equal(findings.finding[0].seen[0], *byte_at(other, ymm, 7, 11));
}

static void bits_of_no_pattern_are_of_an_unknown_owner(void **state)
{
    struct altpick_leak_trial trial = trial_of(1, 0);
    unsigned xmm = part_of("xmm");
    (void) state;

    make(1, 0, area);
    memcpy(byte_at(area, xmm, 4, 0), "secret of a bank", 16);
    *byte_at(area, part_of("mxcsr"), 0, 1) ^= 0x02; /* a mask bit, which no pattern has clear */
    assert_int_equal(altpick_leak_compare(&leak, &trial, area), 2);
    assert_int_equal(findings.n, 2);
    assert_int_equal(findings.finding[0].whose, ALTPICK_LEAK_IS_UNKNOWN);
    assert_int_equal(findings.finding[1].whose, ALTPICK_LEAK_IS_UNKNOWN);
    assert_memory_equal(findings.finding[1].seen, "secret of a bank", 16);
}

/* Bytes of one owner each, as digits, lower case and a constant are; a mix of two saves is not. */
static void text_and_constants_are_nobody_s(void **state)
{
    const void *const values[] = {"0123456789012345", "abcdefghijklmnop", "a\0l\0t\0p\0i\0c\0k\0!",
                                  "ZZZZZZZZZZZZZZZZ"};
    unsigned xmm = part_of("xmm");
    (void) state;

    for (uint8_t holds = 0; holds <= 1; holds++) {
        struct altpick_leak_trial trial = trial_of(holds, 0);

        for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
            memset(&findings, 0, sizeof findings);
            make(holds, 0, area);
            memcpy(byte_at(area, xmm, 4, 0), values[i], 16);
            area[HEADER_AT] |= 2; /* SSE is not initial */
            assert_int_equal(altpick_leak_compare(&leak, &trial, area), 1);
            assert_int_equal(findings.finding[0].whose, ALTPICK_LEAK_IS_UNKNOWN);
        }
        memset(&findings, 0, sizeof findings);
        make(holds, 0, area);
        make(2, 7, other);
        memcpy(byte_at(area, xmm, 4, 0), byte_at(other, xmm, 4, 0), 8);
        make(2, 8, other);
        memcpy(byte_at(area, xmm, 4, 8), byte_at(other, xmm, 4, 8), 8);
        area[HEADER_AT] |= 2;
        assert_int_equal(altpick_leak_compare(&leak, &trial, area), 1);
        assert_int_equal(findings.finding[0].whose, ALTPICK_LEAK_IS_OWNER);
        assert_int_equal(findings.finding[0].owner, 2);
    }
}

static void what_cannot_be_seen_is_not_compared(void **state)
{
    struct altpick_leak_trial trial = trial_of(1, 0);
    unsigned fip = part_of("fip");
    (void) state;

    make(1, 0, area);
    memset(byte_at(area, fip, 0, 0), 0, 8);
    memset(byte_at(leak.mask, fip, 0, 0), 0, 8);
    assert_int_equal(altpick_leak_compare(&leak, &trial, area), 0);
}

static void initial_is_accepted_only_where_it_may_be(void **state)
{
    struct altpick_leak_trial trial = trial_of(4, 1);
    (void) state;

    make(0, 0, area);
    trial.may_be_initial = ALL;
    assert_int_equal(altpick_leak_compare(&leak, &trial, area), 0);
    make(0, 0, area);
    trial.may_be_initial = ALL & ~0x4u;
    assert_int_equal(altpick_leak_compare(&leak, &trial, area), 16);
    assert_int_equal(findings.finding[0].part, part_of("ymm"));
    assert_int_equal(findings.finding[0].whose, ALTPICK_LEAK_IS_INITIAL);
}

/* What XSAVE leaves of a component that its header calls initial is no state. */
static void what_a_header_calls_initial_is_initial(void **state)
{
    struct altpick_leak_trial trial = trial_of(0, 0);
    (void) state;

    leak.has_environment = false;
    make(3, 3, area);
    memset(area + HEADER_AT, 0, 8);
    make(0, 0, other);
    memcpy(byte_at(area, part_of("mxcsr"), 0, 0), byte_at(other, part_of("mxcsr"), 0, 0), 4);
    assert_int_equal(altpick_leak_compare(&leak, &trial, area), 0);
}

static void the_same_again_is_one_finding(void **state)
{
    struct altpick_leak_trial trial = trial_of(1, 0);
    (void) state;

    for (unsigned round = 0; round < 5; round++) {
        make(1, 0, area);
        make(2, 0, other);
        for (unsigned k = round; k < round + 2; k++)
            memcpy(byte_at(area, part_of("k"), k, 0), byte_at(other, part_of("k"), k, 0), 8);
        assert_int_equal(altpick_leak_compare(&leak, &trial, area), 2);
    }
    assert_int_equal(findings.n, 1);
    assert_int_equal(findings.finding[0].count, 5);
    assert_int_equal(findings.finding[0].registers, 0x3f);
    assert_int_equal(findings.lost, 0);
}

static void findings_that_do_not_fit_are_counted(void **state)
{
    static const char scenes[ALTPICK_LEAK_FINDINGS + 2][2];
    (void) state;

    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        struct altpick_leak_trial trial = trial_of(1, 0);

        make(1, 0, area);
        *byte_at(area, part_of("tmm"), 2, 100) ^= 0x80;
        trial.scene = scenes[i];
        altpick_leak_compare(&leak, &trial, area);
    }
    assert_int_equal(findings.n, ALTPICK_LEAK_FINDINGS);
    assert_int_equal(findings.lost, 2);
}

static void a_finding_is_told_in_words(void **state)
{
    struct altpick_leak_trial trial = trial_of(1, 0);
    unsigned hi16 = part_of("k") + 2;
    struct altpick_out out;
    struct altpick_text text;
    (void) state;

    make(1, 0, area);
    make(2, 0, other);
    memcpy(byte_at(area, hi16, 0, 8), byte_at(other, hi16, 0, 8), 2);
    memcpy(byte_at(area, hi16, 2, 8), byte_at(other, hi16, 2, 8), 2);
    memcpy(byte_at(area, hi16, 3, 8), byte_at(other, hi16, 3, 8), 2);
    altpick_leak_compare(&leak, &trial, area);
    altpick_text_init(&text, &out);
    altpick_leak_say(&out, findings.finding, names);
    assert_non_null(strstr(text.data,
                           "made up: one saw in hi16-zmm (zmm16 zmm18-zmm19, bytes 8-9)\n"
                           "      bits of two instead of those of one, in 1 look\n"));
    altpick_text_fini(&text);
}

static void plants_are_named_by_place_and_register(void **state)
{
    struct altpick_leak_plant plant;
    (void) state;

    assert_true(altpick_leak_plant_parse("switch:ymm7", &plant));
    assert_int_equal(plant.where, ALTPICK_LEAK_SWITCH);
    assert_int_equal(plant.registers[part_of("ymm")], 1u << 7);
    assert_int_equal(altpick_leak_plant_components(&plant), 0);
    assert_true(altpick_leak_plant_parse("handler:zmm16", &plant));
    assert_int_equal(plant.where, ALTPICK_LEAK_HANDLER);
    assert_int_equal(plant.registers[part_of("k") + 2], 1);
    assert_int_equal(plant.registers[part_of("k") + 1], 0);
    assert_true(altpick_leak_plant_parse("switch:zmm", &plant));
    assert_int_equal(altpick_leak_plant_components(&plant), 0x40);
    assert_true(altpick_leak_plant_parse("switch:x87-pointers", &plant));
    assert_int_equal(plant.registers[part_of("fdp")], 1);
    assert_int_equal(plant.registers[part_of("st")], 0);
    assert_int_equal(altpick_leak_plant_components(&plant), 0);
    assert_true(altpick_leak_plant_parse("switch:x87", &plant));
    assert_int_equal(altpick_leak_plant_components(&plant), 0x1);
    assert_true(altpick_leak_plant_parse("entry:all", &plant));
    assert_int_equal(altpick_leak_plant_components(&plant), ALL);
    assert_true(altpick_leak_plant_parse("switch:lazy", &plant) && plant.lazy);
}

static void what_is_no_plant_is_refused(void **state)
{
    static const char *const bad[] = {"",           "ymm",          "switch:",      "switch:xmm16",
                                      "switch:xmm", "handler:lazy", "switch:ymm-1", "switch:ymm7x",
                                      "Switch:ymm", "switch:zmm32", "switch:zmm 1", "switch:ymm007",
                                      "switch:fcw0"};
    struct altpick_leak_plant plant;
    (void) state;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        memset(&plant, 0x5a, sizeof plant);
        assert_int_equal(altpick_leak_plant_parse(bad[i], &plant), i == 4);
        assert_int_equal(plant.registers[0] == 0x5a5a5a5a, i != 4);
    }
}

static void a_splice_is_found_where_it_was_made(void **state)
{
    struct altpick_leak_trial trial = trial_of(1, 0);
    struct altpick_leak_plant plant;
    (void) state;

    assert_true(altpick_leak_plant_parse("handler:mxcsr", &plant));
    leak.plant = &plant;
    make(1, 0, area);
    altpick_leak_plant_splice(&leak, ALTPICK_LEAK_SWITCH, (struct altpick_leak_state){4, 0}, area);
    assert_int_equal(altpick_leak_compare(&leak, &trial, area), 0);
    altpick_leak_plant_splice(&leak, ALTPICK_LEAK_HANDLER, (struct altpick_leak_state){4, 0}, area);
    assert_int_equal(altpick_leak_compare(&leak, &trial, area), 1);
    assert_int_equal(findings.finding[0].part, part_of("mxcsr"));
    assert_int_equal(findings.finding[0].owner, 4);
}

static void do_nothing(void *ctx)
{
    (void) ctx;
}

/* On this CPU, whatever it has. */
static void a_tester_of_this_cpu_sees_xmm_and_mxcsr(void **state)
{
    struct altpick_xstate xstate;
    struct altpick_cpu cpu;
    struct altpick_leak_trial trial = trial_of(3, 7);
    uint8_t *room;
    (void) state;

    altpick_cpu_read(&altpick_cpuid_native, &cpu);
    altpick_xstate_read(&altpick_cpuid_native, &cpu, ~(uint64_t) ALTPICK_XCR0_TILE, &xstate);
    room = aligned_alloc(64, altpick_leak_memory_bytes(&xstate));
    assert_non_null(room);
    altpick_leak_init(&leak, &xstate, &findings, room);
    assert_null(altpick_leak_why_not(&leak, part_of("xmm")));
    assert_null(altpick_leak_why_not(&leak, part_of("mxcsr")));
    trial.action = do_nothing;
    assert_int_equal(altpick_leak_try(&leak, &trial), 0);
    free(room);
}

ALTPICK_TEST_MAIN(cmocka_unit_test_setup(a_state_is_its_owner_s_and_nobody_else_s, set_up),
                  cmocka_unit_test_setup(every_register_tells_every_owner, set_up),
                  cmocka_unit_test_setup(old_bits_of_one_s_own_are_told_from_present_ones, set_up),
                  cmocka_unit_test_setup(one_byte_is_enough_and_is_named, set_up),
                  cmocka_unit_test_setup(bits_of_no_pattern_are_of_an_unknown_owner, set_up),
                  cmocka_unit_test_setup(text_and_constants_are_nobody_s, set_up),
                  cmocka_unit_test_setup(what_cannot_be_seen_is_not_compared, set_up),
                  cmocka_unit_test_setup(initial_is_accepted_only_where_it_may_be, set_up),
                  cmocka_unit_test_setup(what_a_header_calls_initial_is_initial, set_up),
                  cmocka_unit_test_setup(the_same_again_is_one_finding, set_up),
                  cmocka_unit_test_setup(findings_that_do_not_fit_are_counted, set_up),
                  cmocka_unit_test_setup(a_finding_is_told_in_words, set_up),
                  cmocka_unit_test_setup(plants_are_named_by_place_and_register, set_up),
                  cmocka_unit_test_setup(what_is_no_plant_is_refused, set_up),
                  cmocka_unit_test_setup(a_splice_is_found_where_it_was_made, set_up),
                  cmocka_unit_test_setup(a_tester_of_this_cpu_sees_xmm_and_mxcsr, set_up))
