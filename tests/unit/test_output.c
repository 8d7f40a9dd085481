/* SPDX-License-Identifier: MIT */
/* From synthetic decisions to the output that generators print. */
#include "altpick/err.h"
#include "altpick/output.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

/* Gaps that have a contest beyond the 15 lengths. */
static const uint32_t grid[] = {16, 20, 24, 28, 32, 40, 48, 56, 64};

/* Decisions that all keep entry 0; entry 1 is there to win when a test says so. */
struct fixture {
    struct altpick_decisions decisions;
    struct altpick_measurement kept[ALTPICK_ITEMS_MAX], other[ALTPICK_ITEMS_MAX];
    struct altpick_machine machine;
    struct altpick_policy policy;
    struct altpick_output output;
};

static struct fixture fixture;

static struct altpick_decision *add(const char *suffix, const char *kept, const char *other)
{
    struct altpick_decision *d = &fixture.decisions.decision[fixture.decisions.n_decisions++];

    *d = (struct altpick_decision){.verdict = ALTPICK_VERDICT_TIE, .rival = 1};
    snprintf(d->contest.item, sizeof d->contest.item, "nop.fill.64.%s", suffix);
    snprintf(d->contest.entries[0].name, ALTPICK_NAME_MAX, "%s", kept);
    snprintf(d->contest.entries[1].name, ALTPICK_NAME_MAX, "%s", other);
    d->contest.n_entries = 2;
    return d;
}

/* Entry 0: @kept.  Entry 1: single-byte NOPs. */
static void add_code(uint32_t bytes, const uint8_t *kept)
{
    size_t at = fixture.decisions.n_decisions;
    char suffix[12];
    struct altpick_decision *d;

    snprintf(suffix, sizeof suffix, "%u", (unsigned) bytes);
    d = add(suffix, "kept", "other");
    d->contest.entries[0].measurement = &fixture.kept[at];
    d->contest.entries[1].measurement = &fixture.other[at];
    fixture.kept[at].candidate.code_bytes = bytes;
    memcpy(fixture.kept[at].candidate.code, kept, bytes);
    fixture.other[at].candidate.code_bytes = bytes;
    memset(fixture.other[at].candidate.code, 0x90, bytes);
}

static int prepare(void **state)
{
    struct altpick_output defaults;
    uint8_t ones[ALTPICK_CODE_MAX];
    (void) state;

    memset(&fixture, 0, sizeof fixture);
    memset(ones, 0x90, sizeof ones);
    altpick_output_default(0, &defaults);
    for (uint32_t bytes = 1; bytes <= ALTPICK_NOP_BYTES_MAX; bytes++)
        add_code(bytes, defaults.nop64.nop[bytes].code);
    add("prefix-limit", "2", "3");
    add("longest", "10", "15");
    for (size_t i = 0; i < sizeof grid / sizeof *grid; i++)
        add_code(grid[i], ones);
    add("jump-from", "never", "48");
    return 0;
}

static int build(void)
{
    const struct altpick_output_decisions decisions = {.nop_fill_64 = &fixture.decisions};

    return altpick_output_build(&fixture.machine, &fixture.policy, &decisions, &fixture.output);
}

static struct altpick_decision *item(const char *suffix)
{
    for (size_t i = 0; i < fixture.decisions.n_decisions; i++) {
        if (!strcmp(fixture.decisions.decision[i].contest.item + strlen("nop.fill.64."), suffix))
            return &fixture.decisions.decision[i];
    }
    fail_msg("no item %s", suffix);
    return NULL;
}

static void displace(struct altpick_decision *d)
{
    d->winner = 1;
    d->displaced = true;
    d->verdict = ALTPICK_VERDICT_CLEAR;
}

static struct altpick_candidate *other_code(const struct altpick_decision *d)
{
    return &fixture.other[d - fixture.decisions.decision].candidate;
}

