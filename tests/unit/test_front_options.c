/* SPDX-License-Identifier: MIT */
/* The words of a boot program's command line: what they set, and which are refused. */
#include "test.h"

#include "altpick/err.h"
#include "front_options.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

struct read {
    struct altpick_boot_options options;
    const struct altpick_question *questions[ALTPICK_FRONT_QUESTIONS_MAX];
    struct altpick_text text;
    int r;
};

static void read_words(const char *words, struct read *ret)
{
    struct altpick_out out;

    *ret = (struct read){
        .options = {.budget_us = 7, .seed = 8, .xcr0 = 9}
    };
    altpick_text_init(&ret->text, &out);
    ret->r = altpick_front_options(words, ret->questions, &ret->options, &out);
}

static void accept(const char *words, struct read *ret)
{
    read_words(words, ret);
    assert_int_equal(ret->r, ALTPICK_OK);
    assert_int_equal(ret->text.bytes, 0);
}

/* Where the reason is on a line of its own: as if it were not. */
static void join(char *text)
{
    char *p = strstr(text, "':\naltpick: ");

    if (!p)
        return;
    p[2] = ' ';
    memmove(p + 3, p + 12, strlen(p + 12) + 1);
}

/* @start: the word and the reason; every line fits a screen. */
static void refuse(const char *words, const char *start)
{
    struct read read;
    size_t column = 0;

    read_words(words, &read);
    assert_int_equal(read.r, ALTPICK_EUSAGE);
    for (const char *p = read.text.data; *p; p++) {
        column = *p == '\n' ? 0 : column + 1;
        assert_true(column <= 80);
        assert_true(*p == '\n' || (*p >= ' ' && *p <= '~'));
    }
    assert_int_equal(read.text.data[read.text.bytes - 1], '\n');
    join(read.text.data);
    if (strncmp(read.text.data, start, strlen(start)) != 0)
        fail_msg("'%s' is answered with: %s", words, read.text.data);
    assert_int_equal(read.options.budget_us, 7);
    assert_null(read.options.questions);
    altpick_text_fini(&read.text);
}

static void no_words_change_nothing(void **state)
{
    static const char *const empty[] = {NULL, "", " ", " \t\r\n "};
    struct read read;
    (void) state;

    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        accept(empty[i], &read);
        assert_int_equal(read.options.budget_us, 7);
        assert_int_equal(read.options.seed, 8);
        assert_int_equal(read.options.xcr0, 9);
        assert_null(read.options.questions);
        assert_false(read.options.rehearse);
    }
}

static void all_words_are_read(void **state)
{
    struct read read;
    (void) state;

    accept("  budget=5000 seed=4294967295\trehearse xcr0=0x2E7 ", &read);
    assert_int_equal(read.options.budget_us, 5000);
    assert_int_equal(read.options.seed, UINT32_MAX);
    assert_int_equal(read.options.xcr0, 0x2e7);
    assert_true(read.options.rehearse);
    accept("xcr0=all budget=0 seed=0", &read);
    assert_true(read.options.xcr0 == ALTPICK_BOOT_XCR0_ALL);
    assert_int_equal(read.options.budget_us, 0);
    assert_int_equal(read.options.seed, 0);
    accept("xcr0=as-is", &read);
    assert_true(read.options.xcr0 == ALTPICK_BOOT_XCR0_AS_IS);
    accept("xcr0=ffffffffffffffff", &read);
    assert_true(read.options.xcr0 == UINT64_MAX);
}

static void only(const char *words, const char *names)
{
    char found[256] = "";
    struct read read;

    accept(words, &read);
    assert_ptr_equal(read.options.questions, read.questions);
    for (size_t i = 0; i < read.options.n_questions; i++) {
        strcat(found, read.questions[i]->name);
        strcat(found, " ");
    }
    assert_string_equal(found, names);
}

