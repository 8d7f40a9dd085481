/* SPDX-License-Identifier: MIT */
/* The machine code of blocks and of NOPs, read back by a decoder that is not altpick's. */
#include "altpick/nop.h"
#include "code.h"
#include "test.h"

#include <Zydis/Zydis.h>
#include <string.h>

enum { ROOM = 4096, GUARD = 0xcc };

static uint8_t code[ROOM];

static ZydisDecodedInstruction decode(size_t at)
{
    ZydisDecodedInstruction in;
    ZydisDecoder decoder;

    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    assert_true(ZYAN_SUCCESS(
        ZydisDecoderDecodeInstruction(&decoder, NULL, code + at, sizeof code - at, &in)));
    return in;
}

/* Write @block at @offset between guards; returns where its body ends. */
static size_t emit(const struct altpick_block *block, size_t offset)
{
    static const uint8_t chain[] = {0x48, 0x01, 0xd8}, canary[] = {0x90};
    const uint8_t *body = block->kind == ALTPICK_BLOCK_CHAIN    ? chain
                          : block->kind == ALTPICK_BLOCK_CANARY ? canary
                                                                : block->candidate->code;
    size_t one = block->kind == ALTPICK_BLOCK_CHAIN    ? sizeof chain
                 : block->kind == ALTPICK_BLOCK_CANARY ? sizeof canary
                                                       : block->candidate->code_bytes;
    size_t bytes = altpick_code_bytes(block);

    memset(code, GUARD, sizeof code);
    altpick_code_emit(code + offset, block, false);
    assert_int_equal(bytes, one * block->copies + ALTPICK_LOOP_TAIL_BYTES);
    for (size_t i = 0; i < sizeof code; i++) {
        if (i < offset || i >= offset + bytes)
            assert_int_equal(code[i], GUARD);
    }
    for (size_t i = 0; i < block->copies; i++)
        assert_memory_equal(code + offset + i * one, body, one);
    return offset + one * block->copies;
}

/* DEC EBP; JNZ to the first copy; RET. */
static void assert_tail(size_t at, size_t first)
{
    ZydisDecodedInstruction in = decode(at);

    assert_int_equal(in.mnemonic, ZYDIS_MNEMONIC_DEC);
    assert_int_equal(code[at + 1], 0xcd); /* ModRM: EBP */
    assert_int_equal(in.operand_width, 32);
    at += in.length;
    in = decode(at);
    assert_int_equal(in.mnemonic, ZYDIS_MNEMONIC_JNZ);
    at += in.length;
    assert_true((int64_t) at + in.raw.imm[0].value.s == (int64_t) first);
    assert_int_equal(decode(at).mnemonic, ZYDIS_MNEMONIC_RET);
}

static void a_block_is_copies_in_a_loop_at_any_offset(void **state)
{
    static const struct altpick_candidate three = {
        .code = {0x0f, 0x1f, 0x00},
          .code_bytes = 3
    };
    (void) state;

    for (size_t offset = 0; offset < 64; offset++) {
        for (uint32_t copies = 1; copies < 1100; copies = copies * 3 + 1) {
            struct altpick_block block = {
                .kind = ALTPICK_BLOCK_FILL, .candidate = &three, .copies = copies};

            assert_tail(emit(&block, offset), offset);
        }
    }
}

static void the_longest_candidate_fits(void **state)
{
    static struct altpick_candidate jump = {
        .code = {0xe9, (ALTPICK_CODE_MAX - 5) & 0xff, (ALTPICK_CODE_MAX - 5) >> 8},
        .code_bytes = ALTPICK_CODE_MAX
    };
    struct altpick_block block = {.kind = ALTPICK_BLOCK_FILL, .candidate = &jump, .copies = 7};
    size_t end;
    (void) state;

    memset(jump.code + 5, 0x90, ALTPICK_CODE_MAX - 5);
    end = emit(&block, 5);
    assert_tail(end, 5);
    for (size_t at = 5; at < end;) { /* each jump lands on the next */
        ZydisDecodedInstruction in = decode(at);

        assert_int_equal(in.mnemonic, ZYDIS_MNEMONIC_JMP);
        at += in.length + (size_t) in.raw.imm[0].value.s;
        assert_true(at <= end);
    }
}

static void the_ruler_is_a_chain_of_adds_of_registers(void **state)
{
    struct altpick_block block = {.kind = ALTPICK_BLOCK_CHAIN, .copies = ALTPICK_CHAIN_ADDS};
    size_t end = emit(&block, 0);
    (void) state;

    assert_tail(end, 0);
    for (size_t at = 0; at < end;) {
        ZydisDecodedInstruction in = decode(at);

        assert_int_equal(in.mnemonic, ZYDIS_MNEMONIC_ADD);
        assert_int_equal(in.operand_width, 64);
        assert_int_equal(in.raw.modrm.mod, 3);
        assert_int_equal(in.raw.modrm.rm, 0);  /* to RAX, from RAX: each waits for the last */
        assert_int_equal(in.raw.modrm.reg, 3); /* and from RBX, which is 0 */
        at += in.length;
    }
}

static void the_canary_is_nothing_but_single_byte_nops(void **state)
{
    struct altpick_block block = {.kind = ALTPICK_BLOCK_CANARY, .copies = ALTPICK_CANARY_NOPS};
    size_t end = emit(&block, 0);
    (void) state;

    assert_int_equal(end, ALTPICK_CANARY_NOPS);
    assert_tail(end, 0);
    for (size_t at = 0; at < end; at++)
        assert_int_equal(decode(at).mnemonic, ZYDIS_MNEMONIC_NOP);
}

