/* SPDX-License-Identifier: MIT */
/* Reference counters: their code, what each does in each state, and wrong ones found out. */
#include "looked.h"
#include "refcount.h"

#include <Zydis/Zydis.h>
#include <stdio.h>

#define G(name)  ALTPICK_GUARANTEE_##name
#define OP(name) ALTPICK_COUNTER_##name
#define V(name)  ALTPICK_REFCOUNT_##name
#define R(name)  ALTPICK_REPORT_##name

enum { SAT = 0xc0000000, TOP = 0xffffffff, MINUS_1 = 0xffffffff, INT_MIN_ = 0x80000000 };

static const struct altpick_question *refcount(void)
{
    const struct altpick_question *question = altpick_question_find("refcount");

    assert_non_null(question);
    return question;
}

/* --- the code ----------------------------------------------------------------------------------
 */

static struct altpick_candidate code_of(size_t index)
{
    struct altpick_candidate candidate;

    assert_true(altpick_code_copy_one(altpick_refcount_code, ALTPICK_REFCOUNT_CANDIDATES, index,
                                      &candidate));
    return candidate;
}

static void decode(ZydisMachineMode mode, const struct altpick_candidate *candidate, size_t at,
                   ZydisDecodedInstruction *ret)
{
    ZydisDecoder decoder;

    ZydisDecoderInit(&decoder, mode,
                     mode == ZYDIS_MACHINE_MODE_LONG_64 ? ZYDIS_STACK_WIDTH_64
                                                        : ZYDIS_STACK_WIDTH_32);
    assert_true(ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, candidate->code + at,
                                                           candidate->code_bytes - at, ret)));
}

/* The same instructions of the same length, on operands of 32 bits; jumps stay inside. */
static void the_code_is_the_same_in_64_and_32_bit_code(void **state)
{
    (void) state;
    for (size_t i = 0; i < ALTPICK_REFCOUNT_CANDIDATES; i++) {
        const struct altpick_candidate candidate = code_of(i);
        ZydisDecodedInstruction wide, narrow;

        for (size_t at = 0; at < candidate.code_bytes; at += wide.length) {
            decode(ZYDIS_MACHINE_MODE_LONG_64, &candidate, at, &wide);
            decode(ZYDIS_MACHINE_MODE_LEGACY_32, &candidate, at, &narrow);
            assert_int_equal(wide.mnemonic, narrow.mnemonic);
            assert_int_equal(wide.length, narrow.length);
            assert_int_equal(wide.attributes & ZYDIS_ATTRIB_HAS_REX, 0);
            if (wide.raw.imm[0].is_relative) {
                int64_t target = (int64_t) (at + wide.length) + wide.raw.imm[0].value.s;

                assert_true(target >= 0 && target <= candidate.code_bytes);
            } else {
                assert_int_equal(wide.operand_width, narrow.operand_width);
            }
        }
    }
}

static void names_are_variant_and_operation(void **state)
{
    char name[2 * ALTPICK_NAME_MAX];
    (void) state;

    for (unsigned v = 0; v < ALTPICK_REFCOUNT_VARIANTS; v++) {
        for (unsigned op = 0; op < ALTPICK_N_COUNTER_OPS; op++) {
            size_t i = v * ALTPICK_N_COUNTER_OPS + op;
            const struct altpick_candidate candidate = code_of(i);
            struct altpick_counter counter;

            snprintf(name, sizeof name, "%s.%s",
                     altpick_refcount_variant_name((enum altpick_refcount_variant) v),
                     altpick_refcount_op_name((enum altpick_counter_op) op));
            assert_string_equal(candidate.name, name);
            assert_true(altpick_refcount_counter(&candidate, &counter));
            assert_int_equal(counter.op, op);
            assert_int_equal(counter.saturates, v != V(ATOMIC));
            for (size_t k = 0; k < ALTPICK_REFCOUNT_CANDIDATES; k++)
                assert_int_equal(altpick_code_is(&altpick_refcount_code[k], &candidate), k == i);
        }
    }
}

