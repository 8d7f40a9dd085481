/* SPDX-License-Identifier: MIT */
/* Options as a shell, firmware and a file give them, and the directory of an image. */
#include "efi_words.h"
#include "test.h"

#include <string.h>

#define LONGEST 16

static char words[LONGEST];

static bool of_options(const uint16_t *text, size_t units)
{
    return efi_words_of_options(text, (uint32_t) (units * sizeof text[0]), words, sizeof words);
}

/* Of a literal, with its NUL. */
#define OF_OPTIONS(text) of_options(text, sizeof(text) / sizeof(text)[0])

static void the_shells_first_word_is_the_program(void **state)
{
    const uint16_t *const argv[] = {u"fs0:\\x", u"seed=1", u"rehearse"};
    struct efi_shell_parameters shell = {argv, 3};

    (void) state;
    assert_true(efi_words_of_shell(&shell, words, sizeof words));
    assert_string_equal(words, "seed=1 rehearse");
    shell.n_words = 1;
    assert_true(efi_words_of_shell(&shell, words, sizeof words));
    assert_string_equal(words, "");
    shell.n_words = 0;
    assert_true(efi_words_of_shell(&shell, words, sizeof words));
    assert_string_equal(words, "");
}

static void load_options_may_begin_with_the_program(void **state)
{
    (void) state;
    assert_true(OF_OPTIONS(u"seed=1"));
    assert_string_equal(words, "seed=1");
    assert_true(OF_OPTIONS(u"Altpick.EFI  seed=1 "));
    assert_string_equal(words, "seed=1");
    assert_true(OF_OPTIONS(u"fs0:\\a\\altpick only=nop.*"));
    assert_string_equal(words, "only=nop.*");
    assert_true(OF_OPTIONS(u"\"fs0:\\my files\\altpick.efi\" seed=1"));
    assert_string_equal(words, "seed=1");
    assert_true(OF_OPTIONS(u"altpick.efi"));
    assert_string_equal(words, "");
    assert_true(OF_OPTIONS(u".efi"));
    assert_string_equal(words, "");
}

static void load_options_may_lack_a_nul(void **state)
{
    static const uint16_t text[] = {'s', 'e', 'e', 'd'};

    (void) state;
    assert_true(of_options(text, 4));
    assert_string_equal(words, "seed");
    assert_true(of_options(text, 0));
    assert_string_equal(words, "");
    assert_true(efi_words_of_options(NULL, 0, words, sizeof words));
    assert_string_equal(words, "");
}

static void load_options_that_are_no_text_are_told(void **state)
{
    static const uint16_t binary[] = {0x1234, 0x0001};
    static const uint8_t odd[] = {'s', 0, 'e'};

    (void) state;
    strcpy(words, "before");
    assert_false(of_options(binary, 2));
    assert_string_equal(words, "");
    assert_false(efi_words_of_options(odd, sizeof odd, words, sizeof words));
    assert_false(OF_OPTIONS(u"seed=\u00e9"));
}

static void what_does_not_fit_is_no_options(void **state)
{
    (void) state;
    assert_true(OF_OPTIONS(u"123456789012345"));
    assert_string_equal(words, "123456789012345");
    assert_false(OF_OPTIONS(u"1234567890123456"));
    assert_string_equal(words, "");
    assert_true(OF_OPTIONS(u"1234567 9012345    "));
    assert_false(OF_OPTIONS(u"1234567 90123456"));
}

static void a_file_has_lines_and_comments(void **state)
{
    static const char text[] = "# what to do\r\nseed=1 # first\r\n\r\n\trehearse";
    static const char mark[] = "\xef\xbb\xbfseed=1";

    (void) state;
    assert_true(efi_words_of_file(text, sizeof text - 1, words, sizeof words));
    assert_string_equal(words, "seed=1 rehearse");
    assert_true(efi_words_of_file(text, 5, words, sizeof words));
    assert_string_equal(words, "");
    assert_false(efi_words_of_file(mark, sizeof mark - 1, words, sizeof words));
    assert_false(efi_words_of_file(text, sizeof text, words, sizeof words)); /* a NUL */
}

/* A node of a path of files: its header, then UTF-16. */
static size_t put_node(uint8_t *at, const uint16_t *text)
{
    size_t bytes = 4;

    at[0] = EFI_PATH_MEDIA;
    at[1] = EFI_PATH_MEDIA_FILE;
    do {
        at[bytes++] = (uint8_t) *text;
        at[bytes++] = (uint8_t) (*text >> 8);
    } while (*text++ != 0);
    at[2] = (uint8_t) bytes;
    at[3] = 0;
    return bytes;
}

static void put_end(uint8_t *at)
{
    static const uint8_t end[] = {EFI_PATH_END, 0xff, 4, 0};

    memcpy(at, end, sizeof end);
}

#define ASSERT_UTF16(seen, expected) assert_memory_equal(seen, expected, sizeof(expected))

static void the_directory_is_before_the_last_backslash(void **state)
{
    uint8_t path[256];
    uint16_t directory[LONGEST];
    size_t at = put_node(path, u"\\EFI\\BOOT\\X.EFI");

    (void) state;
    put_end(path + at);
    assert_true(efi_words_directory((void *) path, directory, LONGEST));
    ASSERT_UTF16(directory, u"\\EFI\\BOOT\\");

    at = put_node(path, u"EFI");
    at += put_node(path + at, u"\\b");
    at += put_node(path + at, u"c.efi");
    put_end(path + at);
    assert_true(efi_words_directory((void *) path, directory, LONGEST));
    ASSERT_UTF16(directory, u"\\EFI\\b\\");

    put_end(path + put_node(path, u"x.efi"));
    assert_true(efi_words_directory((void *) path, directory, LONGEST));
    ASSERT_UTF16(directory, u"\\");
}

static void a_path_that_is_none_has_no_directory(void **state)
{
    static uint8_t path[256];
    uint16_t directory[LONGEST];

    (void) state;
    assert_false(efi_words_directory(NULL, directory, LONGEST));
    put_end(path + put_node(path, u"\\0123456789abcdef"));
    assert_false(efi_words_directory((void *) path, directory, LONGEST));
    for (size_t capacity = 0; capacity <= 8; capacity++) {
        put_end(path + put_node(path, u"\\a\\b.efi"));
        assert_false(efi_words_directory((void *) path, directory, capacity));
    }
    path[2] = 3; /* shorter than its header */
    assert_false(efi_words_directory((void *) path, directory, LONGEST));
    path[0] = 2; /* ACPI: a device */
    assert_false(efi_words_directory((void *) path, directory, LONGEST));
}

ALTPICK_TEST_MAIN(cmocka_unit_test(the_shells_first_word_is_the_program),
                  cmocka_unit_test(load_options_may_begin_with_the_program),
                  cmocka_unit_test(load_options_may_lack_a_nul),
                  cmocka_unit_test(load_options_that_are_no_text_are_told),
                  cmocka_unit_test(what_does_not_fit_is_no_options),
                  cmocka_unit_test(a_file_has_lines_and_comments),
                  cmocka_unit_test(the_directory_is_before_the_last_backslash),
                  cmocka_unit_test(a_path_that_is_none_has_no_directory))
