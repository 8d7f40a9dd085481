/* SPDX-License-Identifier: MIT */
/* What comments say of bodies, against a disassembler that is not altpick's. */
#include "altpick/question.h"
#include "code_text.h"
#include "test.h"

#include <Zydis/Zydis.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static struct altpick_candidate built_in[ALTPICK_CANDIDATES_MAX];

/* Numbers in words are compared by value: one disassembler says $0xfffffdff, another $-0x201. */
static void normalise(const char *text, char *ret, size_t room)
{
    size_t n = 0;

    while (*text && n + 24 < room) {
        bool negative = text[0] == '-' && text[1] == '0';

        if (negative)
            text++;
        if (text[0] == '0' && text[1] == 'x') {
            char *end;
            unsigned long value = strtoul(text, &end, 16);

            n += (size_t) snprintf(ret + n, room - n, "%x", (unsigned) (negative ? -value : value));
            text = end;
        } else {
            ret[n++] = (char) tolower((unsigned char) *text++);
        }
    }
    ret[n] = '\0';
}

/* Other words for the same conditions. */
static void rename_condition(char *text)
{
    static const char *const same[][2] = {
        {"nz ",  "ne "},
        {"z ",   "e " },
        {"nle ", "g " },
        {"nl ",  "ge "},
        {"nb ",  "ae "},
        {"nbe ", "a " }
    };
    size_t at = strncmp(text, "set", 3) == 0 ? 3 : text[0] == 'j' ? 1 : 0;
    char rest[128];

    for (size_t i = 0; at && i < sizeof same / sizeof *same; i++) {
        size_t n = strlen(same[i][0]);

        if (strncmp(text + at, same[i][0], n) != 0)
            continue;
        snprintf(rest, sizeof rest, "%s%s", same[i][1], text + at + n);
        strcpy(text + at, rest);
        return;
    }
}

/* Jumps are compared by where they end. */
static void say_jump(const ZydisDecodedInstruction *in, char *ret, size_t room)
{
    snprintf(ret, room, "%s .%+d", ZydisMnemonicGetString(in->mnemonic),
             (int) in->raw.imm[0].value.s + in->length);
}

static void expect(const uint8_t *code, size_t bytes, size_t *ret_length, char *ret, size_t room)
{
    ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
    ZydisDecodedInstruction in;
    ZydisFormatter formatter;
    ZydisDecoder decoder;
    char text[96];

    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    assert_true(ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, bytes, &in, operand)));
    ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_ATT);
    assert_true(ZYAN_SUCCESS(
        ZydisFormatterFormatInstruction(&formatter, &in, operand, in.operand_count_visible, text,
                                        sizeof text, ZYDIS_RUNTIME_ADDRESS_NONE, NULL)));
    *ret_length = in.length;
    if (in.raw.imm[0].is_relative)
        say_jump(&in, ret, room);
    else
        normalise(text, ret, room);
    rename_condition(ret);
}

/* Without blanks after commas and without sizes at the end of names, which not everybody writes. */
static void strip(char *text)
{
    char *to = text;

    for (char *from = text; *from; from++) {
        if (*from != ' ' || from == text || from[-1] != ',')
            *to++ = *from;
    }
    *to = '\0';
}

static bool same(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    /* "incl (%rdi)", "inc (%rdi)": one has a letter more, and then both go on alike. */
    if ((*a == 'l' || *a == 'q') && *b == ' ')
        return strcmp(a + 1, b) == 0;
    if ((*b == 'l' || *b == 'q') && *a == ' ')
        return strcmp(a, b + 1) == 0;
    return *a == *b;
}

static void check_candidate(const struct altpick_candidate *candidate)
{
    char expected[128], said[ALTPICK_CODE_TEXT_MAX], words[128];
    size_t at = 0, length;

    while (at < candidate->code_bytes) {
        expect(candidate->code + at, candidate->code_bytes - at, &length, expected,
               sizeof expected);
        if (altpick_code_describe(64, candidate->code + at, candidate->code_bytes - at, said) !=
            length)
            fail_msg("%s at %zu: not known; it is %s", candidate->name, at, expected);
        normalise(said, words, sizeof words);
        strip(expected);
        if (!same(words, expected))
            fail_msg("%s at %zu: said %s, is %s", candidate->name, at, words, expected);
        at += length;
    }
}

static void bodies_are_described_as_a_disassembler_does(void **state)
{
    static const char *const questions[] = {"fpu.init", "kernel-fpu.begin", "refcount"};
    (void) state;

    for (size_t q = 0; q < sizeof questions / sizeof *questions; q++) {
        const struct altpick_question *question = altpick_question_find(questions[q]);
        size_t n = question ? question->candidates(question, built_in) : 0;

        for (size_t i = 0; i < n; i++)
            check_candidate(&built_in[i]);
    }
}

static void what_is_not_known_or_cut_short_is_not_described(void **state)
{
    static const uint8_t unknown[] = {0x0f, 0x0b}, cut[] = {0xb8, 0xff, 0xfd};
    static const uint8_t cut_rm[] = {0xdb, 0x47}, locked[] = {0xf0};
    char text[ALTPICK_CODE_TEXT_MAX] = "as before";
    (void) state;

    assert_int_equal(altpick_code_describe(64, unknown, sizeof unknown, text), 0);
    assert_int_equal(altpick_code_describe(64, cut, sizeof cut, text), 0);
    assert_int_equal(altpick_code_describe(64, cut_rm, sizeof cut_rm, text), 0);
    assert_int_equal(altpick_code_describe(64, locked, sizeof locked, text), 0);
    assert_int_equal(altpick_code_describe(64, locked, 0, text), 0);
    assert_string_equal(text, "as before");
}

static void addresses_are_of_the_kind_of_code(void **state)
{
    static const uint8_t load[] = {0x0f, 0xae, 0x17}, lea[] = {0x8d, 0x4c, 0x09, 0x01};
    char text[ALTPICK_CODE_TEXT_MAX];
    (void) state;

    assert_int_equal(altpick_code_describe(32, load, sizeof load, text), 3);
    assert_string_equal(text, "ldmxcsr (%edi)");
    assert_int_equal(altpick_code_describe(32, lea, sizeof lea, text), 4);
    assert_string_equal(text, "lea 0x1(%ecx,%ecx,1),%ecx");
}

ALTPICK_TEST_MAIN(cmocka_unit_test(bodies_are_described_as_a_disassembler_does),
                  cmocka_unit_test(what_is_not_known_or_cut_short_is_not_described),
                  cmocka_unit_test(addresses_are_of_the_kind_of_code))