/* One NOP of @bytes bytes in code[], to Zydis and to altpick alike. */
static void assert_one_nop(uint32_t bytes, uint8_t opcode)
{
    ZydisDecodedInstruction in = decode(0);
    struct altpick_nop nop;

    assert_int_equal(in.mnemonic, ZYDIS_MNEMONIC_NOP);
    assert_int_equal(in.length, bytes);
    assert_int_equal(in.opcode, opcode);
    assert_int_equal(altpick_nop_decode(code, bytes, &nop), bytes);
    assert_int_equal(nop.opcode, opcode);
    assert_int_equal(nop.prefixes, in.raw.prefix_count);
    for (uint32_t cut = 0; cut < bytes; cut++)
        assert_int_not_equal(altpick_nop_decode(code, cut, &nop), bytes);
}

static void every_recommended_form_is_one_nop_of_its_length(void **state)
{
    (void) state;
    for (uint32_t bytes = 1; bytes <= ALTPICK_NOP_LONGEST; bytes++) {
        memset(code, GUARD, sizeof code);
        altpick_nop_recommended(code, bytes);
        assert_one_nop(bytes, bytes > 2 ? 0x1f : 0x90);
        assert_int_equal(code[bytes], GUARD);
        memset(code, GUARD, sizeof code);
        altpick_nop_6690(code, bytes);
        assert_int_equal(decode(0).length, bytes);
        assert_int_equal(decode(0).opcode, 0x90);
        assert_int_equal(code[bytes], GUARD);
    }
}

static void an_even_split_has_pieces_that_differ_by_one_byte_at_most(void **state)
{
    (void) state;
    for (uint32_t bytes = 1; bytes <= ALTPICK_NOP_GAP_MAX; bytes++) {
        for (uint32_t pieces = (bytes + 14) / 15; pieces <= bytes; pieces++) {
            uint32_t longest = 0, last = ALTPICK_NOP_LONGEST, n = 0;
            struct altpick_padding padding;

            memset(code, GUARD, sizeof code);
            altpick_nop_even(code, bytes, pieces, altpick_nop_recommended);
            for (size_t at = 0; at < bytes; n++) {
                ZydisDecodedInstruction in = decode(at);

                assert_int_equal(in.mnemonic, ZYDIS_MNEMONIC_NOP);
                longest = longest ? longest : in.length;
                assert_true(in.length <= last && in.length + 1u >= longest);
                last = in.length;
                at += in.length;
            }
            assert_int_equal(n, pieces);
            assert_int_equal(code[bytes], GUARD);
            assert_true(altpick_padding_scan(code, bytes, &padding));
            assert_int_equal(padding.instructions, pieces);
            assert_int_equal(padding.longest_bytes, longest);
            assert_false(padding.jumps);
        }
    }
}

/* Whatever altpick takes for padding, a decoder takes for NOPs of the same lengths. */
static void what_scans_as_padding_decodes_as_nops(void **state)
{
    static const uint8_t first[] = {0x66, 0x2e, 0x0f, 0x1f, 0x90, 0xf3, 0x00, 0x8d};
    uint32_t random = 1, accepted = 0;
    (void) state;

    for (int round = 0; round < 300000; round++) {
        struct altpick_nop nop;
        size_t bytes;

        for (size_t i = 0; i < 16; i++) {
            random = random * 1664525u + 1013904223u;
            code[i] = (uint8_t) (i < 4 ? first[random >> 29] : random >> 24);
        }
        bytes = altpick_nop_decode(code, 16, &nop);
        if (!bytes)
            continue;
        accepted++;
        assert_int_equal(decode(0).mnemonic, ZYDIS_MNEMONIC_NOP);
        assert_int_equal(decode(0).length, bytes);
    }
    assert_true(accepted > 1000);
}

static void a_jump_is_padding_only_when_it_ends_where_the_gap_ends(void **state)
{
    struct altpick_padding padding;
    (void) state;

    memset(code, GUARD, sizeof code);
    code[0] = 0xeb;
    code[1] = 30;
    assert_true(altpick_padding_scan(code, 32, &padding));
    assert_true(padding.jumps);
    assert_int_equal(padding.instructions, 1);
    assert_false(altpick_padding_scan(code, 31, &padding));
    assert_false(altpick_padding_scan(code, 33, &padding));
    assert_false(altpick_padding_scan(code, 0, &padding));
}

ALTPICK_TEST_MAIN(cmocka_unit_test(a_block_is_copies_in_a_loop_at_any_offset),
                  cmocka_unit_test(the_longest_candidate_fits),
                  cmocka_unit_test(the_ruler_is_a_chain_of_adds_of_registers),
                  cmocka_unit_test(the_canary_is_nothing_but_single_byte_nops),
                  cmocka_unit_test(every_recommended_form_is_one_nop_of_its_length),
                  cmocka_unit_test(an_even_split_has_pieces_that_differ_by_one_byte_at_most),
                  cmocka_unit_test(what_scans_as_padding_decodes_as_nops),
                  cmocka_unit_test(a_jump_is_padding_only_when_it_ends_where_the_gap_ends))
