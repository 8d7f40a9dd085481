/* SPDX-License-Identifier: MIT */
/* The C header as text: what it says, and that the same output gives the same bytes. */
#include "altpick/err.h"
#include "altpick/generator.h"
#include "test.h"
#include "text.h"

#include <string.h>

struct fixture {
    struct altpick_machine machine;
    struct altpick_output output;
    struct altpick_text text;
};

static struct fixture fixture;

static int prepare(void **state)
{
    (void) state;
    memset(&fixture, 0, sizeof fixture);
    altpick_output_default(0, &fixture.output);
    return 0;
}

static int clean(void **state)
{
    (void) state;
    altpick_text_fini(&fixture.text);
    return 0;
}

static int emit(const char *flavour)
{
    struct altpick_out out;

    altpick_text_fini(&fixture.text);
    altpick_text_init(&fixture.text, &out);
    return altpick_generator_find("header")->emit(&fixture.output, flavour, &out);
}

static void assert_says(const char *text)
{
    assert_int_equal(emit("c"), ALTPICK_OK);
    if (!strstr(fixture.text.data, text))
        fail_msg("the header lacks: %s", text);
}

static void assert_silent_about(const char *text)
{
    assert_int_equal(emit("c"), ALTPICK_OK);
    if (strstr(fixture.text.data, text))
        fail_msg("the header has: %s", text);
}

static void set(size_t length, const void *code, const char *remark)
{
    memset(fixture.output.nop64.nop[length].code, 0, ALTPICK_CODE_MAX);
    memcpy(fixture.output.nop64.nop[length].code, code, length);
    fixture.output.nop64.nop[length].remark = remark;
}

static void the_same_output_gives_the_same_bytes(void **state)
{
    struct altpick_text first;
    (void) state;

    assert_int_equal(emit("c"), ALTPICK_OK);
    first = fixture.text;
    fixture.text = (struct altpick_text){0};
    assert_int_equal(emit("c"), ALTPICK_OK);
    assert_string_equal(first.data, fixture.text.data);
    altpick_text_fini(&first);
}

static void lines_are_short_ascii_and_end_in_lf(void **state)
{
    const char *line;
    size_t length;
    (void) state;

    fixture.output.nop64.gap[0] = (struct altpick_string){.bytes = 64, .remark = "clear"};
    memset(fixture.output.nop64.gap[0].code, 0x90, 64);
    fixture.output.nop64.n_gaps = 1;
    fixture.output.nop64.jump_from_bytes = 64;
    assert_int_equal(emit("c"), ALTPICK_OK);
    for (line = fixture.text.data; *line; line += length + 1) {
        length = strcspn(line, "\n");
        assert_true(length <= 100);
        assert_int_equal(line[length], '\n');
        assert_true(length == 0 || line[length - 1] != ' ');
        for (size_t i = 0; i < length; i++)
            assert_true(line[i] >= ' ' && line[i] <= '~');
    }
}

static void a_form_is_described_by_its_bytes(void **state)
{
    (void) state;
    set(4, "\x66\x66\x66\x90", "clear");
    assert_says("/* data16 data16 xchg %ax,%ax [clear] */\n#define ALTPICK_NOP4 0x66, 0x66, 0x66");
    set(9, "\x2e\x0f\x1f\x84\x00\x00\x00\x00", "kept");
    assert_says("/* cs nopl 0x0(%rax,%rax,1) [kept] */");
    set(3, "\x66\x90\x90", "pinned");
    assert_says("/* 2 NOPs: 2 + 1 [pinned] */");
    set(14, "\xeb\x0c\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90", "clear");
    assert_says("/* jump over 12 bytes [clear] */");
    set(7, "\x0f\x1f\x05\x00\x00\x00\x00", "clear");
    assert_says("/* nopl 0x0(%rip) [clear] */");
}

static void numbers_carry_their_rule(void **state)
{
    (void) state;
    fixture.output.nop64.longest_remark = "clear";
    assert_says("[clear] */\n#define ALTPICK_NOP_MAX 10\n");
    assert_says("[default] */\n#define ALTPICK_NOP_PREFIX_LIMIT 2\n");
    assert_says("[default] */\n#define ALTPICK_NOP_JUMP_FROM 0\n");
}

static void code_for_jumps_and_gaps_appears_only_when_needed(void **state)
{
    (void) state;
    assert_silent_about("altpick_nop_jump_");
    assert_silent_about("switch");

    fixture.output.nop64.jump_from_bytes = 48;
    assert_says("altpick_nop_jump_(to, n);");
    fixture.output.nop64.gap[0] = (struct altpick_string){.bytes = 16, .remark = "clear"};
    memset(fixture.output.nop64.gap[0].code, 0x90, 16);
    fixture.output.nop64.n_gaps = 1;
    assert_says("/* 16 NOPs [clear] */\n#define ALTPICK_NOP_GAP16 ");
    assert_says("    case 16:\n");
}

static void text_of_a_profile_cannot_leave_its_comment(void **state)
{
    (void) state;
    strcpy(fixture.machine.name, "evil */ int x;");
    strcpy(fixture.machine.cpu.brand, "a\nb\\\xff?\?/");
    fixture.output.machine = &fixture.machine;
    assert_says(" * Machine: evil ./ int x;\n * Brand:   a.b..../\n * Target:  any-x86-64\n");
}

static void a_header_without_a_machine_says_so(void **state)
{
    (void) state;
    assert_says(" * Machine: none, these are the defaults\n * Target:");
}

static void an_unknown_flavour_is_refused_and_prints_nothing(void **state)
{
    (void) state;
    assert_int_equal(emit("d"), ALTPICK_EUSAGE);
    assert_null(fixture.text.data);
    assert_int_equal(emit(NULL), ALTPICK_EUSAGE);
    assert_null(fixture.text.data);
}

static int refuse_after(void *ctx, const char *text, size_t bytes)
{
    size_t *left = ctx;
    (void) text;

    if (bytes > *left)
        return ALTPICK_EIO;
    *left -= bytes;
    return ALTPICK_OK;
}

static void an_error_of_the_sink_is_returned(void **state)
{
    (void) state;
    for (size_t room = 0; room < 4000; room += 97) {
        size_t left = room;
        struct altpick_out out = {.write = refuse_after, .ctx = &left};

        assert_int_equal(altpick_generator_find("header")->emit(&fixture.output, "c", &out),
                         ALTPICK_EIO);
    }
    for (size_t i = 0; i < altpick_generator_count; i++) {
        const char *const *flavours = altpick_generators[i]->flavours;
        size_t left = 600;
        struct altpick_out out = {.write = refuse_after, .ctx = &left};

        assert_int_equal(
            altpick_generators[i]->emit(&fixture.output, flavours ? flavours[0] : NULL, &out),
            ALTPICK_EIO);
        out.err = 0;
        assert_int_equal(altpick_generators[i]->emit(&fixture.output, "no flavour", &out),
                         ALTPICK_EUSAGE);
    }
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, prepare, clean)

ALTPICK_TEST_MAIN(CASE(the_same_output_gives_the_same_bytes),
                  CASE(lines_are_short_ascii_and_end_in_lf), CASE(a_form_is_described_by_its_bytes),
                  CASE(numbers_carry_their_rule),
                  CASE(code_for_jumps_and_gaps_appears_only_when_needed),
                  CASE(text_of_a_profile_cannot_leave_its_comment),
                  CASE(a_header_without_a_machine_says_so),
                  CASE(an_unknown_flavour_is_refused_and_prints_nothing),
                  CASE(an_error_of_the_sink_is_returned))
