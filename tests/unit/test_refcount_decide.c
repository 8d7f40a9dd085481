/* SPDX-License-Identifier: MIT */
/* Reference counters: which is chosen on figures made up for it, and the tables for people. */
#include "altpick/decide.h"
#include "altpick/derived.h"
#include "looked.h"
#include "refcount.h"

#include <stdlib.h>

#define G(name)  ALTPICK_GUARANTEE_##name
#define OP(name) ALTPICK_COUNTER_##name
#define V(name)  ALTPICK_REFCOUNT_##name

enum { SAT = 0xc0000000, TOP = 0xffffffff, INT_MIN_ = 0x80000000 };

static const struct altpick_question *refcount(void)
{
    const struct altpick_question *question = altpick_question_find("refcount");

    assert_non_null(question);
    return question;
}

/* --- the contest -------------------------------------------------------------------------------
 */

struct machine {
    struct altpick_result result;
    struct altpick_measurement candidates[ALTPICK_REFCOUNT_CANDIDATES];
    struct altpick_policy policy;
    struct altpick_decisions *decisions;
};

/* Inc and dec_and_test of each variant: cycles, with a hundredth of a cycle to each side. */
static void set_up(struct machine *machine, const uint64_t cycles[ALTPICK_REFCOUNT_VARIANTS][2])
{
    memset(machine, 0, sizeof *machine);
    strcpy(machine->result.question, "refcount");
    machine->result.batches = 3;
    machine->result.condition[ALTPICK_WARM].asked = true;
    machine->result.condition[ALTPICK_CONTENDED].asked = true;
    machine->result.candidates = machine->candidates;
    machine->result.n_candidates = ALTPICK_REFCOUNT_CANDIDATES;
    for (size_t i = 0; i < ALTPICK_REFCOUNT_CANDIDATES; i++) {
        struct altpick_measurement *m = &machine->candidates[i];
        unsigned op = (unsigned) i % ALTPICK_N_COUNTER_OPS;
        uint64_t micro = cycles[i / ALTPICK_N_COUNTER_OPS][op == OP(DEC_AND_TEST)] * 1000000;

        altpick_code_copy_one(altpick_refcount_code, ALTPICK_REFCOUNT_CANDIDATES, i, &m->candidate);
        m->status = ALTPICK_STATUS_MEASURED;
        altpick_findings_declared(&m->candidate, m);
        for (unsigned c = ALTPICK_WARM; c <= ALTPICK_CONTENDED;
             c += ALTPICK_CONTENDED - ALTPICK_WARM)
            m->cost[c] = (struct altpick_cost){ALTPICK_STATUS_MEASURED, (uint32_t) (9 + op), micro,
                                               micro - 10000, micro + 10000};
    }
    altpick_policy_init(&machine->policy);
    machine->decisions = calloc(1, sizeof *machine->decisions);
    assert_non_null(machine->decisions);
}

static const struct altpick_decision *decide(struct machine *machine)
{
    altpick_decide(refcount(), &machine->result, &machine->policy, machine->decisions);
    assert_int_equal(machine->decisions->n_decisions, 1);
    return machine->decisions->decision;
}

static struct altpick_measurement *
cell(struct machine *machine, enum altpick_refcount_variant variant, enum altpick_counter_op op)
{
    return &machine->candidates[variant * ALTPICK_N_COUNTER_OPS + op];
}

static const char *winner(const struct altpick_decision *decision)
{
    assert_true(decision->winner >= 0);
    return decision->contest.entries[decision->winner].name;
}

static const struct altpick_entry *entry(const struct altpick_decision *decision, const char *name)
{
    for (size_t i = 0; i < decision->contest.n_entries; i++) {
        if (strcmp(decision->contest.entries[i].name, name) == 0)
            return &decision->contest.entries[i];
    }
    fail_msg("no entry %s", name);
    return NULL;
}

static const uint64_t equal[][2] = {
    {20, 20},
    {20, 20},
    {20, 20},
    {20, 20},
};
static const uint64_t as_in_2017[][2] = {
    {19, 19},
    {19, 19},
    {33, 34},
    {20, 19},
};

