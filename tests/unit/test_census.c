/* SPDX-License-Identifier: MIT */
/* Each encoding of a NOP is counted as itself, in both modes, and what only looks like one is not.
 */
#include "elf/census.h"
#include "test.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CODE_MAX = 64, BOTH = 0, ONLY_32 = 32, ONLY_64 = 64 };

#define IS(form) ALTPICK_NOP_FORM_##form
#define NONE     ALTPICK_N_NOP_FORMS

static const struct sample {
    const char *hex;
    unsigned bits; /* where it is decoded so; BOTH: everywhere */
    enum altpick_nop_form form;
    unsigned prefixes_66, prefixes_2e;
} samples[] = {
    {"90",                             BOTH,    IS(90),             0, 0},
    {"6690",                           BOTH,    IS(90),             1, 0},
    {"666690",                         BOTH,    IS(90),             2, 0},
    {"2e90",                           BOTH,    IS(90),             0, 1},
    {"0f1f00",                         BOTH,    IS(0F1F_00),        0, 0},
    {"0f1f4000",                       BOTH,    IS(0F1F_40),        0, 0},
    {"0f1f440000",                     BOTH,    IS(0F1F_44),        0, 0},
    {"660f1f440000",                   BOTH,    IS(0F1F_44),        1, 0},
    {"0f1f8000000000",                 BOTH,    IS(0F1F_80),        0, 0},
    {"0f1f840000000000",               BOTH,    IS(0F1F_84),        0, 0},
    {"660f1f840000000000",             BOTH,    IS(0F1F_84),        1, 0},
    {"2e0f1f840000000000",             BOTH,    IS(0F1F_84),        0, 1},
    {"662e0f1f840000000000",           BOTH,    IS(0F1F_84),        1, 1},
    {"2e660f1f840000000000",           BOTH,    IS(0F1F_84),        1, 1},
    {"66662e0f1f840000000000",         BOTH,    IS(0F1F_84),        2, 1},
    {"6666666666662e0f1f840000000000", BOTH,    IS(0F1F_84),        6, 1},
    {"2e2e2e2e0f1f00",                 BOTH,    IS(OTHER),          0, 0},
    {"3e0f1f00",                       BOTH,    IS(OTHER),          0, 0},
    {"480f1f00",                       ONLY_64, IS(OTHER),          0, 0},
    {"4890",                           ONLY_64, IS(OTHER),          0, 0},
    {"0f1fc0",                         BOTH,    IS(0F1F_OTHER),     0, 0},
    {"0f1f4010",                       BOTH,    IS(0F1F_OTHER),     0, 0},
    {"0f1f40d6",                       BOTH,    IS(0F1F_OTHER),     0, 0},
    {"0f1f0500000000",                 BOTH,    IS(0F1F_OTHER),     0, 0},
    {"0f1f38",                         BOTH,    IS(0F1F_OTHER),     0, 0},
    {"0f1820",                         BOTH,    IS(HINT_18),        0, 0},
    {"0f1900",                         BOTH,    IS(HINT_19),        0, 0},
    {"0f1d00",                         BOTH,    IS(HINT_1D),        0, 0},
    {"0f1ec0",                         BOTH,    IS(HINT_1E),        0, 0},
    {"8d36",                           ONLY_32, IS(LEA),            0, 0},
    {"8d7600",                         ONLY_32, IS(LEA_DISP8),      0, 0},
    {"8d742600",                       ONLY_32, IS(LEA_SIB_DISP8),  0, 0},
    {"3e8d742600",                     ONLY_32, IS(LEA_3E),         0, 0},
    {"8db600000000",                   ONLY_32, IS(LEA_DISP32),     0, 0},
    {"8dbf00000000",                   ONLY_32, IS(LEA_DISP32),     0, 0},
    {"8db42600000000",                 ONLY_32, IS(LEA_SIB_DISP32), 0, 0},
    {"2e8db42600000000",               ONLY_32, IS(LEA_SIB_DISP32), 0, 1},
    {"8d6424f8",                       ONLY_32, NONE,               0, 0},
    {"8d642400",                       ONLY_32, IS(LEA_SIB_DISP8),  0, 0}, /* %esp */
    {"89f6",                           ONLY_32, IS(MOV),            0, 0},
    {"8bff",                           ONLY_32, IS(MOV),            0, 0},
 /* What is no NOP: PAUSE, ENDBR, another register, another address, a prefetch, 64-bit MOV. */
    {"f390",                           BOTH,    NONE,               0, 0},
    {"f30f1efa",                       BOTH,    NONE,               0, 0},
    {"f30f1efb",                       BOTH,    NONE,               0, 0},
    {"4190",                           ONLY_64, NONE,               0, 0},
    {"8d7700",                         ONLY_32, NONE,               0, 0},
    {"8d7601",                         ONLY_32, NONE,               0, 0},
    {"8d743600",                       ONLY_32, NONE,               0, 0},
    {"8d3500000000",                   ONLY_32, NONE,               0, 0},
    {"678d360000",                     ONLY_32, NONE,               0, 0},
    {"89fe",                           ONLY_32, NONE,               0, 0},
    {"8936",                           ONLY_32, NONE,               0, 0},
    {"89ff",                           ONLY_64, NONE,               0, 0},
    {"488d7600",                       ONLY_64, NONE,               0, 0},
    {"0f1800",                         BOTH,    NONE,               0, 0},
    {"87db",                           BOTH,    NONE,               0, 0},
    {"cc",                             BOTH,    NONE,               0, 0},
    {"c3",                             BOTH,    NONE,               0, 0},
};

