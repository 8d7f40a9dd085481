/* SPDX-License-Identifier: MIT */
/* Claims of threads: findings on made-up machines, and what is printed of those that are known. */
#include "claims_print.h"

#include "golden.h"

#include "altpick/json.h"
#include "altpick/nop.h"

#include <string.h>

enum { N_CANDIDATES = 32 };

/* A machine on which only the candidates that a test adds have figures. */
struct made_up {
    struct altpick_measurement candidates[2][N_CANDIDATES];
    struct altpick_result results[2];
    struct altpick_machine machine;
};

static void add(struct altpick_result *result, const char *name, const uint8_t *code,
                uint32_t bytes, uint64_t micro)
{
    struct altpick_measurement *m = &result->candidates[result->n_candidates++];

    strcpy(m->candidate.name, name);
    memcpy(m->candidate.code, code, bytes);
    m->candidate.code_bytes = bytes;
    m->status = ALTPICK_STATUS_MEASURED;
    m->cost[ALTPICK_HOT] = (struct altpick_cost){.status = ALTPICK_STATUS_MEASURED,
                                                 .count = 24,
                                                 .cycles_micro = micro,
                                                 .low_micro = micro - micro / 200,
                                                 .high_micro = micro + micro / 200};
}

/* P6 and K8 forms of 1 to 8 bytes: @micro for one instruction, @p6_more on top for P6. */
static void make_up(struct made_up *made_up, uint64_t micro, uint64_t p6_more)
{
    struct altpick_result *result = &made_up->results[0];
    uint8_t code[ALTPICK_NOP_LONGEST];

    memset(made_up, 0, sizeof *made_up);
    strcpy(made_up->machine.name, "MadeUp-6-1-1");
    made_up->machine.results = made_up->results;
    made_up->machine.n_results = 1;
    strcpy(result->question, "nop.fill.64");
    result->condition[ALTPICK_HOT].asked = true;
    result->condition[ALTPICK_HOT].status = ALTPICK_STATUS_MEASURED;
    result->candidates = made_up->candidates[0];
    for (uint32_t bytes = 1; bytes <= 8; bytes++) {
        altpick_nop_recommended(code, bytes);
        add(result, "p6", code, bytes, bytes > 2 ? micro + p6_more : micro);
        altpick_nop_even(code, bytes, bytes > 4 ? 2 : 1, altpick_nop_6690);
        if (bytes > 2)
            add(result, "k8", code, bytes, bytes > 4 ? 2 * micro : micro);
    }
}

static void add_text_poke(struct made_up *made_up, uint64_t p6_micro, uint64_t lea_micro)
{
    struct altpick_result *result = &made_up->results[1];
    const uint8_t lea[] = {0x48, 0x8d, 0x74, 0x26, 0x00};
    uint8_t code[ALTPICK_NOP_LONGEST];

    made_up->machine.n_results = 2;
    strcpy(result->question, "nop.text-poke");
    result->candidates = made_up->candidates[1];
    altpick_nop_recommended(code, 5);
    add(result, "0f1f.5", code, 5, p6_micro);
    add(result, "lea.5", lea, 5, lea_micro);
}

static struct altpick_finding test_claim(const struct made_up *made_up, const char *id)
{
    const struct altpick_claim_thread *thread = altpick_claim_threads[0];

    for (size_t i = 0; i < thread->n_claims; i++) {
        struct altpick_finding finding = {0};

        if (strcmp(thread->claims[i].id, id) != 0)
            continue;
        thread->claims[i].test(&made_up->machine, &finding);
        return finding;
    }
    fail_msg("no claim %s", id);
    return (struct altpick_finding){0};
}

static void claims_hold_where_every_nop_costs_the_same(void **state)
{
    struct made_up made_up;
    (void) state;

    make_up(&made_up, 250000, 0);
    assert_int_equal(test_claim(&made_up, "p6-wins").verdict, ALTPICK_CLAIM_TRUE);
    assert_int_equal(test_claim(&made_up, "k8-doubles").verdict, ALTPICK_CLAIM_TRUE);
    assert_int_equal(test_claim(&made_up, "single-to-8").verdict, ALTPICK_CLAIM_TRUE);
    assert_int_equal(test_claim(&made_up, "as-fast-as-any").verdict, ALTPICK_CLAIM_TRUE);
}

static void claims_fail_where_0f1f_is_slow_and_say_by_how_much(void **state)
{
    struct altpick_finding finding;
    struct made_up made_up;
    (void) state;

    make_up(&made_up, 250000, 750000);
    finding = test_claim(&made_up, "p6-wins");
    assert_int_equal(finding.verdict, ALTPICK_CLAIM_FALSE);
    assert_int_equal(finding.excess_ppm, 1000000); /* 1.0 against 0.5 */
    finding = test_claim(&made_up, "single-to-8");
    assert_int_equal(finding.verdict, ALTPICK_CLAIM_FALSE);
    assert_int_equal(finding.excess_ppm, 3000000); /* 1.0 against 0.25 */
    assert_int_equal(test_claim(&made_up, "as-fast-as-any").verdict, ALTPICK_CLAIM_FALSE);
    assert_int_equal(test_claim(&made_up, "k8-doubles").verdict, ALTPICK_CLAIM_TRUE);
}

