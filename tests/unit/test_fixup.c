/* SPDX-License-Identifier: MIT */
#include "elf/fixup.h"

#include "altpick/err.h"
#include "altpick/question.h"
#include "test.h"

struct found {
    struct altpick_fixup fixups[ALTPICK_FIXUPS_MAX];
    size_t n;
};

#define FIND(bits, found, ...)                                                                     \
    altpick_fixups_find((const uint8_t[]){__VA_ARGS__}, sizeof(const uint8_t[]){__VA_ARGS__},      \
                        bits, (found)->fixups, &(found)->n)

static void assert_fixup(const struct found *found, size_t i, unsigned at, unsigned bytes,
                         unsigned end, int32_t displacement)
{
    assert_true(i < found->n);
    assert_int_equal(found->fixups[i].at, at);
    assert_int_equal(found->fixups[i].bytes, bytes);
    assert_int_equal(found->fixups[i].end, end);
    assert_int_equal(found->fixups[i].displacement, displacement);
}

static void branches_inside_and_to_the_end_are_left_alone(void **state)
{
    struct found found;

    (void) state;
    /* jz +3; jmp -4; call +0 (the end) */
    assert_int_equal(FIND(64, &found, 0x74, 0x02, 0xeb, 0xfc, 0xe8, 0, 0, 0, 0), ALTPICK_OK);
    assert_int_equal(found.n, 0);
    /* lea rax, [rip-7]: the instruction itself */
    assert_int_equal(FIND(64, &found, 0x48, 0x8d, 0x05, 0xf9, 0xff, 0xff, 0xff), ALTPICK_OK);
    assert_int_equal(found.n, 0);
}

static void every_kind_of_displacement_is_found(void **state)
{
    struct found found;

    (void) state;
    assert_int_equal(FIND(64, &found, 0xe8, 0x10, 0, 0, 0,                       /* call +16 */
                          0xe9, 0x00, 0x00, 0xff, 0xff,                          /* jmp -65536 */
                          0x0f, 0x84, 0x00, 0x01, 0, 0,                          /* jz +256 */
                          0x72, 0x7f,                                            /* jb +127 */
                          0xeb, 0x80,                                            /* jmp -128 */
                          0xe3, 0x40,                                            /* jrcxz +64 */
                          0x48, 0x81, 0x3d, 0x00, 0x02, 0x00, 0x00, 1, 0, 0, 0), /* cmp, rip+512 */
                     ALTPICK_OK);
    assert_int_equal(found.n, 6);
    assert_fixup(&found, 0, 6, 4, 10, -65536);
    assert_fixup(&found, 1, 12, 4, 16, 256);
    assert_fixup(&found, 2, 17, 1, 18, 127);
    assert_fixup(&found, 3, 19, 1, 20, -128);
    assert_fixup(&found, 4, 21, 1, 22, 64);
    assert_fixup(&found, 5, 25, 4, 33, 512);
}

static void what_32_bit_code_has_no_rip_for_is_an_address(void **state)
{
    struct found found;

    (void) state;
    assert_int_equal(FIND(32, &found, 0x8d, 0x05, 0, 0x10, 0, 0), ALTPICK_OK); /* lea eax, [1000] */
    assert_int_equal(found.n, 0);
    assert_int_equal(FIND(32, &found, 0xe8, 0xfb, 0xff, 0xff, 0xf0), ALTPICK_OK);
    assert_fixup(&found, 0, 1, 4, 5, -0xf000005);
}

static void what_cannot_be_moved_is_refused(void **state)
{
    struct found found = {.n = 77};

    (void) state;
    assert_int_equal(FIND(64, &found, 0x06), ALTPICK_EFORMAT);             /* no instruction */
    assert_int_equal(FIND(64, &found, 0x90, 0xe8, 0, 0), ALTPICK_EFORMAT); /* half of one */
    assert_int_equal(FIND(32, &found, 0x66, 0xe9, 0x00, 0x10), ALTPICK_EFORMAT); /* 16 bits */
    assert_int_equal(found.n, 77);
}

/* Emitted code has no relocation: all of it may be copied anywhere. */
static void no_candidate_of_a_body_needs_a_fixup(void **state)
{
    static const char *const questions[] = {"fpu.init", "kernel-fpu.begin", "refcount"};
    static struct altpick_candidate all[ALTPICK_CANDIDATES_MAX];
    struct found found;

    (void) state;
    for (size_t q = 0; q < sizeof questions / sizeof *questions; q++) {
        const struct altpick_question *question = altpick_question_find(questions[q]);
        size_t n = question->candidates(question, all);

        assert_true(n > 0);
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(altpick_fixups_find(all[i].code, all[i].code_bytes, question->bits,
                                                 found.fixups, &found.n),
                             ALTPICK_OK);
            assert_int_equal(found.n, 0);
        }
    }
}

ALTPICK_TEST_MAIN(cmocka_unit_test(branches_inside_and_to_the_end_are_left_alone),
                  cmocka_unit_test(every_kind_of_displacement_is_found),
                  cmocka_unit_test(what_32_bit_code_has_no_rip_for_is_an_address),
                  cmocka_unit_test(what_cannot_be_moved_is_refused),
                  cmocka_unit_test(no_candidate_of_a_body_needs_a_fixup))