static void ties_give_the_preferred_forms(void **state)
{
    struct altpick_output defaults;
    (void) state;

    altpick_output_default(0, &defaults);
    fixture.policy.target = ALTPICK_TARGET_THIS_CPU;
    assert_int_equal(build(), ALTPICK_OK);
    assert_ptr_equal(fixture.output.machine, &fixture.machine);
    assert_int_equal(fixture.output.target, ALTPICK_TARGET_THIS_CPU);
    for (size_t n = 1; n <= ALTPICK_NOP_BYTES_MAX; n++) {
        assert_int_equal(fixture.output.nop64.nop[n].bytes, n);
        assert_memory_equal(fixture.output.nop64.nop[n].code, defaults.nop64.nop[n].code, n);
        assert_string_equal(fixture.output.nop64.nop[n].remark, "kept");
    }
    assert_int_equal(fixture.output.nop64.longest_nop_bytes, 10);
    assert_int_equal(fixture.output.nop64.prefix_limit, 2);
    assert_int_equal(fixture.output.nop64.jump_from_bytes, 0);
    assert_int_equal(fixture.output.nop64.n_gaps, 0);
}

static void a_displaced_form_is_shipped_as_clear(void **state)
{
    (void) state;
    displace(item("5"));
    displace(item("longest"));
    displace(item("jump-from"));
    assert_int_equal(build(), ALTPICK_OK);
    assert_memory_equal(fixture.output.nop64.nop[5].code, "\x90\x90\x90\x90\x90", 5);
    assert_string_equal(fixture.output.nop64.nop[5].remark, "clear");
    assert_int_equal(fixture.output.nop64.longest_nop_bytes, 15);
    assert_string_equal(fixture.output.nop64.longest_remark, "clear");
    assert_int_equal(fixture.output.nop64.jump_from_bytes, 48);
    assert_string_equal(fixture.output.nop64.jump_remark, "clear");
}

static void every_verdict_that_keeps_reads_the_same(void **state)
{
    static const enum altpick_verdict keeping[] = {ALTPICK_VERDICT_TIE, ALTPICK_VERDICT_UNDECIDED,
                                                   ALTPICK_VERDICT_UNMEASURED,
                                                   ALTPICK_VERDICT_VETOED, ALTPICK_VERDICT_CLEAR};
    (void) state;

    for (size_t i = 0; i < sizeof keeping / sizeof *keeping; i++) {
        item("7")->verdict = keeping[i];
        assert_int_equal(build(), ALTPICK_OK);
        assert_string_equal(fixture.output.nop64.nop[7].remark, "kept");
    }
}

static void pins_and_lone_candidates_are_named(void **state)
{
    (void) state;
    item("7")->verdict = ALTPICK_VERDICT_PINNED;
    item("prefix-limit")->verdict = ALTPICK_VERDICT_ONLY_ELIGIBLE;
    assert_int_equal(build(), ALTPICK_OK);
    assert_string_equal(fixture.output.nop64.nop[7].remark, "pinned");
    assert_string_equal(fixture.output.nop64.prefix_remark, "only-eligible");
}

static void a_gap_is_overridden_only_when_displaced(void **state)
{
    (void) state;
    item("32")->winner = 1;
    displace(item("40"));
    assert_int_equal(build(), ALTPICK_OK);
    assert_int_equal(fixture.output.nop64.n_gaps, 1);
    assert_int_equal(fixture.output.nop64.gap[0].bytes, 40);
    assert_string_equal(fixture.output.nop64.gap[0].remark, "clear");
}

static void a_jump_that_wins_a_gap_is_left_to_the_threshold(void **state)
{
    struct altpick_decision *d = item("64");
    (void) state;

    displace(d);
    other_code(d)->code[0] = 0xeb;
    other_code(d)->code[1] = 62;
    assert_int_equal(build(), ALTPICK_OK);
    assert_int_equal(fixture.output.nop64.n_gaps, 0);

    d->displaced = false;
    d->verdict = ALTPICK_VERDICT_PINNED;
    assert_int_equal(build(), ALTPICK_OK);
    assert_int_equal(fixture.output.nop64.n_gaps, 1);
    assert_string_equal(fixture.output.nop64.gap[0].remark, "pinned");
}

static void a_missing_length_or_number_is_refused_and_nothing_is_written(void **state)
{
    size_t n = fixture.decisions.n_decisions;
    (void) state;

    for (size_t i = 0; i < n; i++) {
        struct altpick_decision *d = &fixture.decisions.decision[i];
        const struct altpick_measurement *m = d->contest.entries[d->winner].measurement;
        char first = d->contest.item[0];

        if (m && m->candidate.code_bytes > ALTPICK_NOP_BYTES_MAX)
            continue; /* without its contest a gap is split evenly like any other */
        d->contest.item[0] = 'x';
        fixture.output.nop64.n_gaps = 77;
        assert_int_equal(build(), ALTPICK_ENOFIT);
        assert_int_equal(fixture.output.nop64.n_gaps, 77);
        d->contest.item[0] = first;
    }
    fixture.decisions.n_decisions = 0;
    assert_int_equal(build(), ALTPICK_ENOFIT);
}