static void a_tie_keeps_the_preferred_one(void **state)
{
    struct machine machine;
    const struct altpick_decision *decision;
    (void) state;

    set_up(&machine, equal);
    decision = decide(&machine);
    assert_string_equal(decision->contest.item, "refcount.implementation");
    assert_string_equal(winner(decision), "xadd");
    assert_int_equal(decision->verdict, ALTPICK_VERDICT_TIE);
    free(machine.decisions);
}

static void the_cost_is_that_of_a_reference_from_its_making_to_its_end(void **state)
{
    static const uint64_t costs[][2] = {
        {1, 1},
        {7, 5},
        {5, 8},
        {9, 9},
    };
    const struct altpick_decision *decision;
    struct machine machine;
    (void) state;

    set_up(&machine, costs);
    decision = decide(&machine);
    assert_string_equal(winner(decision), "full"); /* atomic does not saturate, fast revives */
    assert_int_equal(decision->verdict, ALTPICK_VERDICT_CLEAR);
    assert_int_equal(entry(decision, "fast")->sum.cycles_micro, 12000000);
    assert_int_equal(entry(decision, "fast")->sum.low_micro, 11980000);
    assert_int_equal(entry(decision, "fast")->sum.high_micro, 12020000);
    assert_int_equal(entry(decision, "fast")->cost[ALTPICK_WARM].count, 9 + OP(INC));
    assert_int_equal(entry(decision, "fast")->cost[ALTPICK_CONTENDED].cycles_micro, 12000000);
    assert_string_equal(entry(decision, "atomic")->out, "lacks saturates-on-overflow");
    free(machine.decisions);
}

static void two_threads_decide_nothing(void **state)
{
    struct machine machine;
    (void) state;

    set_up(&machine, equal);
    for (size_t i = 0; i < ALTPICK_REFCOUNT_CANDIDATES; i++)
        machine.candidates[i].cost[ALTPICK_CONTENDED].cycles_micro = (30 - i) * 1000000;
    assert_string_equal(winner(decide(&machine)), "xadd");
    free(machine.decisions);
}

static void what_is_required_filters_first(void **state)
{
    struct machine machine;
    (void) state;

    set_up(&machine, as_in_2017);
    strcpy(machine.policy.requires[0].question, "refcount");
    machine.policy.requires[0].guarantee = G(BLOCKS_INC_FROM_ZERO);
    machine.policy.n_requires = 1;
    assert_string_equal(winner(decide(&machine)), "xadd");
    assert_string_equal(entry(machine.decisions->decision, "fast")->out,
                        "lacks blocks-inc-from-zero");
    free(machine.decisions);
}

/* Of each guarantee the weakest of the operations that it speaks of. */
static void an_implementation_promises_what_all_its_operations_do(void **state)
{
    struct machine machine;
    const struct altpick_entry *xadd;
    (void) state;

    set_up(&machine, as_in_2017);
    for (unsigned op = 0; op < ALTPICK_N_COUNTER_OPS; op++) {
        struct altpick_measurement *m = cell(&machine, V(XADD), (enum altpick_counter_op) op);

        for (unsigned g = 0; g < ALTPICK_N_GUARANTEES; g++) {
            if (m->guarantee[g] == ALTPICK_GUARANTEE_IS_DECLARED)
                m->guarantee[g] = ALTPICK_GUARANTEE_IS_CHECKED;
        }
    }
    cell(&machine, V(XADD), OP(ADD))->guarantee[G(REPORTS_MISUSE)] = ALTPICK_GUARANTEE_IS_DECLARED;
    xadd = entry(decide(&machine), "xadd");
    assert_int_equal(xadd->guarantee[G(SATURATES_ON_OVERFLOW)], ALTPICK_GUARANTEE_IS_CHECKED);
    assert_int_equal(xadd->guarantee[G(SAFE_ON_UNDERFLOW)], ALTPICK_GUARANTEE_IS_CHECKED);
    assert_int_equal(xadd->guarantee[G(BLOCKS_INC_FROM_ZERO)], ALTPICK_GUARANTEE_IS_CHECKED);
    assert_int_equal(xadd->guarantee[G(REPORTS_MISUSE)], ALTPICK_GUARANTEE_IS_DECLARED);
    assert_int_equal(entry(machine.decisions->decision, "fast")->guarantee[G(REPORTS_MISUSE)],
                     ALTPICK_GUARANTEE_IS_NONE);

    /* One wrong operation is enough, whether its guarantee is required or not. */
    cell(&machine, V(XADD), OP(ADD))->guarantee[G(REPORTS_MISUSE)] =
        ALTPICK_GUARANTEE_IS_CONTRADICTED;
    assert_string_equal(winner(decide(&machine)), "full");
    assert_string_equal(entry(machine.decisions->decision, "xadd")->out,
                        "breaks a guarantee that it declares");
    cell(&machine, V(FAST), OP(DEC))->guarantee[G(SAFE_ON_UNDERFLOW)] =
        ALTPICK_GUARANTEE_IS_CONTRADICTED;
    assert_string_equal(winner(decide(&machine)), "full");
    assert_int_equal(machine.decisions->decision->verdict, ALTPICK_VERDICT_ONLY_ELIGIBLE);
    free(machine.decisions);
}

