/* SPDX-License-Identifier: MIT */
/* What show prints of a made-up machine, against golden text. */
#include "golden.h"
#include "show.h"
#include "table.h"
#include "test.h"
#include "why.h"

#include <stdlib.h>
#include <string.h>

enum { N_CANDIDATES = 5 };

/* A question whose two items have candidates 0..1 and 1..4 of the result. */
static void made_up_item(const struct altpick_question *question, size_t index,
                         const struct altpick_result *result, const struct altpick_policy *policy,
                         const struct altpick_decision *earlier,
                         struct altpick_contest *ret_contest)
{
    (void) earlier;
    altpick_contest_init(ret_contest, question, index == 0 ? "first" : "second", result, policy);
    for (size_t i = index; i < (index == 0 ? 2 : N_CANDIDATES); i++) {
        struct altpick_entry *entry = altpick_contest_add(
            ret_contest, result->candidates[i].candidate.name, &result->candidates[i]);

        entry->elsewhere = i == 3 ? ALTPICK_ELSEWHERE_TOXIC : ALTPICK_ELSEWHERE_FINE;
    }
}

static const struct altpick_question made_up_question = {
    .name = "made.up",
    .title = "a question that only this test has",
    .conditions = 1u << ALTPICK_HOT | 1u << ALTPICK_LEGACY_DECODE,
    .n_items = 2,
    .item = made_up_item,
};

struct made_up {
    struct altpick_measurement candidates[N_CANDIDATES];
    struct altpick_result results[2];
    struct altpick_machine machine;
    struct altpick_policy policy;
    struct altpick_decisions decisions;
    struct altpick_choices choices;
};

static void set_candidate(struct made_up *made_up, size_t index, const char *name, uint32_t bytes,
                          uint64_t micro)
{
    struct altpick_measurement *m = &made_up->candidates[index];

    strcpy(m->candidate.name, name);
    m->candidate.code_bytes = bytes;
    memset(m->candidate.code, 0x66, bytes);
    m->candidate.code[bytes - 1] = 0x90;
    m->status = ALTPICK_STATUS_MEASURED;
    m->cost[ALTPICK_HOT] = (struct altpick_cost){.status = ALTPICK_STATUS_MEASURED,
                                                 .count = 24,
                                                 .cycles_micro = micro,
                                                 .low_micro = micro - micro / 100,
                                                 .high_micro = micro + micro / 100};
}

static int make_up(void **state)
{
    struct made_up *made_up = calloc(1, sizeof *made_up);
    struct altpick_machine *machine;
    struct altpick_result *result;

    if (!made_up)
        return -1;
    machine = &made_up->machine;
    result = &made_up->results[0];
    set_candidate(made_up, 0, "alone", 1, 250000);
    set_candidate(made_up, 1, "much-slower", 3, 1000499);
    set_candidate(made_up, 2, "faster", 12, 500000);
    set_candidate(made_up, 3, "fastest-but-toxic-on-other-cpus", 64, 400000);
    set_candidate(made_up, 4, "breaks-things", 2, 0);
    made_up->candidates[4].status = ALTPICK_STATUS_UNMEASURED;
    made_up->candidates[4].cost[ALTPICK_HOT] = (struct altpick_cost){0};
    strcpy(made_up->candidates[4].reason, "clobbered rbp, changed MXCSR");
    made_up->candidates[0].guarantee[ALTPICK_GUARANTEE_ONE_INSTRUCTION] =
        ALTPICK_GUARANTEE_IS_CHECKED;
    made_up->candidates[2].guarantee[ALTPICK_GUARANTEE_CANNOT_FAULT] =
        ALTPICK_GUARANTEE_IS_DECLARED;
    made_up->candidates[4].guarantee[ALTPICK_GUARANTEE_CANNOT_FAULT] =
        ALTPICK_GUARANTEE_IS_CONTRADICTED;

    strcpy(result->question, "made.up");
    result->batches = 3;
    result->candidates = made_up->candidates;
    result->n_candidates = N_CANDIDATES;
    result->condition[ALTPICK_HOT] = (struct altpick_condition_facts){
        .asked = true, .status = ALTPICK_STATUS_MEASURED, .block_bytes = 1024};
    result->condition[ALTPICK_LEGACY_DECODE] =
        (struct altpick_condition_facts){.asked = true,
                                         .block_bytes = 16384,
                                         .reason = "no block is slow enough to show that the uop "
                                                   "cache is too small for it"};
    strcpy(made_up->results[1].question, "from.the.future");

    strcpy(machine->name, "MadeUp-6-1-1");
    strcpy(machine->cpu.brand, "Made-up \xc2\xb5 CPU\n\x1b[31m");
    strcpy(machine->cpu.hypervisor, "None");
    strcpy(machine->altpick_version, "9.8.7");
    strcpy(machine->warnings[0], "made up");
    machine->n_warnings = 1;
    machine->ring = 3;
    machine->trust = ALTPICK_TRUST_GUEST;
    machine->tsc_hz = 2600000000;
    machine->quantum_ticks = 26;
    machine->results = made_up->results;
    machine->n_results = 2;

    altpick_policy_init(&made_up->policy);
    altpick_decide(&made_up_question, result, &made_up->policy, &made_up->decisions);
    made_up->choices = (struct altpick_choices){.machine = machine,
                                                .policy = &made_up->policy,
                                                .questions = &made_up->decisions,
                                                .n_questions = 1};
    *state = made_up;
    return 0;
}

