/* SPDX-License-Identifier: MIT */
/* altpick-leak on bare machines: its words, and what services of firmware may change. */
#include "bare.h"
#include "services.h"
#include "test.h"
#include "text.h"

#include <string.h>

static const char *const names[ALTPICK_LEAK_OWNERS + 1] = {"nobody", "one",  "two", "three",
                                                           "four",   "five", "six", "seven"};

static struct altpick_text text;
static struct altpick_out out;

static int set_up(void **state)
{
    (void) state;
    altpick_text_init(&text, &out);
    return 0;
}

static int tear_down(void **state)
{
    (void) state;
    altpick_text_fini(&text);
    return 0;
}

static void words_are_read_in_any_order(void **state)
{
    struct altpick_bare_words words;
    (void) state;

    assert_true(altpick_bare_words_read("", &out, &words));
    assert_int_equal(words.plant.where, ALTPICK_LEAK_NOWHERE);
    assert_true(words.rounds > 0);
    assert_true(altpick_bare_words_read("  rounds=100000  plant=handler:xmm3 ", &out, &words));
    assert_int_equal(words.plant.where, ALTPICK_LEAK_HANDLER);
    assert_int_equal(words.rounds, 100000);
    assert_true(altpick_bare_words_read("plant=switch:ymm rounds=1", &out, &words));
    assert_int_equal(words.rounds, 1);
}

static void wrong_words_are_named(void **state)
{
    static const char *const bad[] = {
        "rounds=0",  "rounds=100001", "rounds=", "rounds=4294967297",
        "rounds=-1", "plant=",        "quick",   "plant=switch:nothing",
        "plant",     "rounds",        "Rounds=1"};
    char longest[200];
    (void) state;

    memset(longest, 'r', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    for (size_t i = 0; i <= sizeof bad / sizeof bad[0]; i++) {
        const char *word = i < sizeof bad / sizeof bad[0] ? bad[i] : longest;
        struct altpick_bare_words words = {.rounds = 77};
        char line[300] = "rounds=5 ";

        strcat(line, word);
        assert_false(altpick_bare_words_read(line, &out, &words));
        assert_int_equal(words.rounds, 77);
        assert_non_null(strstr(text.data, i < sizeof bad / sizeof bad[0] ? word : "rrrr"));
    }
}

static unsigned part_of(const char *register_name)
{
    unsigned i = 0;

    while (strcmp(altpick_leak_parts[i].register_name, register_name) != 0)
        i++;
    return i;
}

/* A finding of owner 1 in registers of a part; bits of nobody that is known. */
static struct altpick_leak_finding finding(const char *register_name, uint32_t registers)
{
    return (struct altpick_leak_finding){
        .scene = "stall",
        .part = (uint8_t) part_of(register_name),
        .holder = 1,
        .expected = 1,
        .whose = ALTPICK_LEAK_IS_UNKNOWN,
        .registers = registers,
        .count = 1,
        .n_sample = 1,
        .seen = {0x12},
        .wanted = {0x34},
    };
}

static void firmware_may_change_what_is_the_callee_s(void **state)
{
    struct altpick_leak_findings findings = {
        .n = 6,
        .finding = {finding("xmm", 0x3f), finding("xmm", 0x41), finding("ymm", 0xffff),
                    finding("fcw", 1), finding("st", 0xff), finding("k", 2)},
    };
    (void) state;

    altpick_bare_keep_broken(&findings, &out, names);
    assert_int_equal(findings.n, 2);
    assert_int_equal(findings.finding[0].registers, 0x41); /* xmm6 is the caller's */
    assert_int_equal(findings.finding[1].part, part_of("fcw"));
    assert_non_null(strstr(text.data, "CHANGED, as it may, stall: one saw in xmm (xmm0-xmm5"));
}

static void mxcsr_s_settings_are_kept(void **state)
{
    struct altpick_leak_findings findings = {.n = 1, .finding = {finding("mxcsr", 1)}};
    (void) state;

    altpick_bare_keep_broken(&findings, &out, names);
    assert_int_equal(findings.n, 1);
}

static void another_owner_s_bits_are_never_firmware_s_own(void **state)
{
    struct altpick_leak_findings findings = {
        .n = 2, .finding = {finding("zmm", 1), finding("zmm", 2)}
    };
    (void) state;

    findings.finding[0].whose = findings.finding[1].whose = ALTPICK_LEAK_IS_OWNER;
    findings.finding[0].owner = 2;
    findings.finding[1].owner = 1;
    altpick_bare_keep_broken(&findings, &out, names);
    assert_int_equal(findings.n, 1);
    assert_int_equal(findings.finding[0].owner, 2);
}

ALTPICK_TEST_MAIN(cmocka_unit_test_setup_teardown(words_are_read_in_any_order, set_up, tear_down),
                  cmocka_unit_test_setup_teardown(wrong_words_are_named, set_up, tear_down),
                  cmocka_unit_test_setup_teardown(firmware_may_change_what_is_the_callee_s, set_up,
                                                  tear_down),
                  cmocka_unit_test_setup_teardown(mxcsr_s_settings_are_kept, set_up, tear_down),
                  cmocka_unit_test_setup_teardown(another_owner_s_bits_are_never_firmware_s_own,
                                                  set_up, tear_down))
