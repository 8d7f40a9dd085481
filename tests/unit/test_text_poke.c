/* SPDX-License-Identifier: MIT */
/* nop.text-poke: what its filters throw out, and the bytes that other code compares. */
#include "altpick/decide.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

struct fixture {
    const struct altpick_question *question;
    struct altpick_candidate candidates[ALTPICK_CANDIDATES_MAX];
    struct altpick_measurement measurements[ALTPICK_CANDIDATES_MAX];
    struct altpick_result result;
    struct altpick_policy policy;
    struct altpick_decisions decisions;
};

/* All cost 1 cycle everywhere and keep what they declare. */
static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);

    if (!f)
        return -1;
    f->question = altpick_question_find("nop.text-poke");
    if (!f->question)
        return -1;
    f->result.batches = 3;
    f->result.candidates = f->measurements;
    f->result.n_candidates = f->question->candidates(f->question, f->candidates);
    f->result.condition[ALTPICK_HOT].asked = true;
    for (size_t i = 0; i < f->result.n_candidates; i++) {
        struct altpick_measurement *m = &f->measurements[i];

        m->candidate = f->candidates[i];
        m->status = ALTPICK_STATUS_MEASURED;
        m->cost[ALTPICK_HOT] =
            (struct altpick_cost){ALTPICK_STATUS_MEASURED, 72, 1000000, 998000, 1002000};
        for (unsigned g = 0; g < ALTPICK_N_GUARANTEES; g++)
            m->guarantee[g] = m->candidate.guarantees >> g & 1 ? ALTPICK_GUARANTEE_IS_CHECKED : 0;
    }
    altpick_policy_init(&f->policy);
    f->policy.target = ALTPICK_TARGET_THIS_CPU;
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    free(*state);
    return 0;
}

static struct altpick_measurement *find(struct fixture *f, const char *name)
{
    for (size_t i = 0; i < f->result.n_candidates; i++) {
        if (strcmp(f->measurements[i].candidate.name, name) == 0)
            return &f->measurements[i];
    }
    fail_msg("no candidate %s", name);
    return f->measurements;
}

static void set_cost(struct fixture *f, const char *name, uint64_t micro)
{
    find(f, name)->cost[ALTPICK_HOT] = (struct altpick_cost){
        ALTPICK_STATUS_MEASURED, 72, micro, micro - micro / 500, micro + micro / 500};
}

/* Decide and return the decision about @bytes bytes. */
static const struct altpick_decision *decide(struct fixture *f, unsigned bytes)
{
    altpick_decide(f->question, &f->result, &f->policy, &f->decisions);
    assert_int_equal(f->decisions.n_decisions, 2);
    return altpick_decision_find(&f->decisions, bytes == 5 ? "nop.text-poke.5" : "nop.text-poke.2");
}

static const struct altpick_entry *entry(const struct altpick_decision *d, const char *name)
{
    for (size_t i = 0; i < d->contest.n_entries; i++) {
        if (strcmp(d->contest.entries[i].name, name) == 0)
            return &d->contest.entries[i];
    }
    fail_msg("no entry %s", name);
    return d->contest.entries;
}

static void assert_winner(const struct altpick_decision *d, const char *name, int verdict)
{
    assert_non_null(d);
    assert_string_equal(d->contest.entries[d->winner].name, name);
    assert_int_equal(d->verdict, verdict);
}

static void the_recommended_bytes_are_pinned_and_the_cost_is_told(void **state)
{
    struct fixture *f = *state;
    const struct altpick_decision *d;

    set_cost(f, "lea64.5", 500000);
    set_cost(f, "jmp-short.2", 800000);
    d = decide(f, 5);
    assert_winner(d, "0f1f.5", ALTPICK_VERDICT_PINNED);
    assert_string_equal(d->contest.entries[d->rival].name, "lea64.5");
    assert_in_range(d->gain_ppm, 490000, 510000);
    assert_int_equal(d->distance_ppm, ALTPICK_DISTANCE_FAR);
    assert_false(d->displaced);
    d = decide(f, 2);
    assert_winner(d, "6690.2", ALTPICK_VERDICT_PINNED);
    assert_string_equal(d->contest.entries[d->rival].name, "jmp-short.2");
}

