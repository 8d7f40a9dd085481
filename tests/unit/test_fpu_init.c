/* SPDX-License-Identifier: MIT */
/* The code of fpu.init's candidates, and what is decided and derived of figures made up for it. */
#include "disassemble.h"
#include "inputs.h"
#include "state_sample.h"

enum { RED_ZONE = 128 };

static struct state_sample s;

static int set_up(void **state)
{
    (void) state;
    sample_init(&s, "fpu.init");
    return 0;
}

static void list_mxcsr(struct listing *listing, bool on_stack)
{
    if (!on_stack) {
        list(listing, "ldmxcsr [rdi]", 0);
        return;
    }
    list(listing, "lea rsp, [rsp-0x80]", 0);
    list(listing, "push 0x1F80", 0);
    list(listing, "ldmxcsr [rsp]", 0);
    list(listing, "lea rsp, [rsp+0x88]", 0);
}

static void list_range(struct listing *listing, const char *format, unsigned first, unsigned end)
{
    for (unsigned i = first; i < end; i++)
        list(listing, format, i);
}

static void register_clearing_is_what_its_names_say(void **state)
{
    static const char *const reach[] = {"2002", "16", "avx", "avx512", "tile"};
    static const char *const where[] = {"mem", "stack"};
    (void) state;

    for (unsigned r = 0; r < 5; r++) {
        for (unsigned on_stack = 0; on_stack < 2; on_stack++) {
            struct listing expected = {.n = 0};
            char name[ALTPICK_NAME_MAX];

            list(&expected, "fninit", 0);
            list_range(&expected, "pxor mm%, mm%", 0, 8);
            list_range(&expected, "xorps xmm%, xmm%", 0, r == 0 ? 8 : r == 1 ? 16 : 0);
            list(&expected, "emms", 0);
            if (r >= 2)
                list(&expected, "vzeroall", 0);
            if (r >= 3) {
                list_range(&expected, "vpxord xmm%, xmm%, xmm%", 16, 32);
                list_range(&expected, "kxorw k%, k%, k%", 0, 8);
            }
            if (r >= 4)
                list(&expected, "tilerelease", 0);
            list_mxcsr(&expected, on_stack);
            snprintf(name, sizeof name, "clear-%s-%s", reach[r], where[on_stack]);
            assert_listing(&sample_find(&s, name)->candidate, &expected);
        }
    }
}

static void restores_are_one_instruction_and_its_mask(void **state)
{
    static const struct listing legacy = {
        {"mov eax, 0x3", "xor edx, edx", "xrstor64 [rdi]"},
        3
    };
    static const struct listing fx = {{"fxrstor64 [rdi]"}, 1};
    static const struct listing all = {
        {"mov eax, 0xFFFFFDFF", "or edx, 0xFFFFFFFF", "xrstor64 [rdi]"},
        3
    };
    (void) state;

    assert_listing(&sample_find(&s, "xrstor-all")->candidate, &all);
    assert_listing(&sample_find(&s, "xrstor-x87-sse")->candidate, &legacy);
    assert_listing(&sample_find(&s, "fxrstor")->candidate, &fx);
}

/* Jumps land on the fallback, at 0x17, and behind the last byte. */
static void the_choice_at_run_time_ends_where_its_code_ends(void **state)
{
    static const struct listing expected = {
        {"fninit", "fild [rdi+0x18]", "test eax, eax", "jz 0x17", "mov eax, 0xFFFFFDFF",
         "or edx, 0xFFFFFFFF", "xrstor64 [rdi]", "jmp 0x1B", "fxrstor64 [rdi]"},
        9
    };
    const struct altpick_candidate *dispatch = &sample_find(&s, "dispatch")->candidate;
    (void) state;

    assert_listing(dispatch, &expected);
    assert_int_equal(dispatch->code_bytes, 0x1b);
    assert_memory_equal(dispatch->code + 0x17, "\x48\x0f\xae\x0f", 4);
}

static bool may_write(ZydisRegister reg)
{
    ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);

    switch (ZydisRegisterGetClass(reg)) {
    case ZYDIS_REGCLASS_GPR32:
    case ZYDIS_REGCLASS_GPR64:
        return whole == ZYDIS_REGISTER_RAX || whole == ZYDIS_REGISTER_RDX ||
               whole == ZYDIS_REGISTER_RSP;
    case ZYDIS_REGCLASS_SEGMENT:
        return false;
    default:
        return true; /* flags, x87, MMX, vectors, masks, MXCSR, rip */
    }
}

