/* SPDX-License-Identifier: MIT */
/* What a condition makes of a candidate: single executions, leads and work behind it. */
#include "altpick/live.h"
#include "code.h"
#include "setup.h"
#include "test.h"

#include <Zydis/Zydis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 4096, GUARD = 0xcc, RET = 0xc3 };

static uint8_t code[ROOM];
static size_t emitted;

static const struct altpick_candidate three = {
    .code = {0x0f, 0x1f, 0x00},
      .code_bytes = 3
};

/* Write one copy of @candidate as @condition asks, at @offset and between guards. */
static void emit(const struct altpick_candidate *candidate, unsigned condition, size_t offset)
{
    struct altpick_block block = {.kind = ALTPICK_BLOCK_FILL,
                                  .condition = (enum altpick_condition) condition,
                                  .candidate = candidate,
                                  .copies = 1};

    memset(code, GUARD, sizeof code);
    emitted = altpick_code_bytes(&block);
    assert_true(offset + emitted <= ROOM);
    altpick_code_emit(code + offset, &block, false);
    for (size_t i = 0; i < ROOM; i++) {
        if (i < offset || i >= offset + emitted)
            assert_int_equal(code[i], GUARD);
    }
}

static ZydisDecodedInstruction decode(size_t at)
{
    ZydisDecodedInstruction in;
    ZydisDecoder decoder;

    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    assert_true(
        ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, code + at, ROOM - at, &in)));
    return in;
}

/* DEC EBP; JNZ to @first; RET: the last nine bytes. */
static void assert_loops_to(size_t at, size_t first)
{
    ZydisDecodedInstruction in = decode(at);

    assert_int_equal(in.mnemonic, ZYDIS_MNEMONIC_DEC);
    assert_int_equal(code[at + 1], 0xcd); /* ModRM: EBP */
    at += in.length;
    in = decode(at);
    assert_int_equal(in.mnemonic, ZYDIS_MNEMONIC_JNZ);
    at += in.length;
    assert_int_equal((int64_t) at + in.raw.imm[0].value.s, (int64_t) first);
    assert_int_equal(code[at], RET);
}

static bool is_shot(unsigned condition)
{
    return altpick_setup_of(condition)->shot;
}

static void a_single_execution_is_the_code_and_a_return(void **state)
{
    unsigned n = 0;
    (void) state;

    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
        if (!is_shot(c))
            continue;
        n++;
        emit(&three, c, 5);
        assert_int_equal(emitted, three.code_bytes + 1);
        assert_memory_equal(code + 5, three.code, 3);
        assert_int_equal(code[8], RET);
    }
    assert_int_equal(n, 8);
}

static void an_empty_block_is_a_return(void **state)
{
    const struct altpick_block block = {.kind = ALTPICK_BLOCK_EMPTY};
    (void) state;

    assert_int_equal(altpick_code_bytes(&block), 1);
    memset(code, GUARD, sizeof code);
    altpick_code_emit(code, &block, false);
    assert_int_equal(code[0], RET);
    assert_int_equal(code[1], GUARD);
}

/* Every condition whose candidate is followed by a xor: both in each trip. */
static void work_follows_the_code_in_every_trip(void **state)
{
    (void) state;
    for (unsigned c = ALTPICK_SSE_512; c <= ALTPICK_AVX512_65536; c++) {
        const uint8_t *work;
        size_t bytes = altpick_setup_work(altpick_setup_of(c)->work, &work);

        assert_true(bytes > 0 && bytes <= ALTPICK_WORK_CODE_MAX);
        emit(&three, c, 17);
        assert_int_equal(emitted, 3 + bytes + ALTPICK_LOOP_TAIL_BYTES);
        assert_memory_equal(code + 17, three.code, 3);
        assert_memory_equal(code + 20, work, bytes);
        assert_loops_to(20 + bytes, 17);
    }
}

static void a_lead_runs_once_before_the_loop(void **state)
{
    const uint8_t *work;
    size_t bytes = altpick_setup_work(ALTPICK_WORK_SAVE, &work);
    (void) state;

    assert_true(altpick_setup_of(ALTPICK_NEXT_SAVE)->lead);
    emit(&three, ALTPICK_NEXT_SAVE, 9);
    assert_memory_equal(code + 9, three.code, 3);
    assert_memory_equal(code + 12, work, bytes);
    assert_loops_to(12 + bytes, 12);
}

/* The instruction that each xor is made of, and how many bytes of both blocks a pass takes. */
static const struct {
    enum altpick_setup_work work;
    ZydisMnemonic mnemonic;
    unsigned n, bytes_each;
} works[] = {
    {ALTPICK_WORK_SSE,      ZYDIS_MNEMONIC_XORPS,  4, 16},
    {ALTPICK_WORK_PREFETCH, ZYDIS_MNEMONIC_XORPS,  4, 16},
    {ALTPICK_WORK_AVX2,     ZYDIS_MNEMONIC_VPXOR,  4, 32},
    {ALTPICK_WORK_AVX512,   ZYDIS_MNEMONIC_VPXORQ, 2, 64},
};