static size_t parse(const char *hex, uint8_t *ret)
{
    size_t n = strlen(hex) / 2;

    for (size_t i = 0; i < n; i++) {
        unsigned byte;

        assert_int_equal(sscanf(hex + 2 * i, "%2x", &byte), 1);
        ret[i] = (uint8_t) byte;
    }
    return n;
}

static void check(const struct sample *sample, unsigned bits)
{
    static struct altpick_census census;
    struct altpick_nop_encoding list[ALTPICK_NOP_LISTED];
    uint8_t code[CODE_MAX];
    size_t n = parse(sample->hex, code), lines;

    memset(&census, 0, sizeof census);
    altpick_census_code(bits, code, n, NULL, 0, &census);
    if (census.instructions != 1 || census.undecodable_bytes != 0)
        fail_msg("%s in %u bits: not one instruction", sample->hex, bits);
    lines = altpick_census_list(&census, list);
    if (sample->form == NONE) {
        if (lines != 0 || census.nops.count != 0)
            fail_msg("%s in %u bits: %s", sample->hex, bits, altpick_nop_form_text(list[0].form));
        return;
    }
    if (lines != 1 || list[0].form != sample->form)
        fail_msg("%s in %u bits: not %s", sample->hex, bits, altpick_nop_form_text(sample->form));
    assert_int_equal(list[0].prefixes_66, sample->prefixes_66);
    assert_int_equal(list[0].prefixes_2e, sample->prefixes_2e);
    assert_int_equal(list[0].nops.count, 1);
    assert_int_equal(list[0].nops.bytes, n);
    assert_int_equal(census.by_length[n], 1);
    assert_int_equal(census.nops.bytes, n);
    assert_int_equal(census.bytes, n);
}

static void every_encoding_is_counted_as_itself(void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        if (samples[i].bits == BOTH || samples[i].bits == ONLY_32)
            check(&samples[i], 32);
        if (samples[i].bits == BOTH || samples[i].bits == ONLY_64)
            check(&samples[i], 64);
    }
}

static void runs_are_as_many_instructions(void **state)
{
    static struct altpick_census census;
    uint8_t code[CODE_MAX];
    (void) state;

    /* ret, 5 int3, 7 single-byte NOPs, one of two bytes, ret */
    size_t n = parse("c3cccccccccc909090909090906690c3", code);

    memset(&census, 0, sizeof census);
    altpick_census_code(64, code, n, NULL, 0, &census);
    assert_int_equal(census.instructions, 1 + 5 + 7 + 1 + 1);
    assert_int_equal(census.nops.count, 8);
    assert_int_equal(census.nops.bytes, 9);
    assert_int_equal(census.by_length[1], 7);
    assert_int_equal(census.by_length[2], 1);
}

static void what_does_not_decode_is_stepped_over(void **state)
{
    static struct altpick_census census;
    uint8_t code[CODE_MAX];
    (void) state;

    /* 06 and 1f are none in 64-bit code, and at the end two are begun */
    size_t n = parse("900606900f1f80", code);

    memset(&census, 0, sizeof census);
    altpick_census_code(64, code, n, NULL, 0, &census);
    assert_int_equal(census.undecodable_bytes, 2 + 3);
    assert_int_equal(census.nops.count, 2);
    assert_int_equal(census.bytes, n);
    assert_int_equal(census.instructions, 2);
}

static void a_relocation_makes_another_address(void **state)
{
    static const struct altpick_relocation relocations[] = {{.offset = 1}, {.offset = 8}};
    static struct altpick_census census;
    uint8_t code[CODE_MAX];
    size_t n = parse("e8000000008db6000000008db600000000", code);
    (void) state;

    memset(&census, 0, sizeof census);
    altpick_census_code(32, code, n, relocations, 2, &census);
    assert_int_equal(census.nops.count, 1);
    altpick_census_code(32, code, n, NULL, 0, &census);
    assert_int_equal(census.nops.count, 1 + 2);
    assert_int_equal(census.instructions, 6);
}

static void the_list_has_the_most_frequent_first(void **state)
{
    static struct altpick_census census;
    struct altpick_nop_encoding list[ALTPICK_NOP_LISTED];
    uint8_t code[CODE_MAX];
    (void) state;

    size_t n = parse("669090c3660f1f440000c3660f1f4400006690669066900f1f00", code);

    memset(&census, 0, sizeof census);
    altpick_census_code(64, code, n, NULL, 0, &census);
    assert_int_equal(altpick_census_list(&census, list), 4);
    assert_int_equal(list[0].form, IS(90));
    assert_int_equal(list[0].prefixes_66, 1);
    assert_int_equal(list[0].nops.count, 4);
    assert_int_equal(list[1].form, IS(0F1F_44));
    assert_int_equal(list[1].nops.bytes, 12);
    assert_int_equal(list[2].form, IS(90));
    assert_int_equal(list[2].prefixes_66, 0);
    assert_int_equal(list[3].form, IS(0F1F_00));
}

ALTPICK_TEST_MAIN(cmocka_unit_test(every_encoding_is_counted_as_itself),
                  cmocka_unit_test(runs_are_as_many_instructions),
                  cmocka_unit_test(what_does_not_decode_is_stepped_over),
                  cmocka_unit_test(a_relocation_makes_another_address),
                  cmocka_unit_test(the_list_has_the_most_frequent_first))