/* Follow rsp; whatever is written lies below the red zone, and rsp ends where it began. */
static void assert_harmless(const struct altpick_candidate *candidate)
{
    int64_t rsp = 0;

    for (size_t at = 0; at < candidate->code_bytes;) {
        struct instruction i = decode_at(candidate, at, true);

        if (i.in.mnemonic == ZYDIS_MNEMONIC_LEA)
            rsp += i.operand[1].mem.disp.value;
        if (i.in.mnemonic == ZYDIS_MNEMONIC_PUSH)
            rsp -= 8;
        for (unsigned k = 0; k < i.in.operand_count; k++) {
            const ZydisDecodedOperand *operand = &i.operand[k];

            if (!(operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
                continue;
            if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER)
                assert_true(may_write(operand->reg.value));
            if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY)
                assert_true(rsp + 8 <= -RED_ZONE);
        }
        at += i.in.length;
    }
    assert_int_equal(rsp, 0);
}

static void nothing_but_what_the_question_allows_is_written(void **state)
{
    (void) state;
    for (size_t i = 0; i < s.result.n_candidates; i++)
        assert_harmless(&s.candidates[i].candidate);
}

#define ERA (BIT(ALTPICK_COMPONENT_X87) | BIT(ALTPICK_COMPONENT_XMM))
#define AVX512                                                                                     \
    (ERA | BIT(ALTPICK_COMPONENT_YMM) | BIT(ALTPICK_COMPONENT_OPMASK) |                            \
     BIT(ALTPICK_COMPONENT_ZMM) | BIT(ALTPICK_COMPONENT_HI16_ZMM))

static void contradict(const char *stem, unsigned guarantee)
{
    static const char *const where[] = {"-stack", "-mem", ""};

    for (unsigned k = 0; k < 3; k++) {
        char name[ALTPICK_NAME_MAX];

        snprintf(name, sizeof name, "%s%s", stem, where[k]);
        for (size_t i = 0; i < s.result.n_candidates; i++) {
            if (strcmp(s.candidates[i].candidate.name, name) == 0)
                s.candidates[i].guarantee[guarantee] = ALTPICK_GUARANTEE_IS_CONTRADICTED;
        }
    }
}

/* A machine with AVX-512, as looks find it, and figures for all that runs there. */
static void set_avx512_machine(void)
{
    static const struct {
        const char *name;
        uint32_t warm, cold;
    } figures[] = {
        {"dispatch",           424, 1624},
        {"xrstor-all",         422, 1581},
        {"xrstor-x87-sse",     382, 1558},
        {"fxrstor",            199, 1598},
        {"clear-2002-stack",   50,  300 },
        {"clear-2002-mem",     50,  500 },
        {"clear-16-stack",     60,  400 },
        {"clear-16-mem",       60,  600 },
        {"clear-avx-stack",    70,  450 },
        {"clear-avx-mem",      70,  650 },
        {"clear-avx512-stack", 109, 593 },
        {"clear-avx512-mem",   107, 1115},
    };
    static const char *const keep_ymm[] = {"xrstor-x87-sse", "fxrstor", "clear-2002", "clear-16"};

    s.result.components = AVX512;
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        sample_cost(&s, figures[i].name, ALTPICK_WARM, figures[i].warm * 1000);
        sample_cost(&s, figures[i].name, ALTPICK_COLD_BOTH, figures[i].cold * 1000);
    }
    for (size_t i = 0; i < 4; i++) {
        contradict(keep_ymm[i], ALTPICK_GUARANTEE_NO_LEAK_YMM);
        contradict(keep_ymm[i], ALTPICK_GUARANTEE_NO_LEAK_ZMM);
        contradict(keep_ymm[i], ALTPICK_GUARANTEE_NO_LEAK_OPMASK);
        contradict(keep_ymm[i], ALTPICK_GUARANTEE_NO_LEAK_HI16_ZMM);
    }
    contradict("clear-2002", ALTPICK_GUARANTEE_NO_LEAK_XMM);
    contradict("clear-avx", ALTPICK_GUARANTEE_NO_LEAK_OPMASK);
    contradict("clear-avx", ALTPICK_GUARANTEE_NO_LEAK_HI16_ZMM);
    sample_find(&s, "fxrstor")->guarantee[ALTPICK_GUARANTEE_NO_LEAK_X87_POINTERS] =
        ALTPICK_GUARANTEE_IS_CHECKED;
    sample_find(&s, "clear-tile-stack")->status = ALTPICK_STATUS_UNSUPPORTED;
    sample_find(&s, "clear-tile-mem")->status = ALTPICK_STATUS_UNSUPPORTED;
    /* No restore declares to clear them on all CPUs; here it was seen to. */
    sample_find(&s, "xrstor-all")->guarantee[ALTPICK_GUARANTEE_NO_LEAK_X87_POINTERS] =
        ALTPICK_GUARANTEE_IS_CHECKED;
}