static void an_operation_that_went_wrong_takes_all_out(void **state)
{
    struct machine machine;
    (void) state;

    set_up(&machine, equal);
    cell(&machine, V(XADD), OP(SUB_AND_TEST))->status = ALTPICK_STATUS_FAULTED;
    strcpy(cell(&machine, V(XADD), OP(SUB_AND_TEST))->reason, "faulted: SIGSEGV");
    assert_string_equal(winner(decide(&machine)), "full"); /* the other one that revives nothing */
    assert_non_null(entry(machine.decisions->decision, "xadd")->out);
    free(machine.decisions);
}

/* Counters are levels of security: figures alone do not choose a lower one. */
static void figures_do_not_buy_a_weaker_counter_and_a_pin_does(void **state)
{
    struct machine machine;
    (void) state;

    set_up(&machine, as_in_2017);
    for (unsigned op = 0; op < ALTPICK_N_COUNTER_OPS; op++)
        cell(&machine, V(FAST), (enum altpick_counter_op) op)->cost[ALTPICK_WARM].cycles_micro = 1;
    assert_string_equal(winner(decide(&machine)), "xadd");
    assert_non_null(strstr(entry(machine.decisions->decision, "fast")->out, "only by a pin"));

    strcpy(machine.policy.pins[0].item, "refcount.implementation");
    strcpy(machine.policy.pins[0].candidate, "fast");
    machine.policy.n_pins = 1;
    assert_string_equal(winner(decide(&machine)), "fast");
    assert_int_equal(machine.decisions->decision->verdict, ALTPICK_VERDICT_PINNED);

    /* But not one that was seen to break what it declares, required or not. */
    cell(&machine, V(FAST), ALTPICK_COUNTER_INC)->guarantee[G(REPORTS_MISUSE)] =
        ALTPICK_GUARANTEE_IS_CONTRADICTED;
    assert_string_equal(winner(decide(&machine)), "xadd");
    cell(&machine, V(FAST), ALTPICK_COUNTER_INC)->guarantee[G(REPORTS_MISUSE)] =
        ALTPICK_GUARANTEE_IS_CHECKED;
    assert_string_equal(winner(decide(&machine)), "fast");

    /* Nor does it beat a requirement of the policy. */
    strcpy(machine.policy.requires[0].question, "refcount");
    machine.policy.requires[0].guarantee = G(BLOCKS_INC_FROM_ZERO);
    machine.policy.n_requires = 1;
    assert_string_equal(winner(decide(&machine)), "xadd");
    free(machine.decisions);
}

static void a_pin_beats_figures_but_no_requirement(void **state)
{
    struct machine machine;
    (void) state;

    set_up(&machine, as_in_2017);
    strcpy(machine.policy.pins[0].item, "refcount.implementation");
    strcpy(machine.policy.pins[0].candidate, "full");
    machine.policy.n_pins = 1;
    assert_string_equal(winner(decide(&machine)), "full");
    assert_int_equal(machine.decisions->decision->verdict, ALTPICK_VERDICT_PINNED);
    strcpy(machine.policy.pins[0].candidate, "atomic");
    assert_int_not_equal(decide(&machine)->verdict, ALTPICK_VERDICT_PINNED);
    assert_string_equal(winner(machine.decisions->decision), "xadd");
    free(machine.decisions);
}