/* Bytes say what code is; a name only where they are nobody's. */
static void code_under_another_name_is_what_its_bytes_are(void **state)
{
    struct altpick_candidate candidate = code_of(V(FULL) * 6 + OP(DEC));
    struct altpick_counter counter;
    (void) state;

    strcpy(candidate.name, "xadd.inc");
    assert_true(altpick_refcount_counter(&candidate, &counter));
    assert_int_equal(counter.op, OP(DEC));
    assert_int_equal(counter.at[ALTPICK_COUNT_SATURATED], TOP);
    candidate.code[0] ^= 1;
    assert_true(altpick_refcount_counter(&candidate, &counter));
    assert_int_equal(counter.op, OP(INC));
    assert_int_equal(counter.at[ALTPICK_COUNT_SATURATED], SAT);
    strcpy(candidate.name, "other");
    assert_false(altpick_refcount_counter(&candidate, &counter));
}

/* --- what it does ------------------------------------------------------------------------------
 */

/* Each state: value afterwards, result, report; in the order of enum altpick_count. */
struct expected {
    const char *name;
    uint32_t seen[ALTPICK_N_COUNTS][3];
};

/* clang-format off */
static const struct expected expected[] = {
    {"atomic.inc", {{1, 0, R(SILENT)}, {2, 0, R(SILENT)}, {0, 0, R(SILENT)},
                    {INT_MIN_, 0, R(SILENT)}, {INT_MIN_ + 1u, 0, R(SILENT)}}},
    {"atomic.inc_not_zero", {{0, 0, R(SILENT)}, {2, 1, R(SILENT)}, {0, 1, R(SILENT)},
                             {INT_MIN_, 1, R(SILENT)}, {INT_MIN_ + 1u, 1, R(SILENT)}}},
    {"atomic.dec_and_test", {{MINUS_1, 0, R(SILENT)}, {0, 1, R(SILENT)}, {MINUS_1 - 1, 0, R(SILENT)},
                             {INT32_MAX - 1, 0, R(SILENT)}, {INT32_MAX, 0, R(SILENT)}}},
    {"fast.add", {{1, 0, R(SILENT)}, {2, 0, R(SILENT)}, {0, 0, R(SILENT)},
                  {SAT, 0, R(OVERFLOW)}, {SAT, 0, R(SATURATED)}}},
    {"fast.inc_not_zero", {{0, 0, R(SILENT)}, {2, 1, R(SILENT)}, {SAT, 1, R(SATURATED)},
                           {SAT, 1, R(OVERFLOW)}, {SAT, 1, R(SATURATED)}}},
    {"fast.dec", {{SAT, 0, R(UNDERFLOW)}, {SAT, 0, R(LEAK)}, {SAT, 0, R(SATURATED)},
                  {INT32_MAX - 1, 0, R(SILENT)}, {SAT, 0, R(SATURATED)}}},
    {"fast.sub_and_test", {{SAT, 0, R(UNDERFLOW)}, {0, 1, R(SILENT)}, {SAT, 0, R(SATURATED)},
                           {INT32_MAX - 1, 0, R(SILENT)}, {SAT, 0, R(SATURATED)}}},
    {"full.add", {{0, 0, R(FROM_ZERO)}, {2, 0, R(SILENT)}, {TOP, 0, R(SILENT)},
                  {TOP, 0, R(SATURATED)}, {TOP, 0, R(SILENT)}}},
    {"full.inc", {{0, 0, R(FROM_ZERO)}, {2, 0, R(SILENT)}, {TOP, 0, R(SILENT)},
                  {TOP, 0, R(SATURATED)}, {TOP, 0, R(SILENT)}}},
    {"full.inc_not_zero", {{0, 0, R(SILENT)}, {2, 1, R(SILENT)}, {TOP, 1, R(SILENT)},
                           {TOP, 1, R(SATURATED)}, {TOP, 1, R(SILENT)}}},
    {"full.dec", {{0, 0, R(UNDERFLOW)}, {0, 0, R(LEAK)}, {TOP, 0, R(SILENT)},
                  {TOP - 2, 0, R(SILENT)}, {TOP, 0, R(SILENT)}}},
    {"full.dec_and_test", {{0, 0, R(UNDERFLOW)}, {0, 1, R(SILENT)}, {TOP, 0, R(SILENT)},
                           {TOP - 2, 0, R(SILENT)}, {TOP, 0, R(SILENT)}}},
    {"xadd.add", {{SAT, 0, R(FROM_ZERO)}, {2, 0, R(SILENT)}, {SAT, 0, R(SATURATED)},
                  {SAT, 0, R(OVERFLOW)}, {SAT, 0, R(SATURATED)}}},
    {"xadd.inc", {{SAT, 0, R(FROM_ZERO)}, {2, 0, R(SILENT)}, {SAT, 0, R(SATURATED)},
                  {SAT, 0, R(OVERFLOW)}, {SAT, 0, R(SATURATED)}}},
    {"xadd.inc_not_zero", {{0, 0, R(SILENT)}, {2, 1, R(SILENT)}, {SAT, 1, R(SATURATED)},
                           {SAT, 1, R(OVERFLOW)}, {SAT, 1, R(SATURATED)}}},
    {"xadd.dec", {{SAT, 0, R(UNDERFLOW)}, {SAT, 0, R(LEAK)}, {SAT, 0, R(SATURATED)},
                  {INT32_MAX - 1, 0, R(SILENT)}, {SAT, 0, R(SATURATED)}}},
    {"xadd.dec_and_test", {{SAT, 0, R(UNDERFLOW)}, {0, 1, R(SILENT)}, {SAT, 0, R(SATURATED)},
                           {INT32_MAX - 1, 0, R(SILENT)}, {SAT, 0, R(SATURATED)}}},
};
/* clang-format on */

