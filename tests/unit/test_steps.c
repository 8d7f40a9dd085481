/* SPDX-License-Identifier: MIT */
/* Counting instructions by single-stepping: what is counted, and what goes wrong alone. */
#include "steps.h"

#include "looked.h"

static const struct {
    struct altpick_candidate candidate;
    uint32_t instructions;
} forms[] = {
    {{.name = "nop", .code = {0x90}, .code_bytes = 1},                                      1 },
    {{.name = "9 bytes", .code = {0x66, 0x0f, 0x1f, 0x84}, .code_bytes = 9},                1 },
    {{.name = "jmp over", .code = {0xeb, 0x02, 0x90, 0x90, 0x90}, .code_bytes = 5},         2 },
    {{.name = "jmp to the end", .code = {0xeb, 0x02, 0x90, 0x90}, .code_bytes = 4},         1 },
 /* mov ecx, 5; dec ecx; jnz to it */
    {{.name = "loop", .code = {0xb9, 5, 0, 0, 0, 0xff, 0xc9, 0x75, 0xfc}, .code_bytes = 9}, 11},
 /* cmp dword [rdi], 0x10000000; jge over a nop: the counter is in the middle */
    {{.name = "counter",
      .code = {0x81, 0x3f, 0, 0, 0, 0x10, 0x7d, 0x01, 0x90},
      .code_bytes = 9,
      .data = ALTPICK_DATA_COUNTER},
     2                                                                                        },
    {{.name = "push, pop", .code = {0x50, 0x58}, .code_bytes = 2},                          2 },
 /* test eax, eax; jz over a nop: eax is 1 in the usual case */
    {{.name = "eax", .code = {0x85, 0xc0, 0x74, 0x01, 0x90, 0x90}, .code_bytes = 6},        4 },
 /* test ecx, ecx; jz over a nop */
    {{.name = "ecx", .code = {0x85, 0xc9, 0x74, 0x01, 0x90, 0x90}, .code_bytes = 6},        3 },
};

enum { N_FORMS = sizeof forms / sizeof *forms, BEFORE_BAD = 5 };

static size_t candidates(const struct altpick_question *self,
                         struct altpick_candidate ret[ALTPICK_CANDIDATES_MAX])
{
    (void) self;
    for (size_t i = 0; i < N_FORMS; i++)
        ret[i] = forms[i].candidate;
    return N_FORMS;
}

static const struct altpick_question question = {
    .name = "test.steps",
    .bits = 64,
    .conditions = 1u << ALTPICK_WARM,
    .may_change = 1u << ALTPICK_REGISTER_RCX | 1u << ALTPICK_REGISTER_FLAGS,
    .candidates = candidates,
};

static void what_runs_is_counted(void **state)
{
    struct looked looked;
    (void) state;

    looked_begin(&looked, &question);
    altpick_steps_count(&looked.looking);
    for (size_t i = 0; i < N_FORMS; i++) {
        if (looked.hosted.session->state[i] != ALTPICK_CELL_ACTIVE)
            fail_msg("%s: not active", forms[i].candidate.name);
        if (looked.hosted.session->instructions[i] != forms[i].instructions)
            print_error("%s\n", forms[i].candidate.name);
        assert_int_equal(looked.hosted.session->instructions[i], forms[i].instructions);
        assert_int_equal(looked_at(&looked, i).instructions, forms[i].instructions);
    }
    altpick_hosted_session_fini(&looked.hosted);
}

/* UD2 and a jump to itself in place of what was checked: the count ends there, nothing else does.
 */
static void what_goes_wrong_is_not_counted_and_harms_nobody(void **state)
{
    static const uint8_t bad[][2] = {
        {0x0f, 0x0b},
        {0xeb, 0xfe},
    };
    (void) state;

    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct looked looked;

        looked_begin(&looked, &question);
        memcpy(looked.hosted.session->candidates[BEFORE_BAD + 1].code, bad[k], sizeof bad[k]);
        altpick_steps_count(&looked.looking);
        assert_int_equal(looked.hosted.session->instructions[BEFORE_BAD],
                         forms[BEFORE_BAD].instructions);
        assert_int_equal(looked.hosted.session->instructions[BEFORE_BAD + 1], 0);
        assert_int_equal(looked.hosted.session->instructions[BEFORE_BAD + 2], 0);
        assert_int_equal(looked.hosted.session->state[BEFORE_BAD + 1], ALTPICK_CELL_ACTIVE);
        assert_int_equal(looked.hosted.session->running, UINT32_MAX);
        altpick_hosted_session_fini(&looked.hosted);
    }
}

static void only_what_was_checked_and_may_be_timed_is_run(void **state)
{
    struct looked looked;
    (void) state;

    looked_begin(&looked, &question);
    looked.hosted.session->checked[0] = 0;
    looked.hosted.session->state[1] = ALTPICK_CELL_BREACHED;
    altpick_steps_count(&looked.looking);
    assert_int_equal(looked.hosted.session->instructions[0], 0);
    assert_int_equal(looked.hosted.session->instructions[1], 0);
    assert_int_equal(looked.hosted.session->instructions[2], 2);
    altpick_hosted_session_fini(&looked.hosted);
}

ALTPICK_TEST_MAIN(cmocka_unit_test(what_runs_is_counted),
                  cmocka_unit_test(what_goes_wrong_is_not_counted_and_harms_nobody),
                  cmocka_unit_test(only_what_was_checked_and_may_be_timed_is_run))