static void for_any_cpu_only_the_choice_at_run_time_is_eligible(void **state)
{
    (void) state;
    set_avx512_machine();
    s.policy.target = ALTPICK_TARGET_ANY_X86_64;
    assert_winner(&s, "fpu.init.body", "dispatch", ALTPICK_VERDICT_ONLY_ELIGIBLE);
    assert_winner(&s, "fpu.init.warm", "dispatch", ALTPICK_VERDICT_ONLY_ELIGIBLE);
    assert_non_null(why_out(&s, "fpu.init.body", "xrstor-all"));
}

/* clear-2002-stack costs half as much, cold and warm, and leaks. */
/* The header of one machine goes to all that are listed: what it clears may be too little there. */
static void for_several_machines_only_the_choice_at_run_time_is_eligible(void **state)
{
    struct altpick_machine machines[2] = {{.name = "a"}, {.name = "b"}};
    struct altpick_profile profile = {.machines = machines, .n_machines = 1};
    struct altpick_inputs inputs = {.profiles = &profile, .n_profiles = 1};
    (void) state;

    set_avx512_machine();
    s.policy.target = ALTPICK_TARGET_LISTED;
    altpick_inputs_target(&inputs, &s.policy);
    assert_winner(&s, "fpu.init.body", "clear-avx512-stack", ALTPICK_VERDICT_CLEAR);
    profile.n_machines = 2;
    altpick_inputs_target(&inputs, &s.policy);
    assert_winner(&s, "fpu.init.body", "dispatch", ALTPICK_VERDICT_ONLY_ELIGIBLE);
    s.policy.target = ALTPICK_TARGET_THIS_CPU;
    altpick_inputs_target(&inputs, &s.policy);
    assert_winner(&s, "fpu.init.body", "clear-avx512-stack", ALTPICK_VERDICT_CLEAR);
}

static void a_missing_guarantee_is_never_bought_back_by_speed(void **state)
{
    (void) state;
    set_avx512_machine();
    assert_winner(&s, "fpu.init.body", "clear-avx512-stack", ALTPICK_VERDICT_CLEAR);
    assert_string_equal(why_out(&s, "fpu.init.body", "clear-2002-stack"), "lacks no-leak:xmm");
    assert_string_equal(why_out(&s, "fpu.init.body", "clear-avx-stack"), "lacks no-leak:opmask");
    sample_cost(&s, "clear-avx-stack", ALTPICK_COLD_BOTH, 1);
    assert_winner(&s, "fpu.init.body", "clear-avx512-stack", ALTPICK_VERDICT_CLEAR);
}

/* Nor by a pin. */
static void a_pin_on_what_leaks_is_refused(void **state)
{
    (void) state;
    set_avx512_machine();
    strcpy(s.policy.pins[0].item, "fpu.init.body");
    strcpy(s.policy.pins[0].candidate, "clear-16-stack");
    s.policy.n_pins = 1;
    assert_winner(&s, "fpu.init.body", "clear-avx512-stack", ALTPICK_VERDICT_CLEAR);
}

static void what_tasks_cannot_own_need_not_be_cleared(void **state)
{
    (void) state;
    set_avx512_machine();
    s.policy.components = ERA;
    assert_winner(&s, "fpu.init.body", "clear-16-stack", ALTPICK_VERDICT_CLEAR);
    assert_null(why_out(&s, "fpu.init.body", "clear-16-mem"));
    assert_null(why_out(&s, "fpu.init.body", "fxrstor"));
    assert_string_equal(why_out(&s, "fpu.init.body", "clear-2002-stack"), "lacks no-leak:xmm");
}

/* What the machine does not require by itself counts when the policy does, as with --require. */
static void what_the_policy_requires_is_not_exempt(void **state)
{
    (void) state;
    set_avx512_machine();
    strcpy(s.policy.requires[0].question, "fpu.init");
    s.policy.requires[0].guarantee = ALTPICK_GUARANTEE_INIT_XMM;
    s.policy.n_requires = 1;
    assert_winner(&s, "fpu.init.body", "xrstor-all", ALTPICK_VERDICT_TIE);
    assert_string_equal(why_out(&s, "fpu.init.body", "clear-avx512-stack"), "lacks exact-init:xmm");

    s.policy.requires[0].guarantee = ALTPICK_GUARANTEE_NO_LEAK_YMM;
    s.policy.components = ERA;
    sample_decide(&s, "fpu.init.body");
    assert_string_equal(why_out(&s, "fpu.init.body", "clear-16-stack"), "lacks no-leak:ymm");
    assert_null(why_out(&s, "fpu.init.body", "clear-avx-stack"));
}

