/* SPDX-License-Identifier: MIT */
/* What a checked run sees of NOPs and of what only looks like one, and what decoding counts. */
#include "altpick/check.h"
#include "altpick/err.h"
#include "arena.h"
#include "decode_check.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct form {
    const char *name;
    uint8_t code[16];
    uint32_t bytes;
    uint32_t changed;
    size_t instructions;
};

#define BIT(reg) (1u << ALTPICK_REGISTER_##reg)

/* clang-format off */
static const struct form forms[] = {
    {"nop",            {0x90},                         1, 0, 1},
    {"nop of 9",       {0x66, 0x0f, 0x1f, 0x84},       9, 0, 1},
    {"66 66 90 66 90", {0x66, 0x66, 0x90, 0x66, 0x90}, 5, 0, 2},
    {"lea rsi",        {0x48, 0x8d, 0x74, 0x26, 0x00}, 5, 0, 1},
    {"lea esi",        {0x3e, 0x8d, 0x74, 0x26, 0x00}, 5, BIT(RSI), 1},
    {"xchg ax, ax",    {0x66, 0x66, 0x66, 0x87, 0xc0}, 5, 0, 1},
    {"xchg eax, eax",  {0x87, 0xc0},                   2, BIT(RAX), 1},
    {"mov ax, ax",     {0x66, 0x66, 0x66, 0x89, 0xc0}, 5, 0, 1},
    {"mov edi, edi",   {0x8b, 0xff},                   2, BIT(RDI), 1},
    {"fdisi",          {0x66, 0x66, 0x66, 0xdb, 0xe1}, 5, 0, 1},
    {"feni",           {0x66, 0x66, 0x66, 0xdb, 0xe0}, 5, 0, 1},
    {"jmp near",       {0xe9, 0, 0, 0, 0},             5, 0, 1},
    {"jmp over",       {0xeb, 3, 0x90, 0x90, 0x90},    5, 0, 1},
    {"jmp short of it", {0xeb, 2, 0x90, 0x90, 0x90},   5, 0, 4},
    {"jmp, nothing",   {0xeb, 0},                      2, 0, 1},
    {"push, pop",      {0x50, 0x58},                   2, 0, 2},
    {"cld",            {0xfc},                         1, BIT(DF), 1},
    {"sahf",           {0x9e},                         1, BIT(FLAGS), 1},
    {"lahf",           {0x9f},                         1, BIT(RAX), 1},
    {"all general",    {0x0f, 0xa2},                   2, BIT(RAX) | BIT(RCX) | BIT(RDX) | BIT(RBX), 1},
};
/* clang-format on */

enum { N_FORMS = sizeof forms / sizeof *forms };

struct fixture {
    struct altpick_live live;
    struct altpick_timer timer;
    struct altpick_plan plan;
    struct altpick_candidate candidates[N_FORMS];
    struct altpick_session *session;
};

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct altpick_diag diag;
    struct altpick_cpu cpu;

    if (!fixture)
        return -1;
    altpick_cpu_read(&altpick_cpuid_native, &cpu);
    altpick_plan_init(&cpu, false, &fixture->plan);
    if (altpick_arena_init(&fixture->live, altpick_live_arena_bytes(&fixture->plan, 1), &diag) <
            0 ||
        altpick_live_init(&fixture->live, &cpu, &fixture->plan, &fixture->timer) < 0)
        return -1;
    for (size_t i = 0; i < N_FORMS; i++) {
        memcpy(fixture->candidates[i].code, forms[i].code, sizeof forms[i].code);
        fixture->candidates[i].code_bytes = forms[i].bytes;
    }
    fixture->session = calloc(1, altpick_session_bytes(&fixture->plan, N_FORMS));
    if (!fixture->session)
        return -1;
    altpick_session_init(fixture->session, &fixture->plan, fixture->candidates, N_FORMS, 1);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    altpick_arena_fini(&fixture->live);
    free(fixture->session);
    free(fixture);
    return 0;
}