static const struct altpick_observed *observed_of(const struct looked *looked, const char *name)
{
    const struct altpick_session *session = looked->hosted.session;

    for (uint32_t i = 0; i < session->n_candidates; i++) {
        if (strcmp(session->candidates[i].name, name) == 0)
            return session->observed[i];
    }
    fail_msg("no candidate %s", name);
    return NULL;
}

static void each_state_is_seen_as_documented(void **state)
{
    struct looked looked;
    (void) state;

    looked_begin(&looked, refcount());
    assert_int_equal(altpick_look_session(refcount(), &looked.looking), 0);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const struct altpick_observed *seen = observed_of(&looked, expected[i].name);

        for (unsigned c = 0; c < ALTPICK_N_COUNTS; c++) {
            if (seen[c].after != expected[i].seen[c][0] ||
                seen[c].result != expected[i].seen[c][1] ||
                seen[c].report != expected[i].seen[c][2])
                fail_msg("%s at %s: %#x, %#x, %s", expected[i].name, altpick_count_name(c),
                         seen[c].after, seen[c].result, altpick_report_name(seen[c].report));
        }
    }
    altpick_hosted_session_fini(&looked.hosted);
}

static void what_is_declared_is_checked_and_nothing_else_holds(void **state)
{
    struct looked looked;
    (void) state;

    looked_begin(&looked, refcount());
    assert_int_equal(altpick_look_session(refcount(), &looked.looking), 0);
    for (uint32_t i = 0; i < ALTPICK_REFCOUNT_CANDIDATES; i++) {
        const struct altpick_session *session = looked.hosted.session;
        struct altpick_measurement m = looked_at(&looked, i);

        assert_int_equal(session->state[i], ALTPICK_CELL_ACTIVE);
        assert_true(session->seen[i]);
        assert_true(m.has_observed);
        if (session->held[i] != altpick_refcount_code[i].guarantees)
            fail_msg("%s: holds %#llx", altpick_refcount_code[i].name,
                     (unsigned long long) session->held[i]);
        assert_int_equal(session->looked[i] & session->held[i], session->held[i]);
        for (unsigned g = 0; g < ALTPICK_N_GUARANTEES; g++)
            assert_int_equal(m.guarantee[g], altpick_refcount_code[i].guarantees >> g & 1
                                                 ? ALTPICK_GUARANTEE_IS_CHECKED
                                                 : ALTPICK_GUARANTEE_IS_NONE);
    }
    altpick_hosted_session_fini(&looked.hosted);
}

/* --- wrong ones --------------------------------------------------------------------------------
 */

/* Code that claims what the one it is named after does, and what of it the look must contradict. */
struct wrong {
    const char *name;
    uint8_t code[48];
    uint32_t bytes;
    uint64_t contradicted, checked;
};

#define B(name) (UINT64_C(1) << G(name))

