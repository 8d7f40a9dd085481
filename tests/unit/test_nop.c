/* SPDX-License-Identifier: MIT */
/* What is a NOP in 64-bit and in 32-bit code, checked against a decoder that is not altpick's. */
#include "altpick/nop.h"
#include "altpick/question.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

#include <Zydis/Zydis.h>

#define DECODE32(bytes_)                                                                           \
    altpick_nop_decode_in(32, (const uint8_t *) (bytes_), sizeof(bytes_) - 1,                      \
                          &(struct altpick_nop){0})

/* The instruction at the start of @code and its operands; 0 bytes: none. */
static size_t zydis(unsigned bits, const uint8_t *code, size_t n, ZydisDecodedInstruction *in,
                    ZydisDecodedOperand *operands)
{
    ZydisDecoder decoder;

    if (bits == 64)
        ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    else if (bits == 32)
        ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LEGACY_32, ZYDIS_STACK_WIDTH_32);
    else
        ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LEGACY_16, ZYDIS_STACK_WIDTH_16);
    return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, n, in, operands)) ? in->length : 0;
}

static bool is_self_move(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *operands)
{
    return in->mnemonic == ZYDIS_MNEMONIC_MOV && operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
           operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
           operands[0].reg.value == operands[1].reg.value;
}

static bool is_self_lea(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *operands)
{
    const ZydisDecodedOperandMem *mem = &operands[1].mem;
    ZydisRegister self = operands[0].reg.value;

    if (in->mnemonic != ZYDIS_MNEMONIC_LEA || mem->disp.value != 0)
        return false;
    if (mem->index == ZYDIS_REGISTER_NONE)
        return mem->base == self;
    return mem->base == ZYDIS_REGISTER_NONE && mem->index == self && mem->scale == 1;
}

/* Whether the instruction changes nothing, in code of @bits. */
static bool is_nop(unsigned bits, const ZydisDecodedInstruction *in,
                   const ZydisDecodedOperand *operands)
{
    if (in->mnemonic == ZYDIS_MNEMONIC_NOP)
        return in->opcode == 0x90 || in->opcode == 0x1f;
    return bits != 64 && (is_self_move(in, operands) || is_self_lea(in, operands));
}

/* Decode @code both ways and compare. */
static void agree(unsigned bits, const uint8_t *code, size_t n)
{
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    ZydisDecodedInstruction in;
    struct altpick_nop nop;
    size_t ours = altpick_nop_decode_in(bits, code, n, &nop);

    if (ours == 0)
        return;
    assert_int_equal(zydis(bits, code, n, &in, operands), ours);
    assert_true(is_nop(bits, &in, operands));
    assert_int_equal(nop.bytes, ours);
}

/* Every ModRM and SIB behind the opcodes that matter, with and without prefixes. */
static void what_decodes_as_a_nop_is_one(void **state)
{
    static const uint8_t heads[][4] = {
        {0x8d},
        {        0x89   },
        {     0x8b},
        {    0x0f, 0x1f},
        {    0x3e, 0x8d},
        {    0x2e, 0x8d},
        {    0x66, 0x8d},
        { 0x66,    0x0f, 0x1f},
        {        0x3e,    0x89},
        {        0x66,    0x89},
        {        0x67,    0x8d},
        {        0xf3,    0x90}
    };
    static const size_t head_bytes[] = {1, 1, 1, 2, 2, 2, 2, 3, 2, 2, 2, 2};
    (void) state;

    for (size_t h = 0; h < sizeof heads / sizeof *heads; h++) {
        for (unsigned rest = 0; rest < 1u << 16; rest++) {
            uint8_t code[16] = {0};

            memcpy(code, heads[h], head_bytes[h]);
            code[head_bytes[h]] = (uint8_t) rest;
            code[head_bytes[h] + 1] = (uint8_t) (rest >> 8);
            agree(32, code, sizeof code);
            agree(64, code, sizeof code);
        }
    }
}