static void a_run_sees_every_change_and_no_other(void **state)
{
    struct fixture *fixture = *state;

    assert_int_equal(
        altpick_check_session(fixture->session, &fixture->live, &fixture->timer, BIT(RSI)),
        ALTPICK_OK);
    for (size_t i = 0; i < N_FORMS; i++) {
        if (fixture->session->changed[i] != forms[i].changed)
            print_error("%s: changed %#x\n", forms[i].name, fixture->session->changed[i]);
        assert_true(fixture->session->checked[i]);
        assert_int_equal(fixture->session->changed[i], forms[i].changed);
        assert_int_equal(fixture->session->state[i], forms[i].changed & ~BIT(RSI)
                                                         ? ALTPICK_CELL_BREACHED
                                                         : ALTPICK_CELL_ACTIVE);
    }
    assert_int_equal(fixture->session->running, UINT32_MAX);
}

static void what_was_looked_at_is_not_run_again(void **state)
{
    struct fixture *fixture = *state;

    for (size_t i = 0; i < N_FORMS; i++)
        fixture->session->checked[i] = true;
    assert_int_equal(altpick_check_session(fixture->session, &fixture->live, &fixture->timer, 0),
                     ALTPICK_OK);
    for (size_t i = 0; i < N_FORMS; i++)
        assert_int_equal(fixture->session->changed[i], 0);
}

static void an_arena_without_room_is_refused(void **state)
{
    struct fixture *fixture = *state;
    struct altpick_live small = fixture->live;

    small.arena_bytes = ALTPICK_LIVE_SLOTS_AT;
    assert_int_equal(altpick_check_session(fixture->session, &small, &fixture->timer, 0),
                     ALTPICK_ENOSPACE);
}

static void decoding_counts_what_runs(void **state)
{
    static const uint8_t cut[] = {0x0f, 0x1f, 0x84}, bad[] = {0x90, 0x06};
    static const uint8_t lea_16[] = {0x8d, 0x74, 0x00};
    (void) state;

    for (size_t i = 0; i < N_FORMS; i++)
        assert_int_equal(altpick_decode_count(64, forms[i].code, forms[i].bytes),
                         forms[i].instructions);
    assert_int_equal(altpick_decode_count(64, cut, sizeof cut), 0);
    assert_int_equal(altpick_decode_count(64, bad, sizeof bad), 0);
    assert_int_equal(altpick_decode_count(32, bad, sizeof bad), 2); /* nop; push es */
    assert_int_equal(altpick_decode_count(16, lea_16, sizeof lea_16), 1);
}

/* Questions map memory before the arena, which may then fail. */
static void memory_without_an_arena_is_unmapped_too(void **state)
{
    struct altpick_xstate xstate = {0};
    struct altpick_live live = {.xstate = &xstate};
    struct altpick_diag diag;
    uint8_t *data;
    (void) state;

    assert_int_equal(altpick_arena_data(&live, &diag), 0);
    data = live.data;
    altpick_arena_fini(&live);
    assert_null(live.data);
    assert_int_equal(msync(data, 1, MS_ASYNC), -1);
    altpick_arena_fini(&live);
}

static void changes_have_words(void **state)
{
    char text[160], little[12];
    (void) state;

    altpick_check_text(0, text, sizeof text);
    assert_string_equal(text, "");
    altpick_check_text(BIT(RBP) | BIT(R15) | BIT(MXCSR) | BIT(DF), text, sizeof text);
    assert_string_equal(text, "clobbered rbp, r15, changed DF, MXCSR");
    altpick_check_text(UINT32_MAX, text, sizeof text);
    assert_non_null(strstr(text, "x87 control word"));
    altpick_check_text(UINT32_MAX, little, sizeof little);
    assert_int_equal(strlen(little), sizeof little - 1);
}

#define WITH_ARENA(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

ALTPICK_TEST_MAIN(WITH_ARENA(a_run_sees_every_change_and_no_other),
                  WITH_ARENA(what_was_looked_at_is_not_run_again),
                  WITH_ARENA(an_arena_without_room_is_refused),
                  cmocka_unit_test(memory_without_an_arena_is_unmapped_too),
                  cmocka_unit_test(decoding_counts_what_runs), cmocka_unit_test(changes_have_words))