/* A later CPU has state that register clearing knows nothing of. */
static void what_has_no_name_is_left_to_a_restore_of_everything(void **state)
{
    (void) state;
    set_avx512_machine();
    s.result.components |= BIT(ALTPICK_COMPONENT_OTHER);
    assert_winner(&s, "fpu.init.body", "xrstor-all", ALTPICK_VERDICT_TIE);
    assert_non_null(why_out(&s, "fpu.init.body", "clear-avx512-stack"));
    assert_null(why_out(&s, "fpu.init.body", "dispatch"));
    s.policy.components = AVX512;
    assert_winner(&s, "fpu.init.body", "clear-avx512-stack", ALTPICK_VERDICT_CLEAR);
}

/* Exact control words are required whatever the policy says of components. */
static void naming_components_that_are_not_here_gives_up_no_control_word(void **state)
{
    (void) state;
    set_avx512_machine();
    contradict("clear-16", ALTPICK_GUARANTEE_INIT_MXCSR);
    contradict("clear-2002", ALTPICK_GUARANTEE_INIT_X87_CONTROL);
    s.policy.components = BIT(ALTPICK_COMPONENT_TILE);
    sample_decide(&s, "fpu.init.body");
    assert_string_equal(why_out(&s, "fpu.init.body", "clear-16-stack"), "lacks exact-init:mxcsr");
    assert_string_equal(why_out(&s, "fpu.init.body", "clear-2002-stack"),
                        "lacks exact-init:x87-control");
}

/* Where calls are warm, MXCSR from memory costs nothing: within the margin the earlier is kept. */
static void the_weights_choose_the_state_that_counts(void **state)
{
    (void) state;
    set_avx512_machine();
    assert_winner(&s, "fpu.init.warm", "clear-avx512-stack", ALTPICK_VERDICT_CLEAR);
    sample_cost(&s, "xrstor-all", ALTPICK_WARM, 90000);
    assert_winner(&s, "fpu.init.warm", "xrstor-all", ALTPICK_VERDICT_CLEAR);
    assert_winner(&s, "fpu.init.body", "clear-avx512-stack", ALTPICK_VERDICT_CLEAR);
}

/* Published figures of a processor that has eight XMM registers: there, clearing eight is all. */
static void a_machine_of_2002_clears_registers_as_its_kernel_did(void **state)
{
    static const char *const known[] = {"fxrstor", "clear-2002-stack", "clear-2002-mem"};
    static const uint32_t cycles[] = {900, 600, 800};
    (void) state;

    s.result.batches = 0;
    for (size_t i = 0; i < 3; i++) {
        sample_cost(&s, known[i], ALTPICK_COLD_BOTH, cycles[i] * 1000);
        sample_find(&s, known[i])->cost[ALTPICK_COLD_BOTH].status = ALTPICK_STATUS_PUBLISHED;
        sample_find(&s, known[i])->status = ALTPICK_STATUS_PUBLISHED;
    }
    s.result.condition[ALTPICK_COLD_BOTH].status = ALTPICK_STATUS_PUBLISHED;
    sample_find(&s, "xrstor-all")->status = ALTPICK_STATUS_UNSUPPORTED;
    sample_find(&s, "xrstor-x87-sse")->status = ALTPICK_STATUS_UNSUPPORTED;
    for (size_t i = 1; i < 3; i++)
        sample_find(&s, known[i])->guarantee[ALTPICK_GUARANTEE_NO_LEAK_XMM] =
            ALTPICK_GUARANTEE_IS_DECLARED;
    assert_winner(&s, "fpu.init.body", "clear-2002-stack", ALTPICK_VERDICT_CLEAR);
    sample_cost(&s, "clear-2002-mem", ALTPICK_COLD_BOTH, 300000);
    assert_winner(&s, "fpu.init.body", "clear-2002-mem", ALTPICK_VERDICT_CLEAR);
    assert_string_equal(why_out(&s, "fpu.init.body", "fxrstor"), "lacks no-leak:x87-pointers");
}