static void no_difference_is_no_win(void **state)
{
    struct altpick_finding finding;
    struct made_up made_up;
    (void) state;

    make_up(&made_up, 250000, 255000);
    finding = test_claim(&made_up, "p6-wins");
    assert_int_equal(finding.verdict, ALTPICK_CLAIM_FALSE);
    assert_int_equal(finding.excess_ppm, 0);
}

static void without_figures_a_claim_is_untestable_and_says_why(void **state)
{
    struct made_up made_up = {0};
    (void) state;

    for (size_t i = 0; i < altpick_claim_threads[0]->n_claims; i++) {
        struct altpick_finding finding = {0};

        altpick_claim_threads[0]->claims[i].test(&made_up.machine, &finding);
        assert_int_equal(finding.verdict, ALTPICK_CLAIM_UNTESTABLE);
        assert_int_not_equal(finding.text[0], '\0');
    }
}

static void five_byte_forms_are_found_by_their_bytes(void **state)
{
    struct altpick_finding finding;
    struct made_up made_up;
    (void) state;

    make_up(&made_up, 250000, 0);
    assert_int_equal(test_claim(&made_up, "five-bytes").verdict, ALTPICK_CLAIM_UNTESTABLE);
    add_text_poke(&made_up, 250000, 333333);
    finding = test_claim(&made_up, "five-bytes");
    assert_int_equal(finding.verdict, ALTPICK_CLAIM_TRUE);
    assert_non_null(strstr(finding.text, "LEA 0.333"));
    make_up(&made_up, 250000, 0);
    add_text_poke(&made_up, 333333, 250000);
    assert_int_equal(test_claim(&made_up, "five-bytes").verdict, ALTPICK_CLAIM_FALSE);
}

static void the_worst_exception_has_the_largest_excess(void **state)
{
    struct altpick_survey survey = {0};
    struct altpick_machine a = {.name = "a"}, b = {.name = "b"};
    struct altpick_finding small = {.verdict = ALTPICK_CLAIM_FALSE, .excess_ppm = 10};
    struct altpick_finding large = {.verdict = ALTPICK_CLAIM_FALSE, .excess_ppm = 20};
    struct altpick_finding holds = {.verdict = ALTPICK_CLAIM_TRUE, .excess_ppm = 30};
    (void) state;

    assert_int_equal(altpick_survey_verdict(&survey), ALTPICK_CLAIM_UNTESTABLE);
    altpick_survey_add(&survey, &a, &holds);
    assert_int_equal(altpick_survey_verdict(&survey), ALTPICK_CLAIM_TRUE);
    altpick_survey_add(&survey, &a, &small);
    altpick_survey_add(&survey, &b, &large);
    altpick_survey_add(&survey, &a, &small);
    assert_int_equal(altpick_survey_verdict(&survey), ALTPICK_CLAIM_FALSE);
    assert_int_equal(survey.n[ALTPICK_CLAIM_FALSE], 3);
    assert_string_equal(survey.worst_machine, "b");
}

static void print(bool json, const char *golden)
{
    static struct made_up made_up;
    const struct altpick_machine *here = &made_up.machine;
    struct altpick_claim_evidence evidence = {.here = &here, .n_here = 1};
    struct altpick_text text;
    struct altpick_out out;
    struct altpick_diag diag;

    make_up(&made_up, 250000, 0);
    assert_int_equal(altpick_claim_evidence_load(&evidence, &diag), ALTPICK_OK);
    altpick_text_init(&text, &out);
    if (json)
        altpick_claims_json(&evidence, &out);
    else
        altpick_claims_text(&evidence, &out);
    assert_int_equal(out.err, 0);
    if (!json)
        assert_pastes_into_mail(&text);
    assert_golden(&text, golden);
    altpick_text_fini(&text);
    altpick_claim_evidence_fini(&evidence);
}

static void claims_print_the_golden_text(void **state)
{
    (void) state;
    print(false, GOLDEN("claims.txt"));
}

static void claims_print_the_golden_json(void **state)
{
    (void) state;
    print(true, GOLDEN("claims.json"));
}

ALTPICK_TEST_MAIN(cmocka_unit_test(claims_hold_where_every_nop_costs_the_same),
                  cmocka_unit_test(claims_fail_where_0f1f_is_slow_and_say_by_how_much),
                  cmocka_unit_test(no_difference_is_no_win),
                  cmocka_unit_test(without_figures_a_claim_is_untestable_and_says_why),
                  cmocka_unit_test(five_byte_forms_are_found_by_their_bytes),
                  cmocka_unit_test(the_worst_exception_has_the_largest_excess),
                  cmocka_unit_test(claims_print_the_golden_text),
                  cmocka_unit_test(claims_print_the_golden_json))