/* Figures of a thread are of some operations only; the others promise what they declare. */
static void published_figures_of_two_operations_are_enough(void **state)
{
    struct machine machine;
    size_t n = 0;
    (void) state;

    set_up(&machine, as_in_2017);
    machine.result.batches = 0;
    machine.result.condition[ALTPICK_WARM].status = ALTPICK_STATUS_PUBLISHED;
    for (size_t i = 0; i < ALTPICK_REFCOUNT_CANDIDATES; i++) {
        unsigned op = (unsigned) i % ALTPICK_N_COUNTER_OPS;

        if (op != OP(INC) && op != OP(DEC_AND_TEST))
            continue;
        machine.candidates[n] = machine.candidates[i];
        machine.candidates[n].status = ALTPICK_STATUS_PUBLISHED;
        machine.candidates[n++].cost[ALTPICK_WARM].status = ALTPICK_STATUS_PUBLISHED;
    }
    machine.result.n_candidates = n;
    assert_string_equal(winner(decide(&machine)), "xadd");
    for (unsigned v = 0; v < ALTPICK_REFCOUNT_VARIANTS; v++) {
        const struct altpick_entry *e =
            entry(machine.decisions->decision,
                  altpick_refcount_variant_name((enum altpick_refcount_variant) v));

        assert_int_equal(e->cost[ALTPICK_WARM].status, ALTPICK_STATUS_PUBLISHED);
        assert_int_equal(e->guarantee[G(SATURATES_ON_OVERFLOW)],
                         v == V(ATOMIC) ? ALTPICK_GUARANTEE_IS_NONE
                                        : ALTPICK_GUARANTEE_IS_DECLARED);
    }
    /* Half of a sum is none. */
    machine.candidates[n - 1].cost[ALTPICK_WARM].status = ALTPICK_STATUS_MEASURED;
    assert_int_equal(entry(decide(&machine), "xadd")->cost[ALTPICK_WARM].status,
                     ALTPICK_STATUS_UNMEASURED);
    free(machine.decisions);
}

/* --- tables ------------------------------------------------------------------------------------
 */

static const struct altpick_cell *row(const struct altpick_derived *derived, const char *name)
{
    for (size_t i = 0; i < derived->n_rows; i++) {
        if (strcmp(derived->row[i].name, name) == 0)
            return derived->row[i].cell;
    }
    fail_msg("no row %s", name);
    return NULL;
}

static struct altpick_derived *derive(struct machine *machine, size_t index)
{
    struct altpick_derived *derived = calloc(1, sizeof *derived);

    assert_non_null(derived);
    decide(machine);
    assert_true(altpick_derive_find("refcount")(machine->decisions, index, derived));
    assert_int_equal(derived->n_columns, ALTPICK_REFCOUNT_VARIANTS);
    assert_string_equal(derived->column[V(FULL)], "full");
    assert_true(derived->n_rows <= ALTPICK_DERIVED_ROWS_MAX);
    return derived;
}

static void the_first_table_has_the_figures(void **state)
{
    struct machine machine;
    struct altpick_derived *derived;
    (void) state;

    set_up(&machine, as_in_2017);
    cell(&machine, V(FULL), OP(INC))->instructions = 8;
    derived = derive(&machine, 0);
    assert_int_equal(derived->n_rows, 12);
    assert_int_equal(row(derived, "inc, cycles")[V(FULL)].value, 33000000);
    assert_int_equal(row(derived, "both, cycles")[V(FULL)].value, 67000000);
    assert_int_equal(row(derived, "both, cycles")[V(FULL)].low, 66980000);
    assert_int_equal(row(derived, "both, cycles, two threads")[V(XADD)].value, 39000000);
    assert_int_equal(row(derived, "inc, instructions")[V(FULL)].value, 8);
    assert_int_equal(row(derived, "inc, instructions")[V(FAST)].unit, ALTPICK_UNIT_NONE);
    assert_int_equal(row(derived, "inc, code bytes")[V(ATOMIC)].value, 3);
    assert_string_equal(row(derived, "saturates-on-overflow")[V(ATOMIC)].text, "none");
    assert_string_equal(row(derived, "saturates-on-overflow")[V(FAST)].text, "declared");
    assert_string_equal(row(derived, "reports-misuse")[V(FAST)].text, "none");
    free(derived);
    free(machine.decisions);
}