static void rebuild_world_lifts_the_pin(void **state)
{
    struct fixture *f = *state;

    f->policy.rebuild_world = true;
    assert_winner(decide(f, 5), "0f1f.5", ALTPICK_VERDICT_TIE);
    set_cost(f, "lea64.5", 500000);
    assert_winner(decide(f, 5), "lea64.5", ALTPICK_VERDICT_CLEAR);
    f->policy.target = ALTPICK_TARGET_ANY_X86_64; /* nothing is published about it */
    assert_winner(decide(f, 5), "0f1f.5", ALTPICK_VERDICT_ONLY_ELIGIBLE);
}

static void speed_does_not_buy_back_a_guarantee(void **state)
{
    static const struct {
        const char *name, *out;
    } lacking[] = {
        {"k8.5",      "lacks one-instruction"  },
        {"lea32.5",   "lacks no-register-write"},
        {"fdisi.5",   "lacks cannot-fault"     },
        {"feni.5",    "lacks cannot-fault"     },
        {"mov-esi.2", "lacks no-register-write"},
        {"mov-edi.2", "lacks no-register-write"},
        {"90.2",      "lacks one-instruction"  },
    };
    struct fixture *f = *state;

    f->policy.rebuild_world = true;
    for (size_t i = 0; i < sizeof lacking / sizeof *lacking; i++)
        set_cost(f, lacking[i].name, 100000);
    for (size_t i = 0; i < sizeof lacking / sizeof *lacking; i++) {
        bool five = strstr(lacking[i].name, ".5") != NULL;
        const struct altpick_decision *d = decide(f, five ? 5 : 2);

        assert_winner(d, five ? "0f1f.5" : "6690.2", ALTPICK_VERDICT_TIE);
        assert_string_equal(entry(d, lacking[i].name)->out, lacking[i].out);
    }
}

static void a_policy_may_pin_another_but_not_what_is_filtered(void **state)
{
    struct fixture *f = *state;

    strcpy(f->policy.pins[0].item, "nop.text-poke.5");
    strcpy(f->policy.pins[0].candidate, "xchg.5");
    f->policy.n_pins = 1;
    assert_winner(decide(f, 5), "xchg.5", ALTPICK_VERDICT_PINNED);
    strcpy(f->policy.pins[0].candidate, "fdisi.5");
    assert_winner(decide(f, 5), "0f1f.5", ALTPICK_VERDICT_PINNED);
}

static void a_contradiction_unpins(void **state)
{
    struct fixture *f = *state;

    find(f, "0f1f.5")->guarantee[ALTPICK_GUARANTEE_NO_REGISTER_WRITE] =
        ALTPICK_GUARANTEE_IS_CONTRADICTED;
    assert_winner(decide(f, 5), "6690.5", ALTPICK_VERDICT_TIE);
}

/* The bytes decide, not the names. */
static void the_pin_follows_the_bytes(void **state)
{
    struct fixture *f = *state;
    struct altpick_candidate *a = &find(f, "0f1f.5")->candidate;
    struct altpick_candidate *b = &find(f, "xchg.5")->candidate;
    uint8_t code[5];

    memcpy(code, a->code, 5);
    memcpy(a->code, b->code, 5);
    memcpy(b->code, code, 5);
    assert_winner(decide(f, 5), "xchg.5", ALTPICK_VERDICT_PINNED);
}

#define ON(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

ALTPICK_TEST_MAIN(ON(the_recommended_bytes_are_pinned_and_the_cost_is_told),
                  ON(rebuild_world_lifts_the_pin), ON(speed_does_not_buy_back_a_guarantee),
                  ON(a_policy_may_pin_another_but_not_what_is_filtered), ON(a_contradiction_unpins),
                  ON(the_pin_follows_the_bytes))