static void a_winner_that_does_not_exist_is_refused(void **state)
{
    (void) state;
    item("3")->winner = ALTPICK_NO_ENTRY;
    assert_int_equal(build(), ALTPICK_ENOFIT);
    item("3")->winner = 2;
    assert_int_equal(build(), ALTPICK_ENOFIT);
    item("3")->winner = 0;
    item("3")->contest.entries[0].measurement = NULL;
    assert_int_equal(build(), ALTPICK_ENOFIT);
}

static void a_number_out_of_range_is_refused(void **state)
{
    static const char *const wrong[] = {"", "0", "16", "-1", "1x", "99999999999999999999", "never"};
    (void) state;

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snprintf(item("longest")->contest.entries[0].name, ALTPICK_NAME_MAX, "%s", wrong[i]);
        assert_int_equal(build(), ALTPICK_ENOFIT);
    }
}

static void code_of_another_length_is_refused(void **state)
{
    (void) state;
    displace(item("6"));
    other_code(item("6"))->code_bytes = 5;
    assert_int_equal(build(), ALTPICK_ENOFIT);
}

static void code_that_is_no_padding_is_refused(void **state)
{
    static const uint8_t wrong[][6] = {
        {0xf3, 0x90, 0x90, 0x90, 0x90, 0x90}, /* pause */
        {0x90, 0x90, 0x90, 0x90, 0x90, 0xc3}, /* ret */
        {0x0f, 0x1f, 0x44, 0x00, 0x00, 0x66}, /* a prefix hangs over the end */
        {0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00}, /* cut short */
        {0xeb, 0x05, 0x90, 0x90, 0x90, 0x90}, /* jumps too far */
        {0x8d, 0x76, 0x00, 0x90, 0x90, 0x90}, /* lea 0(%rsi),%esi clears the upper half */
    };
    (void) state;

    displace(item("6"));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        memcpy(other_code(item("6"))->code, wrong[i], 6);
        assert_int_equal(build(), ALTPICK_ENOFIT);
    }
}

static void names_of_forms_do_not_matter(void **state)
{
    struct altpick_output before;
    (void) state;

    displace(item("5"));
    assert_int_equal(build(), ALTPICK_OK);
    before = fixture.output;
    for (size_t i = 0; i < ALTPICK_NOP_BYTES_MAX; i++) {
        strcpy(fixture.decisions.decision[i].contest.entries[0].name, "permuted");
        strcpy(fixture.kept[i].candidate.name, "permuted");
        strcpy(fixture.other[i].candidate.name, "too");
    }
    assert_int_equal(build(), ALTPICK_OK);
    assert_memory_equal(&before, &fixture.output, sizeof before);
}

static void the_default_fills_every_length_with_two_prefixes_at_most(void **state)
{
    struct altpick_output output;
    (void) state;

    altpick_output_default(0, &output);
    assert_null(output.machine);
    for (uint32_t n = 1; n <= ALTPICK_NOP_BYTES_MAX; n++) {
        uint32_t at = 0, instructions = 0;
        struct altpick_nop nop;

        for (; at < n; at += nop.bytes, instructions++) {
            assert_int_not_equal(altpick_nop_decode(output.nop64.nop[n].code + at, n - at, &nop),
                                 0);
            assert_true(nop.prefixes <= output.nop64.prefix_limit);
        }
        assert_int_equal(output.nop64.nop[n].bytes, n);
        assert_int_equal(instructions, n > output.nop64.longest_nop_bytes ? 2 : 1);
    }
}

/* The same decisions, as those of another question. */
static struct altpick_decisions *asked_as(const char *question, size_t n)
{
    static struct altpick_decisions decisions;
    char suffix[ALTPICK_NAME_MAX];

    decisions = fixture.decisions;
    decisions.n_decisions = n;
    for (size_t i = 0; i < n; i++) {
        char *name = decisions.decision[i].contest.item;

        snprintf(suffix, sizeof suffix, "%s", name + strlen("nop.fill.64."));
        snprintf(name, sizeof decisions.decision[i].contest.item, "%s.%s", question, suffix);
    }
    return &decisions;
}