/* clang-format off */
static const struct wrong wrongs[] = {
    /* says so and goes on: mov eax, 1; lock xadd [rdi], eax; inc eax; cmp eax, 1; jg end; je 2;
       seto cl; inc ecx; jmp end; 2: mov cl, 4 */
    {"xadd.inc", {0xb8, 0x01, 0x00, 0x00, 0x00, 0xf0, 0x0f, 0xc1, 0x07, 0xff, 0xc0, 0x83, 0xf8, 0x01,
                  0x7f, 0x0b, 0x74, 0x07, 0x0f, 0x90, 0xc1, 0xff, 0xc1, 0xeb, 0x02, 0xb1, 0x04}, 27,
     B(SATURATES_ON_OVERFLOW) | B(BLOCKS_INC_FROM_ZERO), B(REPORTS_MISUSE)},
    /* saturates one too late: mov eax, 1; lock xadd [rdi], eax; test eax, eax; jg end;
       mov dword [rdi], 0xc0000000; inc ecx */
    {"xadd.inc", {0xb8, 0x01, 0x00, 0x00, 0x00, 0xf0, 0x0f, 0xc1, 0x07, 0x85, 0xc0, 0x7f, 0x08, 0xc7,
                  0x07, 0x00, 0x00, 0x00, 0xc0, 0xff, 0xc1}, 21,
     B(SATURATES_ON_OVERFLOW) | B(REPORTS_MISUSE), B(BLOCKS_INC_FROM_ZERO)},
    /* silent: xor eax, eax; lock dec dword [rdi]; jns 1; mov dword [rdi], 0xc0000000;
       1: sete al */
    {"fast.dec_and_test", {0x31, 0xc0, 0xf0, 0xff, 0x0f, 0x79, 0x06, 0xc7, 0x07, 0x00, 0x00, 0x00,
                           0xc0, 0x0f, 0x94, 0xc0}, 16,
     B(REPORTS_MISUSE), B(SATURATES_ON_OVERFLOW) | B(SAFE_ON_UNDERFLOW)},
    /* half a result: lock dec dword [rdi]; jns 1; mov dword [rdi], 0xc0000000; inc ecx;
       1: sete al */
    {"fast.dec_and_test", {0xf0, 0xff, 0x0f, 0x79, 0x08, 0xc7, 0x07, 0x00, 0x00, 0x00, 0xc0, 0xff,
                           0xc1, 0x0f, 0x94, 0xc0}, 16,
     B(REPORTS_MISUSE) | B(SATURATES_ON_OVERFLOW) | B(SAFE_ON_UNDERFLOW), 0},
    /* wraps from 0xffffffff to a live count where more than one is added: mov eax, [rdi];
       1: lea edx, [rax-1]; cmp edx, -2; jae 2; mov edx, eax; add edx, esi; lock cmpxchg [rdi], edx;
       jne 1; inc edx; jne end; inc ecx; jmp end; 2: je end; mov cl, 4 */
    {"full.add", {0x8b, 0x07, 0x8d, 0x50, 0xff, 0x83, 0xfa, 0xfe, 0x73, 0x12, 0x89, 0xc2, 0x01, 0xf2,
                  0xf0, 0x0f, 0xb1, 0x17, 0x75, 0xee, 0xff, 0xc2, 0x75, 0x08, 0xff, 0xc1, 0xeb, 0x04,
                  0x74, 0x02, 0xb1, 0x04}, 32,
     B(SATURATES_ON_OVERFLOW) | B(REPORTS_MISUSE), B(BLOCKS_INC_FROM_ZERO)},
    /* takes one for any amount: the code of xadd.dec_and_test with a nop more */
    {"xadd.sub_and_test", {0xb8, 0xff, 0xff, 0xff, 0xff, 0xf0, 0x0f, 0xc1, 0x07, 0xff, 0xc8, 0x7d,
                           0x11, 0xc7, 0x07, 0x00, 0x00, 0x00, 0xc0, 0xff, 0xc0, 0x0f, 0x94, 0xc1,
                           0x8d, 0x4c, 0x09, 0x01, 0x85, 0xc9, 0xb8, 0x00, 0x00, 0x00, 0x00, 0x0f,
                           0x94, 0xc0, 0x90}, 39,
     B(SAFE_ON_UNDERFLOW), B(SATURATES_ON_OVERFLOW) | B(REPORTS_MISUSE)},
    /* frees what is not there: the same with a result of 1 at the end of everything; mov eax, -1;
       lock xadd [rdi], eax; dec eax; setle al; movzx eax, al; jg end; ... */
    {"xadd.dec_and_test", {0xb8, 0xff, 0xff, 0xff, 0xff, 0xf0, 0x0f, 0xc1, 0x07, 0xff, 0xc8, 0x0f,
                           0x9e, 0xc0, 0x0f, 0xb6, 0xc0, 0x7d, 0x08, 0xc7, 0x07, 0x00, 0x00, 0x00,
                           0xc0, 0xff, 0xc1}, 27,
     B(SAFE_ON_UNDERFLOW) | B(SATURATES_ON_OVERFLOW), B(REPORTS_MISUSE)},
    /* does nothing, which is safe, and no counter: xor ecx, ecx */
    {"full.inc", {0x31, 0xc9}, 2,
     B(SATURATES_ON_OVERFLOW) | B(REPORTS_MISUSE) | B(BLOCKS_INC_FROM_ZERO), 0},
    /* cries always: lock inc dword [rdi]; inc ecx; jns end; mov dword [rdi], 0xc0000000 */
    {"fast.inc", {0xf0, 0xff, 0x07, 0xff, 0xc1, 0x79, 0x06, 0xc7, 0x07, 0x00, 0x00, 0x00, 0xc0}, 13,
     B(SATURATES_ON_OVERFLOW), 0},
};
/* clang-format on */