static void the_others_have_what_was_seen(void **state)
{
    struct looked looked;
    struct machine machine;
    struct altpick_derived *after, *judged, *returned;
    (void) state;

    set_up(&machine, equal);
    after = derive(&machine, 1);
    assert_int_equal(after->n_rows, ALTPICK_N_COUNTER_OPS * ALTPICK_N_COUNTS);
    assert_int_equal(row(after, "inc at maximum")[V(XADD)].unit, ALTPICK_UNIT_NONE);
    free(after);

    looked_begin(&looked, refcount());
    assert_int_equal(altpick_look_session(refcount(), &looked.looking), 0);
    for (size_t i = 0; i < ALTPICK_REFCOUNT_CANDIDATES; i++) {
        machine.candidates[i] = looked_at(&looked, i);
        altpick_code_copy_one(altpick_refcount_code, ALTPICK_REFCOUNT_CANDIDATES, i,
                              &machine.candidates[i].candidate);
    }
    after = derive(&machine, 1);
    judged = derive(&machine, 2);
    returned = derive(&machine, 3);
    assert_int_equal(row(after, "inc at maximum")[V(ATOMIC)].value, INT_MIN_);
    assert_int_equal(row(after, "inc at maximum")[V(FULL)].value, TOP);
    assert_int_equal(row(after, "sub_and_test at saturated")[V(XADD)].value, SAT);
    assert_string_equal(row(judged, "inc at maximum")[V(ATOMIC)].text, "unsafe, silent");
    assert_string_equal(row(judged, "inc at maximum")[V(XADD)].text, "safe, overflow");
    assert_string_equal(row(judged, "inc at zero")[V(FAST)].text, "unsafe, silent");
    assert_string_equal(row(judged, "inc at zero")[V(FULL)].text, "safe, from-zero");
    assert_string_equal(row(judged, "dec at one")[V(FULL)].text, "safe, leak");
    assert_string_equal(row(judged, "dec_and_test at zero")[V(FULL)].text, "safe, underflow");
    assert_string_equal(row(judged, "dec_and_test at one")[V(ATOMIC)].text, "safe, silent");
    assert_string_equal(row(judged, "dec_and_test at saturated")[V(ATOMIC)].text, "unsafe, silent");
    assert_int_equal(returned->n_rows, 3 * ALTPICK_N_COUNTS);
    assert_int_equal(row(returned, "dec_and_test at one")[V(FULL)].value, 1);
    assert_int_equal(row(returned, "dec_and_test at zero")[V(FULL)].value, 0);
    assert_false(altpick_derive_find("refcount")(machine.decisions, 4, returned));
    free(after);
    free(judged);
    free(returned);
    free(machine.decisions);
    altpick_hosted_session_fini(&looked.hosted);
}

ALTPICK_TEST_MAIN(cmocka_unit_test(a_tie_keeps_the_preferred_one),
                  cmocka_unit_test(the_cost_is_that_of_a_reference_from_its_making_to_its_end),
                  cmocka_unit_test(two_threads_decide_nothing),
                  cmocka_unit_test(what_is_required_filters_first),
                  cmocka_unit_test(an_implementation_promises_what_all_its_operations_do),
                  cmocka_unit_test(an_operation_that_went_wrong_takes_all_out),
                  cmocka_unit_test(figures_do_not_buy_a_weaker_counter_and_a_pin_does),
                  cmocka_unit_test(a_pin_beats_figures_but_no_requirement),
                  cmocka_unit_test(published_figures_of_two_operations_are_enough),
                  cmocka_unit_test(the_first_table_has_the_figures),
                  cmocka_unit_test(the_others_have_what_was_seen))