static int build_of(const struct altpick_output_decisions *decisions)
{
    return altpick_output_build(&fixture.machine, &fixture.policy, decisions, &fixture.output);
}

static void a_question_that_was_not_asked_gives_the_recommended_forms(void **state)
{
    struct altpick_output defaults;
    (void) state;

    altpick_output_default(0, &defaults);
    displace(item("5"));
    assert_int_equal(build(), ALTPICK_OK);
    assert_memory_equal(&fixture.output.nop32, &defaults.nop32, sizeof defaults.nop32);
    assert_memory_equal(fixture.output.nop64.text_poke5.code, "\x0f\x1f\x44\0\0", 5);
    assert_string_equal(fixture.output.nop64.text_poke5.remark, "default");
    fixture.policy.max_nop_bytes = 4;
    assert_int_equal(build(), ALTPICK_OK);
    assert_int_equal(fixture.output.nop32.longest_nop_bytes, 4);
    assert_memory_equal(fixture.output.nop32.nop[7].code, "\x0f\x1f\x40\0\x0f\x1f\0", 7);
}

static void code_of_32_bits_is_decided_by_its_own_question(void **state)
{
    struct altpick_output_decisions decisions = {0};
    (void) state;

    displace(item("5"));
    displace(item("40"));
    decisions.nop_fill_32 = asked_as("nop.fill.32", fixture.decisions.n_decisions);
    assert_int_equal(build_of(&decisions), ALTPICK_OK);
    assert_memory_equal(fixture.output.nop32.nop[5].code, "\x90\x90\x90\x90\x90", 5);
    assert_int_equal(fixture.output.nop32.n_gaps, 1);
    assert_string_equal(fixture.output.nop64.nop[5].remark, "default");
    assert_int_equal(fixture.output.nop64.n_gaps, 0);
    decisions.nop_fill_64 = decisions.nop_fill_32;
    assert_int_equal(build_of(&decisions), ALTPICK_ENOFIT);
}

static bool accepts_anything(const struct altpick_question *question, const uint8_t *code,
                             size_t bytes)
{
    (void) question;
    return code && bytes;
}

static void a_form_that_only_its_question_knows_is_shipped(void **state)
{
    static const struct altpick_question question = {.accepts = accepts_anything};
    struct altpick_output_decisions decisions = {0};
    struct altpick_decisions *asked;
    (void) state;

    displace(item("3"));
    memcpy(other_code(item("3"))->code, "\x8d\x76", 3);
    asked = asked_as("nop.fill.32", fixture.decisions.n_decisions);
    decisions.nop_fill_32 = asked;
    assert_int_equal(build_of(&decisions), ALTPICK_ENOFIT);
    asked->question = &question;
    assert_int_equal(build_of(&decisions), ALTPICK_OK);
    assert_memory_equal(fixture.output.nop32.nop[3].code, "\x8d\x76", 3);
}

static void a_text_poke_form_is_one_instruction_for_both_kinds_of_code(void **state)
{
    static const struct altpick_question question = {.accepts = NULL}; /* all built in */
    struct altpick_output_decisions decisions = {0};
    struct altpick_decisions *asked;
    (void) state;

    displace(item("5"));
    memcpy(other_code(item("5"))->code, "\x66\x66\x66\x66\x90", 5);
    decisions.nop_text_poke = asked_as("nop.text-poke", ALTPICK_NOP_BYTES_MAX);
    assert_int_equal(build_of(&decisions), ALTPICK_OK);
    assert_memory_equal(fixture.output.nop64.text_poke5.code, "\x66\x66\x66\x66\x90", 5);
    assert_memory_equal(fixture.output.nop32.text_poke5.code, "\x66\x66\x66\x66\x90", 5);
    assert_string_equal(fixture.output.nop32.text_poke2.remark, "kept");

    memset(other_code(item("5"))->code, 0x90, 5);
    assert_int_equal(build_of(&decisions), ALTPICK_ENOFIT);

    memcpy(other_code(item("5"))->code, "\x48\x8d\x64\x24\0", 5); /* lea 0(%rsp),%rsp */
    assert_int_equal(build_of(&decisions), ALTPICK_ENOFIT);
    asked = asked_as("nop.text-poke", ALTPICK_NOP_BYTES_MAX);
    asked->question = &question;
    assert_int_equal(build_of(&decisions), ALTPICK_OK);
    assert_memory_equal(fixture.output.nop64.text_poke5.code, "\x48\x8d\x64\x24\0", 5);
    assert_memory_equal(fixture.output.nop32.text_poke5.code, "\x0f\x1f\x44\0\0", 5);
    assert_string_equal(fixture.output.nop32.text_poke5.remark, "default");
}

