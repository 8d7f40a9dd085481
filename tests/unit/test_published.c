/* SPDX-License-Identifier: MIT */
/* Published figures: which bytes they speak of, and how dumps of one core are merged. */
#include "published.h"

#include "bytes.h"
#include "test.h"

#define DECODE(bytes_, nop)                                                                        \
    altpick_nop_decode((const uint8_t *) (bytes_), sizeof(bytes_) - 1, (nop))
#define ELSEWHERE(bytes_) altpick_nop_elsewhere((const uint8_t *) (bytes_), sizeof(bytes_) - 1)

static void a_nop_is_its_opcode_length_and_prefixes(void **state)
{
    struct altpick_nop nop;
    (void) state;

    assert_int_equal(DECODE("\x66\x66\x90\x90", &nop), 3);
    assert_int_equal(nop.opcode, 0x90);
    assert_int_equal(nop.bytes, 3);
    assert_int_equal(nop.prefixes, 2);

    assert_int_equal(DECODE("\x66\x2e\x0f\x1f\x84\0\0\0\0\0", &nop), 10);
    assert_int_equal(nop.opcode, 0x1f);
    assert_int_equal(nop.prefixes, 2);
}

static void half_a_nop_and_other_instructions_are_no_nop(void **state)
{
    struct altpick_nop nop;
    (void) state;

    assert_int_equal(DECODE("\x66", &nop), 0);
    assert_int_equal(DECODE("\x0f\x1f", &nop), 0);
    assert_int_equal(DECODE("\x0f\x1f\x44", &nop), 0);
    assert_int_equal(DECODE("\x0f\x1f\x80\0\0\0", &nop), 0);
    assert_int_equal(DECODE("\x0f\x1f\xc0", &nop), 0);
    assert_int_equal(DECODE("\x0f\x1f\x08", &nop), 0);
    assert_int_equal(DECODE("\xf3\x90", &nop), 0);
    assert_int_equal(DECODE("\xeb\0", &nop), 0);
}

static void the_longest_instruction_has_fifteen_bytes(void **state)
{
    struct altpick_nop nop;
    (void) state;

    /* f is 66 */
    assert_int_equal(DECODE("fffffff\x0f\x1f\x84\0\0\0\0\0", &nop), 15);
    assert_int_equal(DECODE("ffffffff\x0f\x1f\x84\0\0\0\0\0", &nop), 0);
}

static void long_forms_are_toxic_somewhere_and_their_splits_are_not(void **state)
{
    (void) state;
    assert_int_equal(ELSEWHERE("\x66\x2e\x0f\x1f\x84\0\0\0\0\0"), ALTPICK_ELSEWHERE_FINE);
    assert_int_equal(ELSEWHERE("\x66\x66\x2e\x0f\x1f\x84\0\0\0\0\0"), ALTPICK_ELSEWHERE_TOXIC);
    assert_int_equal(ELSEWHERE("\x66\x66\x66\x90"), ALTPICK_ELSEWHERE_FINE);
    assert_int_equal(ELSEWHERE("\x66\x66\x66\x66\x90"), ALTPICK_ELSEWHERE_TOXIC);
    assert_int_equal(ELSEWHERE("\x66\x0f\x1f\x44\0\0\x0f\x1f\x44\0\0"), ALTPICK_ELSEWHERE_FINE);
    assert_int_equal(ELSEWHERE("\x66\x66\x90\x66\x66\x66\x66\x90"), ALTPICK_ELSEWHERE_TOXIC);
}

static void nothing_is_published_about_code_that_is_no_nop(void **state)
{
    (void) state;
    assert_int_equal(altpick_nop_elsewhere(NULL, 0), ALTPICK_ELSEWHERE_UNKNOWN);
    assert_int_equal(ELSEWHERE("\xeb\x02\x90\x90"), ALTPICK_ELSEWHERE_UNKNOWN);
    assert_int_equal(ELSEWHERE("\x66\x0f\x1f\0"), ALTPICK_ELSEWHERE_UNKNOWN);
}

static const struct altpick_published_machine *machine_called(const char *name)
{
    for (size_t i = 0; i < altpick_published_machine_count; i++) {
        if (altpick_equal(altpick_published_machines[i].name, name))
            return &altpick_published_machines[i];
    }
    fail_msg("%s is not in the table", name);
    return NULL;
}

static void dumps_of_one_core_are_merged_by_median(void **state)
{
    const struct altpick_published_machine *m = machine_called("Interlagos");
    (void) state;

    assert_int_equal(m->signature, 0x600f12);
    assert_int_equal(m->core, '-');
    assert_int_equal(m->dumps, 3);
    assert_string_equal(m->brand, "AMD FX(tm)-6100 Six-Core Processor");
    assert_int_equal(m->cost[0].low_micro, 250000);
    assert_int_equal(m->cost[0].cycles_micro, 250000);
    assert_int_equal(m->cost[0].high_micro, 300000);
    assert_int_equal(m->cost[15].cycles_micro, 250000); /* published by one of the three */
}

static void figures_that_are_missing_or_artefacts_are_absent(void **state)
{
    const struct altpick_published_machine *m = machine_called("K10_Barcelona");
    (void) state;

    assert_int_equal(m->cost[15].cycles_micro, 0);
    m = machine_called("K19_StormPeak_01"); /* 90: 0.090 */
    assert_int_equal(m->cost[0].cycles_micro, 0);
    assert_int_equal(m->cost[4].cycles_micro, 111000);
}

static void every_machine_has_ordered_figures(void **state)
{
    (void) state;
    for (size_t i = 0; i < altpick_published_machine_count; i++) {
        for (size_t form = 0; form < ALTPICK_PUBLISHED_FORMS; form++) {
            const struct altpick_published_cost *c = &altpick_published_machines[i].cost[form];

            assert_true(c->low_micro <= c->cycles_micro && c->cycles_micro <= c->high_micro);
            assert_true(!c->low_micro == !c->high_micro);
        }
    }
}

ALTPICK_TEST_MAIN(cmocka_unit_test(a_nop_is_its_opcode_length_and_prefixes),
                  cmocka_unit_test(half_a_nop_and_other_instructions_are_no_nop),
                  cmocka_unit_test(the_longest_instruction_has_fifteen_bytes),
                  cmocka_unit_test(long_forms_are_toxic_somewhere_and_their_splits_are_not),
                  cmocka_unit_test(nothing_is_published_about_code_that_is_no_nop),
                  cmocka_unit_test(dumps_of_one_core_are_merged_by_median),
                  cmocka_unit_test(figures_that_are_missing_or_artefacts_are_absent),
                  cmocka_unit_test(every_machine_has_ordered_figures))