static void forms_of_32_bit_code_are_found_whole(void **state)
{
    (void) state;
    assert_int_equal(DECODE32("\x89\xf6"), 2);
    assert_int_equal(DECODE32("\x8b\xc0"), 2);
    assert_int_equal(DECODE32("\x8d\x76\0"), 3);
    assert_int_equal(DECODE32("\x8d\x04\x20"), 3);
    assert_int_equal(DECODE32("\x8d\x74\x26\0"), 4);
    assert_int_equal(DECODE32("\x3e\x8d\x76\0"), 4);
    assert_int_equal(DECODE32("\x3e\x8d\x74\x26\0"), 5);
    assert_int_equal(DECODE32("\x8d\xb6\0\0\0\0"), 6);
    assert_int_equal(DECODE32("\x8d\xb4\x26\0\0\0\0"), 7);
    assert_int_equal(DECODE32("\x8d\x04\x05\0\0\0\0"), 7);
    assert_int_equal(DECODE32("\x3e\x8d\xb4\x26\0\0\0\0"), 8);
    assert_int_equal(DECODE32("\x2e\x8d\xb4\x26\0\0\0\0"), 8);
}

static void what_changes_a_register_is_no_nop(void **state)
{
    (void) state;
    assert_int_equal(DECODE32("\x89\xf7"), 0);
    assert_int_equal(DECODE32("\x8d\x76\x01"), 0);
    assert_int_equal(DECODE32("\x8d\x77\0"), 0);
    assert_int_equal(DECODE32("\x8d\x74\x2e\0"), 0);       /* lea esi, [esi + ebp] */
    assert_int_equal(DECODE32("\x8d\x34\x75\0\0\0\0"), 0); /* lea esi, [2 * esi] */
    assert_int_equal(DECODE32("\x8d\xb4\x26\0\0\0\x01"), 0);
    assert_int_equal(DECODE32("\x8d\x35\0\0\0\0"), 0);
    assert_int_equal(DECODE32("\x8d\xf6"), 0);
    assert_int_equal(DECODE32("\x8d\x76"), 0);
    assert_int_equal(DECODE32("\x8d"), 0);
    assert_int_equal(DECODE32("\x89"), 0);
    assert_int_equal(DECODE32("\x40"), 0);
}

static void the_lea_table_is_no_padding_in_64_bit_code(void **state)
{
    (void) state;
    for (uint32_t bytes = 1; bytes <= ALTPICK_NOP_LEA_LONGEST; bytes++) {
        uint8_t code[ALTPICK_NOP_LEA_LONGEST];
        struct altpick_padding padding;

        altpick_nop_lea(code, bytes);
        assert_true(altpick_padding_scan_in(32, code, bytes, &padding));
        assert_int_equal(padding.instructions, 1);
        assert_int_equal(padding.longest_bytes, bytes);
        assert_int_equal(altpick_padding_scan(code, bytes, &padding), bytes == 1);
    }
}

/* One instruction after the other, as another decoder sees them. */
static bool is_padding(unsigned bits, const uint8_t *code, size_t n)
{
    for (size_t at = 0; at < n;) {
        ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
        ZydisDecodedInstruction in;

        if (!zydis(bits, code + at, n - at, &in, operands))
            return false;
        if (at == 0 && in.mnemonic == ZYDIS_MNEMONIC_JMP)
            return in.length + (size_t) operands[0].imm.value.u == n;
        if (!is_nop(bits, &in, operands))
            return false;
        at += in.length;
    }
    return true;
}

static void candidates_are_padding(const char *question_name, unsigned bits)
{
    const struct altpick_question *question = altpick_question_find(question_name);
    struct altpick_candidate *candidates = calloc(ALTPICK_CANDIDATES_MAX, sizeof *candidates);
    size_t n = question->candidates(question, candidates);

    assert_int_equal(question->bits, bits);
    assert_in_range(n, 1, ALTPICK_CANDIDATES_MAX);
    for (size_t i = 0; i < n; i++) {
        const struct altpick_candidate *candidate = &candidates[i];

        if (!is_padding(bits, candidate->code, candidate->code_bytes))
            fail_msg("%s: %s is no padding", question_name, candidate->name);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(candidate->name, candidates[k].name);
    }
    free(candidates);
}

static void every_candidate_is_padding_in_its_own_code(void **state)
{
    (void) state;
    candidates_are_padding("nop.fill.64", 64);
    candidates_are_padding("nop.fill.32", 32);
    candidates_are_padding("nop.fill.16", 16);
}

ALTPICK_TEST_MAIN(cmocka_unit_test(what_decodes_as_a_nop_is_one),
                  cmocka_unit_test(forms_of_32_bit_code_are_found_whole),
                  cmocka_unit_test(what_changes_a_register_is_no_nop),
                  cmocka_unit_test(the_lea_table_is_no_padding_in_64_bit_code),
                  cmocka_unit_test(every_candidate_is_padding_in_its_own_code))