static void globs_select_questions_in_the_order_of_the_registry(void **state)
{
    (void) state;
    only("only=refcount", "refcount ");
    only("only=refcount,nop.fill.64", "nop.fill.64 refcount ");
    only("only=nop.*", "nop.fill.64 nop.fill.32 nop.fill.16 nop.text-poke ");
    only("only=nop.fill.?4,nop.fill.64,*.64", "nop.fill.64 ");
    only("only=*fpu*t*", "fpu.init fpu.switch ");
    only("only=*e", "nop.text-poke xstate.save ");
    only("only=**f*u*.*s**h", "fpu.switch ");
}

static void callers_questions_are_selected_from(void **state)
{
    const struct altpick_question *const own[] = {altpick_question_find("refcount"),
                                                  altpick_question_find("fpu.init")};
    struct altpick_boot_options options = {.questions = own, .n_questions = 2};
    const struct altpick_question *questions[ALTPICK_FRONT_QUESTIONS_MAX];
    struct altpick_text text;
    struct altpick_out out;
    (void) state;

    altpick_text_init(&text, &out);
    assert_int_equal(altpick_front_options("only=nop.*", questions, &options, &out),
                     ALTPICK_EUSAGE);
    assert_int_equal(altpick_front_options("only=*f*", questions, &options, &out), ALTPICK_OK);
    assert_int_equal(options.n_questions, 2);
    assert_ptr_equal(options.questions[0], own[0]);
    altpick_text_fini(&text);
}

static void wrong_words_are_named(void **state)
{
    (void) state;
    refuse("bugdet=5", "altpick: option 'bugdet=5': there is no such option;\n");
    refuse("budget", "altpick: option 'budget': there is no such option;\n");
    refuse("seed=1 -v", "altpick: option '-v': there is no such option;\n");
    refuse("\x1b[2J\xff", "altpick: option '?[2J?': there is no such option;\n");
    refuse("1234567890123456789012345678901234567890123",
           "altpick: option '1234567890123456789012345678901234567890...': there is no such "
           "option;\n");
    refuse("budget=5 budget=5", "altpick: option 'budget=5': this was said before\n");
    refuse("rehearse rehearse", "altpick: option 'rehearse': this was said before\n");
    refuse("rehearse=1", "altpick: option 'rehearse=1': rehearse takes no value\n");
}

static void wrong_values_are_named(void **state)
{
    static const char *const numbers[] = {
        "", "-1", "+1", "0x10", "5s", "1e3", "4294967296", "1.", "18446744073709551616"};
    (void) state;

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char words[64], start[128];

        snprintf(words, sizeof words, "budget=%s", numbers[i]);
        snprintf(start, sizeof start, "altpick: option '%s': budget= takes microseconds", words);
        refuse(words, start);
        snprintf(words, sizeof words, "seed=%s", numbers[i]);
        snprintf(start, sizeof start, "altpick: option '%s': seed= takes a number", words);
        refuse(words, start);
    }
    refuse("xcr0=",
           "altpick: option 'xcr0=': xcr0= takes all, as-is or a hexadecimal mask that is not 0\n");
    refuse("xcr0=0", "altpick: option 'xcr0=0': xcr0= takes");
    refuse("xcr0=0x0", "altpick: option 'xcr0=0x0': xcr0= takes");
    refuse("xcr0=0x", "altpick: option 'xcr0=0x': xcr0=");
    refuse("xcr0=allx", "altpick: option 'xcr0=allx': xcr0=");
    refuse("xcr0=10000000000000000", "altpick: option 'xcr0=10000000000000000': xcr0=");
    refuse("only=zz*", "altpick: option 'zz*': only=: no question has a name like this;\n");
    refuse("only=refcount,", "altpick: option '': only=: no question has a name like this;\n");
    refuse("only=", "altpick: option '': only=: no question has a name like this;\n");
}

ALTPICK_TEST_MAIN(cmocka_unit_test(no_words_change_nothing), cmocka_unit_test(all_words_are_read),
                  cmocka_unit_test(globs_select_questions_in_the_order_of_the_registry),
                  cmocka_unit_test(callers_questions_are_selected_from),
                  cmocka_unit_test(wrong_words_are_named), cmocka_unit_test(wrong_values_are_named))