enum { N_WRONGS = sizeof wrongs / sizeof *wrongs };

static size_t wrong_candidates(const struct altpick_question *question,
                               struct altpick_candidate ret[ALTPICK_CANDIDATES_MAX])
{
    (void) question;
    for (size_t i = 0; i < N_WRONGS; i++) {
        ret[i] =
            (struct altpick_candidate){.code_bytes = wrongs[i].bytes, .data = ALTPICK_DATA_COUNTER};
        strcpy(ret[i].name, wrongs[i].name);
        memcpy(ret[i].code, wrongs[i].code, sizeof wrongs[i].code);
        for (size_t k = 0; k < ALTPICK_REFCOUNT_CANDIDATES; k++) {
            if (strcmp(altpick_refcount_code[k].name, wrongs[i].name) == 0)
                ret[i].guarantees = altpick_refcount_code[k].guarantees;
        }
    }
    return N_WRONGS;
}

static void wrong_code_is_contradicted(void **state)
{
    struct altpick_question question = *refcount();
    struct looked looked;
    (void) state;

    question.candidates = wrong_candidates;
    looked_begin(&looked, &question);
    assert_int_equal(altpick_look_session(&question, &looked.looking), 0);
    for (size_t i = 0; i < N_WRONGS; i++) {
        struct altpick_measurement m = looked_at(&looked, i);

        assert_int_equal(looked.hosted.session->state[i], ALTPICK_CELL_ACTIVE);
        for (unsigned g = 0; g < ALTPICK_N_GUARANTEES; g++) {
            enum altpick_guarantee_state want =
                wrongs[i].contradicted >> g & 1 ? ALTPICK_GUARANTEE_IS_CONTRADICTED
                : wrongs[i].checked >> g & 1    ? ALTPICK_GUARANTEE_IS_CHECKED
                                                : ALTPICK_GUARANTEE_IS_NONE;

            if (m.guarantee[g] != want)
                fail_msg("%zu, %s: %s is %s", i, wrongs[i].name, altpick_guarantee_name(g),
                         altpick_guarantee_state_name(m.guarantee[g]));
        }
    }
    altpick_hosted_session_fini(&looked.hosted);
}

/* Reports are names in a profile. */
static void a_report_without_a_name_is_stored_nowhere(void **state)
{
    struct looked looked;
    (void) state;

    looked_begin(&looked, refcount());
    assert_int_equal(altpick_look_session(refcount(), &looked.looking), 0);
    assert_true(looked_at(&looked, 0).has_observed);
    looked.hosted.session->observed[0][ALTPICK_COUNT_SATURATED].report = ALTPICK_N_REPORTS;
    assert_false(looked_at(&looked, 0).has_observed);
    altpick_hosted_session_fini(&looked.hosted);
}

ALTPICK_TEST_MAIN(cmocka_unit_test(the_code_is_the_same_in_64_and_32_bit_code),
                  cmocka_unit_test(names_are_variant_and_operation),
                  cmocka_unit_test(code_under_another_name_is_what_its_bytes_are),
                  cmocka_unit_test(each_state_is_seen_as_documented),
                  cmocka_unit_test(what_is_declared_is_checked_and_nothing_else_holds),
                  cmocka_unit_test(wrong_code_is_contradicted),
                  cmocka_unit_test(a_report_without_a_name_is_stored_nowhere))
