/* SPDX-License-Identifier: MIT */
/* The text sink's number formats and the JSON writer. */
#include "altpick/err.h"
#include "altpick/json.h"
#include "test.h"
#include "text.h"

#include <jansson.h>
#include <string.h>

struct document {
    struct altpick_text text;
    struct altpick_out out;
    struct altpick_json json;
};

static void start(struct document *d)
{
    altpick_text_init(&d->text, &d->out);
    altpick_json_init(&d->json, &d->out);
}

static void finish(struct document *d, const char *expected)
{
    assert_int_equal(altpick_json_finish(&d->json), ALTPICK_OK);
    assert_string_equal(d->text.data, expected);
    altpick_text_fini(&d->text);
}

static void numbers_have_one_form(void **state)
{
    struct altpick_text text;
    struct altpick_out out;
    (void) state;

    altpick_text_init(&text, &out);
    altpick_out_u64(&out, 0);
    altpick_out_text(&out, " ");
    altpick_out_u64(&out, UINT64_MAX);
    altpick_out_text(&out, " ");
    altpick_out_hex(&out, 0, 1);
    altpick_out_text(&out, " ");
    altpick_out_hex(&out, 0xabc, 2);
    altpick_out_text(&out, " ");
    altpick_out_hex(&out, UINT64_MAX, 16);
    altpick_out_text(&out, " ");
    altpick_out_hex(&out, 0xf, 16);
    altpick_out_text(&out, " ");
    altpick_out_micro(&out, 83412);
    altpick_out_text(&out, " ");
    altpick_out_micro(&out, 12000000);
    assert_string_equal(text.data, "0 18446744073709551615 0 abc ffffffffffffffff "
                                   "000000000000000f 0.083412 12.000000");
    altpick_text_fini(&text);
}

struct failing {
    int calls;
};

static int fail_twice(void *ctx, const char *text, size_t bytes)
{
    struct failing *failing = ctx;
    (void) text, (void) bytes;

    return ++failing->calls == 1 ? ALTPICK_EIO : ALTPICK_ENOSPACE;
}

static void the_first_error_of_a_sink_stays(void **state)
{
    struct failing failing = {0};
    struct altpick_out out = {.write = fail_twice, .ctx = &failing};
    (void) state;

    altpick_out_text(&out, "a");
    altpick_out_text(&out, "b");
    assert_int_equal(out.err, ALTPICK_EIO);
    assert_int_equal(failing.calls, 1);
}

static void documents_are_indented_by_two(void **state)
{
    const uint8_t code[] = {0x0f, 0x1f, 0x00};
    struct document d;
    (void) state;

    start(&d);
    altpick_json_object(&d.json, NULL);
    altpick_json_text(&d.json, "text", "x");
    altpick_json_u64(&d.json, "count", 7);
    altpick_json_bool(&d.json, "yes", true);
    altpick_json_hex(&d.json, "mask", 0x1f);
    altpick_json_code(&d.json, "code", code, sizeof code);
    altpick_json_micro(&d.json, "cycles", 250000);
    altpick_json_array(&d.json, "list");
    altpick_json_u64(&d.json, NULL, 1);
    altpick_json_object(&d.json, NULL);
    altpick_json_end(&d.json);
    altpick_json_end(&d.json);
    altpick_json_array(&d.json, "empty");
    altpick_json_end(&d.json);
    altpick_json_end(&d.json);
    finish(&d, "{\n"
               "  \"text\": \"x\",\n"
               "  \"count\": 7,\n"
               "  \"yes\": true,\n"
               "  \"mask\": \"0x1f\",\n"
               "  \"code\": \"0f1f00\",\n"
               "  \"cycles\": 0.250000,\n"
               "  \"list\": [\n"
               "    1,\n"
               "    {}\n"
               "  ],\n"
               "  \"empty\": []\n"
               "}\n");
}

static void quotes_backslashes_and_controls_are_escaped(void **state)
{
    struct document d;
    (void) state;

    start(&d);
    altpick_json_text(&d.json, NULL, "a\"b\\c\n\x01\x7f\xc3\xa9\xf0\x9f\x98\x80");
    finish(&d, "\"a\\\"b\\\\c\\u000a\\u0001\\u007f\xc3\xa9\xf0\x9f\x98\x80\"\n");
}

static void bad_utf8_becomes_replacement_characters(void **state)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"\xff",              "\"\\ufffd\"\n"                      },
        {"\x80x",             "\"\\ufffdx\"\n"                     },
        {"\xc3",              "\"\\ufffd\"\n"                      }, /* cut */
        {"\xe2\x82",          "\"\\ufffd\\ufffd\"\n"               }, /* cut */
        {"\xc0\xaf",          "\"\\ufffd\\ufffd\"\n"               }, /* overlong */
        {"\xe0\x80\xaf",      "\"\\ufffd\\ufffd\\ufffd\"\n"        }, /* overlong */
        {"\xed\xa0\x80",      "\"\\ufffd\\ufffd\\ufffd\"\n"        }, /* surrogate */
        {"\xf4\x90\x80\x80z", "\"\\ufffd\\ufffd\\ufffd\\ufffdz\"\n"}, /* above U+10FFFF */
        {"\xef\xbf\xbd",      "\"\\ufffd\"\n"                      }, /* itself: the same form when it was read back */
    };
    (void) state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct document d;

        start(&d);
        altpick_json_text(&d.json, NULL, cases[i].text);
        finish(&d, cases[i].expected);
    }
}

static void every_pair_of_bytes_gives_valid_json(void **state)
{
    (void) state;

    for (unsigned i = 0; i < 0x10000; i++) {
        const char text[] = {(char) (i >> 8), (char) i, 'x', '\0'};
        struct document d;
        json_t *json;

        start(&d);
        altpick_json_text(&d.json, NULL, text);
        json = json_loadb(d.text.data, d.text.bytes, JSON_DECODE_ANY, NULL);
        assert_non_null(json);
        json_decref(json);
        altpick_text_fini(&d.text);
    }
}

static void nesting_too_deep_is_an_error(void **state)
{
    struct document d;
    (void) state;

    start(&d);
    for (int i = 0; i < ALTPICK_JSON_DEPTH_MAX; i++)
        altpick_json_array(&d.json, NULL);
    assert_int_equal(d.out.err, ALTPICK_OK);
    altpick_json_array(&d.json, NULL);
    for (int i = 0; i < ALTPICK_JSON_DEPTH_MAX + 1; i++)
        altpick_json_end(&d.json);
    assert_int_equal(altpick_json_finish(&d.json), ALTPICK_ENOSPACE);
    altpick_text_fini(&d.text);
}

ALTPICK_TEST_MAIN(cmocka_unit_test(numbers_have_one_form),
                  cmocka_unit_test(the_first_error_of_a_sink_stays),
                  cmocka_unit_test(documents_are_indented_by_two),
                  cmocka_unit_test(quotes_backslashes_and_controls_are_escaped),
                  cmocka_unit_test(bad_utf8_becomes_replacement_characters),
                  cmocka_unit_test(every_pair_of_bytes_gives_valid_json),
                  cmocka_unit_test(nesting_too_deep_is_an_error))