static int free_made_up(void **state)
{
    free(*state);
    return 0;
}

static void show_prints_the_golden_text(void **state)
{
    struct made_up *made_up = *state;
    struct altpick_text text;
    struct altpick_out out;

    altpick_text_init(&text, &out);
    altpick_show_text(&made_up->choices, false, &out);
    assert_int_equal(out.err, 0);
    assert_pastes_into_mail(&text);
    assert_golden(&text, GOLDEN("show.txt"));
    altpick_text_fini(&text);
}

static void show_prints_the_golden_json(void **state)
{
    struct made_up *made_up = *state;
    struct altpick_text text;
    struct altpick_json json;
    struct altpick_out out;

    altpick_text_init(&text, &out);
    altpick_json_init(&json, &out);
    altpick_show_json(&made_up->choices, &json);
    assert_int_equal(altpick_json_finish(&json), 0);
    assert_golden(&text, GOLDEN("show.json"));
    altpick_text_fini(&text);
}

static void why_prints_the_golden_text(void **state)
{
    struct made_up *made_up = *state;
    struct altpick_text text;
    struct altpick_out out;

    altpick_text_init(&text, &out);
    altpick_why_question(&made_up->decisions, &out);
    for (size_t i = 0; i < made_up->decisions.n_decisions; i++) {
        altpick_printf(&out, "\n");
        altpick_why_item(&made_up->decisions, &made_up->decisions.decision[i], &made_up->policy,
                         &out);
    }
    assert_int_equal(out.err, 0);
    assert_pastes_into_mail(&text);
    assert_golden(&text, GOLDEN("why.txt"));
    altpick_text_fini(&text);
}

static void tables_cut_what_does_not_fit(void **state)
{
    struct altpick_table table;
    struct altpick_text text;
    struct altpick_out out;

    (void) state;
    altpick_text_init(&text, &out);
    altpick_table_init(&table, "lrl", 2);
    for (int i = 0; i < 3; i++)
        altpick_table_cell(&table, "%0150d", i);
    altpick_table_print(&table, &out);
    assert_pastes_into_mail(&text);
    altpick_text_fini(&text);
}

static void figures_round_to_their_last_digit(void **state)
{
    const uint8_t code[] = {0x0f, 0x1f, 0x00, 0x90};

    (void) state;
    assert_string_equal(altpick_figure_cycles(1999500).text, "2.000");
    assert_string_equal(altpick_figure_cycles(499).text, "0.000");
    assert_string_equal(altpick_figure_percent(-31499).text, "-3.1");
    assert_string_equal(altpick_figure_percent(31500).text, "+3.2");
    assert_string_equal(altpick_figure_percent(-499).text, "0.0");
    assert_string_equal(altpick_figure_permille(50).text, "5");
    assert_string_equal(altpick_figure_permille(52).text, "5.2");
    assert_string_equal(altpick_figure_code(code, 4, 8).text, "0f1f0090");
    assert_string_equal(altpick_figure_code(code, 4, 7).text, "0f1f..");
}

#define MADE_UP(test) cmocka_unit_test_setup_teardown(test, make_up, free_made_up)

ALTPICK_TEST_MAIN(MADE_UP(show_prints_the_golden_text), MADE_UP(show_prints_the_golden_json),
                  MADE_UP(why_prints_the_golden_text),
                  cmocka_unit_test(tables_cut_what_does_not_fit),
                  cmocka_unit_test(figures_round_to_their_last_digit))