static void with_sixteen_registers_clearing_eight_is_not_enough(void **state)
{
    (void) state;
    sample_decide(&s, "fpu.init.body");
    assert_string_equal(why_out(&s, "fpu.init.body", "clear-2002-stack"), "lacks no-leak:xmm");
}

/* Warm, xrstor-all gains 40 cycles; cold, clear-avx512-stack 400: from 40 / 440 on. */
static void the_break_even_share_is_exact(void **state)
{
    const struct altpick_cell *cell;
    (void) state;

    set_avx512_machine();
    sample_cost(&s, "xrstor-all", ALTPICK_WARM, 60000);
    sample_cost(&s, "xrstor-all", ALTPICK_COLD_BOTH, 1000000);
    sample_cost(&s, "clear-avx512-stack", ALTPICK_WARM, 100000);
    sample_cost(&s, "clear-avx512-stack", ALTPICK_COLD_BOTH, 600000);
    cell = cell_at(sample_derive(&s, 1), "all cold", 1);
    assert_int_equal(cell->unit, ALTPICK_UNIT_PERCENT);
    assert_int_equal(cell->value, 9090909);
    assert_int_equal(cell->low, 8450704);  /* 38.4 / (38.4 + 416.0) */
    assert_int_equal(cell->high, 9774436); /* 41.6 / (41.6 + 384.0) */
    assert_string_equal(cell_at(&s.derived, "all warm", 0)->text, "xrstor-all");
    assert_string_equal(cell_at(&s.derived, "all cold", 0)->text, "clear-avx512-stack");
}

static void one_that_is_cheapest_in_both_has_no_break_even_share(void **state)
{
    (void) state;
    set_avx512_machine();
    sample_cost(&s, "clear-avx512-stack", ALTPICK_WARM, 100000);
    assert_int_equal(cell_at(sample_derive(&s, 1), "all cold", 1)->unit, ALTPICK_UNIT_NONE);
    assert_string_equal(cell_at(&s.derived, "all warm", 0)->text, "clear-avx512-stack");
    assert_non_null(strstr(s.derived.note, "the same one"));
    /* Without figures there is nothing to compare. */
    sample_init(&s, "fpu.init");
    assert_int_equal(sample_derive(&s, 1)->n_rows, 0);
    assert_false(altpick_derive_find(s.question->name)(&s.decisions, 2, &s.derived));
}

/* The save that follows is charged to what left state in use. */
static void the_next_save_is_added_up(void **state)
{
    (void) state;
    set_avx512_machine();
    sample_cost(&s, "clear-avx512-stack", ALTPICK_NEXT_SAVE, 146000);
    assert_int_equal(cell_at(sample_derive(&s, 0), "clear-avx512-stack", 0)->value, 181);
    assert_int_equal(cell_at(&s.derived, "dispatch", 1)->value, 576);
    assert_int_equal(cell_at(&s.derived, "clear-avx512-mem", 1)->value, 4);
    assert_int_equal(cell_at(&s.derived, "clear-avx512-stack", 3)->value, (109 + 146) * MICRO);
    assert_int_equal(cell_at(&s.derived, "clear-avx512-stack", 4)->value, (593 + 146) * MICRO);
    assert_int_equal(cell_at(&s.derived, "dispatch", 3)->unit, ALTPICK_UNIT_NONE);
}

#define TEST(test) cmocka_unit_test_setup(test, set_up)

ALTPICK_TEST_MAIN(
    TEST(register_clearing_is_what_its_names_say), TEST(restores_are_one_instruction_and_its_mask),
    TEST(the_choice_at_run_time_ends_where_its_code_ends),
    TEST(nothing_but_what_the_question_allows_is_written),
    TEST(for_any_cpu_only_the_choice_at_run_time_is_eligible),
    TEST(for_several_machines_only_the_choice_at_run_time_is_eligible),
    TEST(a_missing_guarantee_is_never_bought_back_by_speed), TEST(a_pin_on_what_leaks_is_refused),
    TEST(what_tasks_cannot_own_need_not_be_cleared), TEST(what_the_policy_requires_is_not_exempt),
    TEST(what_has_no_name_is_left_to_a_restore_of_everything),
    TEST(naming_components_that_are_not_here_gives_up_no_control_word),
    TEST(the_weights_choose_the_state_that_counts),
    TEST(with_sixteen_registers_clearing_eight_is_not_enough),
    TEST(a_machine_of_2002_clears_registers_as_its_kernel_did), TEST(the_break_even_share_is_exact),
    TEST(one_that_is_cheapest_in_both_has_no_break_even_share), TEST(the_next_save_is_added_up))