static void a_xor_goes_through_both_blocks_once(void **state)
{
    (void) state;
    for (size_t k = 0; k < sizeof works / sizeof *works; k++) {
        const uint8_t *work;
        size_t bytes = altpick_setup_work(works[k].work, &work), body = 0, last = 0;
        unsigned n = 0, n_prefetches = 0;

        memset(code, GUARD, sizeof code);
        memcpy(code, work, bytes);
        for (size_t at = 0; at < bytes;) {
            ZydisDecodedInstruction in = decode(at);

            n += in.mnemonic == works[k].mnemonic;
            n_prefetches += in.mnemonic == ZYDIS_MNEMONIC_PREFETCHT0;
            last = at;
            at += in.length;
            body = in.mnemonic == ZYDIS_MNEMONIC_NEG ? at : body;
            if (at == bytes) { /* back to what follows the negation */
                assert_int_equal(in.mnemonic, ZYDIS_MNEMONIC_JNZ);
                assert_int_equal((int64_t) at + in.raw.imm[0].value.s, (int64_t) body);
            }
        }
        assert_true(last > body && body > 0);
        assert_int_equal(n, works[k].n);
        assert_int_equal(n_prefetches, works[k].work == ALTPICK_WORK_PREFETCH ? 2 : 0);
        assert_int_equal(512 % (works[k].n * works[k].bytes_each), 0);
    }
}

static void sizes_of_works_are_those_of_their_names(void **state)
{
    (void) state;
    for (unsigned c = ALTPICK_SSE_512; c <= ALTPICK_AVX512_65536; c++) {
        const char *name = altpick_condition_name(c), *hyphen = strrchr(name, '-');

        assert_int_equal(altpick_setup_of(c)->work_bytes, strtoul(hyphen + 1, NULL, 10));
        assert_int_equal(altpick_setup_of(c)->work_bytes % 128, 0);
        assert_false(altpick_setup_of(c)->shot || altpick_setup_of(c)->lead);
    }
}

static void every_block_fits_its_slot(void **state)
{
    static struct altpick_candidate longest = {.code_bytes = ALTPICK_CODE_MAX};
    static const struct altpick_cpu cpu;
    struct altpick_plan plan;
    (void) state;

    altpick_plan_init(&cpu, true, &plan);
    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
        uint32_t block_bytes = plan.effort[c].block_bytes;
        struct altpick_block block = {.kind = ALTPICK_BLOCK_FILL,
                                      .condition = (enum altpick_condition) c,
                                      .candidate = &longest};
        struct altpick_plan alone = {.batches = 3};
        size_t slot;

        alone.effort[c] = plan.effort[c];
        alone.effort[c].retry_bytes = 0;
        slot = altpick_live_arena_bytes(&alone, 1) - ALTPICK_LIVE_SLOTS_AT;
        for (uint32_t bytes = 1; bytes <= ALTPICK_CODE_MAX; bytes++) {
            bool once = is_shot(c) || altpick_setup_of(c)->work != ALTPICK_WORK_NONE;

            longest.code_bytes = bytes;
            block.copies = once || block_bytes < bytes ? 1 : block_bytes / bytes;
            assert_true(63 + altpick_code_bytes(&block) <= slot);
        }
    }
}

static void states_are_those_of_their_names(void **state)
{
    static const struct {
        unsigned condition;
        enum altpick_setup_state state;
    } states[] = {
        {ALTPICK_INIT,            ALTPICK_STATE_INIT    },
        {ALTPICK_COLD_INIT,       ALTPICK_STATE_INIT    },
        {ALTPICK_DIRTY,           ALTPICK_STATE_DIRTY   },
        {ALTPICK_COLD_DIRTY,      ALTPICK_STATE_DIRTY   },
        {ALTPICK_UNMODIFIED,      ALTPICK_STATE_RESTORED},
        {ALTPICK_COLD_UNMODIFIED, ALTPICK_STATE_RESTORED},
        {ALTPICK_ZEROED,          ALTPICK_STATE_ZEROED  },
        {ALTPICK_NEXT_SAVE,       ALTPICK_STATE_DIRTY   },
        {ALTPICK_HOT,             ALTPICK_STATE_ANY     },
        {ALTPICK_CONTENDED,       ALTPICK_STATE_ANY     },
        {ALTPICK_AVX2_512,        ALTPICK_STATE_ANY     },
    };
    (void) state;

    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        assert_int_equal(altpick_setup_of(states[i].condition)->state, states[i].state);
}

/* What is cold is a single execution; what is flushed has data or code to flush. */
static void what_is_cold_is_flushed_and_runs_once(void **state)
{
    (void) state;
    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
        const struct altpick_setup *setup = altpick_setup_of(c);
        const char *name = altpick_condition_name(c);
        bool cold = strncmp(name, "cold-", 5) == 0;

        assert_int_equal(cold, setup->flush_code || setup->flush_data);
        assert_true(!cold || setup->shot);
        assert_true(!setup->work_bytes || setup->work != ALTPICK_WORK_NONE);
    }
    assert_true(altpick_setup_of(ALTPICK_COLD_BOTH)->flush_code &&
                altpick_setup_of(ALTPICK_COLD_BOTH)->flush_data);
    assert_false(altpick_setup_of(ALTPICK_COLD_DATA)->flush_code);
    assert_false(altpick_setup_of(ALTPICK_COLD_CODE)->flush_data);
}

ALTPICK_TEST_MAIN(cmocka_unit_test(a_single_execution_is_the_code_and_a_return),
                  cmocka_unit_test(an_empty_block_is_a_return),
                  cmocka_unit_test(work_follows_the_code_in_every_trip),
                  cmocka_unit_test(a_lead_runs_once_before_the_loop),
                  cmocka_unit_test(a_xor_goes_through_both_blocks_once),
                  cmocka_unit_test(sizes_of_works_are_those_of_their_names),
                  cmocka_unit_test(every_block_fits_its_slot),
                  cmocka_unit_test(states_are_those_of_their_names),
                  cmocka_unit_test(what_is_cold_is_flushed_and_runs_once))