static const struct altpick_question nop_fill_64 = {.name = "nop.fill.64",
                                                    .emits = &altpick_emits_nop_fill_64};
static const struct altpick_question of_no_format = {.name = "fpu.switch"};

static void questions_taken_one_after_another_make_the_same_output(void **state)
{
    struct altpick_output output;
    (void) state;

    displace(item("5"));
    displace(item("40"));
    assert_int_equal(build(), ALTPICK_OK);
    fixture.decisions.question = &nop_fill_64;
    memset(&output, 0, sizeof output); /* padding, for the comparison */
    altpick_output_default(0, &output);
    for (unsigned times = 0; times < 2; times++) { /* the later instead of the earlier */
        assert_int_equal(
            altpick_output_take(&fixture.machine, &fixture.policy, &fixture.decisions, &output),
            ALTPICK_OK);
        assert_int_equal(output.nop64.n_gaps, 1);
    }
    assert_memory_equal(&output.nop64, &fixture.output.nop64, sizeof output.nop64);
    assert_ptr_equal(output.machine, &fixture.machine);
}

static void what_cannot_be_taken_leaves_the_output_as_it_was(void **state)
{
    struct altpick_output output, before;
    (void) state;

    altpick_output_default(0, &output);
    memcpy(&before, &output, sizeof output);
    fixture.decisions.question = &nop_fill_64;
    displace(item("1"));
    item("jump-from")->winner = ALTPICK_NO_ENTRY;
    assert_int_equal(
        altpick_output_take(&fixture.machine, &fixture.policy, &fixture.decisions, &output),
        ALTPICK_ENOFIT);
    assert_memory_equal(&output, &before, sizeof output);
}

static void a_question_of_which_nothing_is_emitted_is_taken_for_its_machine(void **state)
{
    struct altpick_output output, before;
    (void) state;

    altpick_output_default(0, &output);
    memcpy(&before, &output, sizeof output);
    before.machine = &fixture.machine;
    before.target = fixture.policy.target = ALTPICK_TARGET_THIS_CPU;
    fixture.decisions.question = &of_no_format;
    assert_int_equal(
        altpick_output_take(&fixture.machine, &fixture.policy, &fixture.decisions, &output),
        ALTPICK_OK);
    assert_memory_equal(&output, &before, sizeof output);
}

#define CASE(name) cmocka_unit_test_setup(name, prepare)

ALTPICK_TEST_MAIN(CASE(ties_give_the_preferred_forms), CASE(a_displaced_form_is_shipped_as_clear),
                  CASE(every_verdict_that_keeps_reads_the_same),
                  CASE(pins_and_lone_candidates_are_named),
                  CASE(a_gap_is_overridden_only_when_displaced),
                  CASE(a_jump_that_wins_a_gap_is_left_to_the_threshold),
                  CASE(a_missing_length_or_number_is_refused_and_nothing_is_written),
                  CASE(a_winner_that_does_not_exist_is_refused),
                  CASE(a_number_out_of_range_is_refused), CASE(code_of_another_length_is_refused),
                  CASE(code_that_is_no_padding_is_refused), CASE(names_of_forms_do_not_matter),
                  CASE(the_default_fills_every_length_with_two_prefixes_at_most),
                  CASE(questions_taken_one_after_another_make_the_same_output),
                  CASE(what_cannot_be_taken_leaves_the_output_as_it_was),
                  CASE(a_question_of_which_nothing_is_emitted_is_taken_for_its_machine),
                  CASE(a_question_that_was_not_asked_gives_the_recommended_forms),
                  CASE(code_of_32_bits_is_decided_by_its_own_question),
                  CASE(a_form_that_only_its_question_knows_is_shipped),
                  CASE(a_text_poke_form_is_one_instruction_for_both_kinds_of_code))
