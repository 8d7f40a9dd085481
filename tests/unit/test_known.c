/* SPDX-License-Identifier: MIT */
/* CPUs with published figures: how they are found, what they cost, what is decided for them. */
#include "known.h"

#include "altpick/decide.h"
#include "known_find.h"
#include "nop_fill.h"
#include "profile_read.h"
#include "test.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct altpick_machine machine_called(const char *name)
{
    struct altpick_machine machine;
    struct altpick_diag diag;
    size_t index = 0;

    if (altpick_known_find(name, &index, &diag) != ALTPICK_OK)
        fail_msg("%s", diag.text);
    assert_int_equal(altpick_known_machine(index, &machine, &diag), ALTPICK_OK);
    return machine;
}

static const struct altpick_cost *hot_cost(const struct altpick_machine *machine, const char *name)
{
    const struct altpick_result *result = altpick_machine_result(machine, "nop.fill.64");

    assert_non_null(result);
    assert_non_null(altpick_result_candidate(result, name));
    return &altpick_result_candidate(result, name)->cost[ALTPICK_HOT];
}

static struct altpick_decisions *decide(const struct altpick_machine *machine,
                                        struct altpick_policy *policy, enum altpick_target target)
{
    struct altpick_decisions *decisions = calloc(1, sizeof *decisions);

    assert_non_null(decisions);
    altpick_policy_init(policy);
    policy->target = target;
    altpick_decide(altpick_question_find("nop.fill.64"),
                   altpick_machine_result(machine, "nop.fill.64"), policy, decisions);
    return decisions;
}

static const char *winner_of(const struct altpick_decision *decision)
{
    return decision->contest.entries[decision->winner].name;
}

static void a_name_finds_its_dumps_core(const char *text, const char *machine)
{
    struct altpick_machine known;
    struct altpick_diag diag;
    size_t index = 0;

    if (altpick_known_find(text, &index, &diag) != ALTPICK_OK)
        fail_msg("%s", diag.text);
    altpick_known_identify(index, NULL, &known);
    assert_string_equal(known.name, machine);
}

static void cpus_are_found_by_name_signature_or_brand(void **state)
{
    static const char bulldozer[] = "AuthenticAMD-21-1-2-Interlagos";
    (void) state;

    a_name_finds_its_dumps_core("k15_zambezi8c", bulldozer);
    a_name_finds_its_dumps_core("zambezi8", bulldozer);
    a_name_finds_its_dumps_core("FX(tm)-8150", bulldozer);
    a_name_finds_its_dumps_core("00600f12", bulldozer);
    a_name_finds_its_dumps_core("0x600F12", bulldozer);
    a_name_finds_its_dumps_core("21-1-2", bulldozer);
    a_name_finds_its_dumps_core(bulldozer, bulldozer);
    a_name_finds_its_dumps_core("Haswell", "GenuineIntel-6-60-3-Haswell2");
    a_name_finds_its_dumps_core("amd-f15H-2015", "AMD-F15h-2015");
}

static void ambiguous_and_unknown_names_are_refused_with_names(void **state)
{
    struct altpick_diag diag;
    size_t index = 77, commas = 0;
    (void) state;

    assert_int_equal(altpick_known_find("Conroe", &index, &diag), ALTPICK_ENOFIT);
    assert_non_null(strstr(diag.text, "GenuineIntel-6-15-4-Conroe"));
    assert_non_null(strstr(diag.text, "GenuineIntel-6-15-6-Conroe"));
    assert_int_equal(altpick_known_find("90672", &index, &diag), ALTPICK_ENOFIT);
    assert_int_equal(altpick_known_find("Intel", &index, &diag), ALTPICK_ENOFIT);
    for (const char *p = diag.text; *p; p++)
        commas += *p == ',';
    assert_int_equal(commas, 10); /* ten names and three dots */
    assert_int_equal(altpick_known_find("Silvermnt", &index, &diag), ALTPICK_ENOFIT);
    assert_non_null(strstr(diag.text, "'Silvermont'"));
    assert_int_equal(altpick_known_find("", &index, &diag), ALTPICK_ENOFIT);
    assert_int_equal(altpick_known_find("-", &index, &diag), ALTPICK_ENOFIT);
    assert_int_equal(index, 77);
}

static void names_are_unique(void **state)
{
    (void) state;
    for (size_t i = 0; i < altpick_known_count(); i++) {
        struct altpick_machine a, b;

        altpick_known_identify(i, NULL, &a);
        for (size_t k = 0; k < i; k++) {
            altpick_known_identify(k, NULL, &b);
            assert_string_not_equal(a.name, b.name);
        }
    }
}

static void one_nop_is_published_and_several_are_estimated(void **state)
{
    struct altpick_machine machine = machine_called("Interlagos");
    const struct altpick_cost *cost;
    (void) state;

    assert_int_equal(machine.cpu.family, 21);
    assert_int_equal(machine.cpu.model, 1);
    assert_int_equal(machine.cpu.stepping, 2);
    cost = hot_cost(&machine, "6690.2"); /* dumps: 0.25, 0.30, 0.25 */
    assert_int_equal(cost->status, ALTPICK_STATUS_PUBLISHED);
    assert_int_equal(cost->count, 3);
    assert_int_equal(cost->cycles_micro, 250000);
    assert_int_equal(cost->low_micro, 150000);
    assert_int_equal(cost->high_micro, 350000);

    cost = hot_cost(&machine, "k8.5");
    assert_int_equal(cost->status, ALTPICK_STATUS_ESTIMATED);
    assert_int_equal(cost->cycles_micro, 500000);
    assert_int_equal(cost->high_micro, 700000);
    assert_false(altpick_cost_is_known(cost));
    assert_int_equal(hot_cost(&machine, "jmp.8")->status, ALTPICK_STATUS_UNMEASURED);
    altpick_known_machine_fini(&machine);
}

static void spread_of_dumps_beyond_a_tenth_widens_the_interval(void **state)
{
    (void) state;
    for (size_t i = 0; i < altpick_known_count(); i++) {
        struct altpick_machine machine;
        struct altpick_diag diag;
        const struct altpick_result *result;
        bool seed;

        assert_int_equal(altpick_known_machine(i, &machine, &diag), ALTPICK_OK);
        seed = strstr(machine.name, "-2015") != NULL;
        result = altpick_machine_result(&machine, "nop.fill.64");
        assert_true(!result || altpick_result_is_published(result));
        for (size_t k = 0; result && k < result->n_candidates; k++) {
            const struct altpick_cost *cost = &result->candidates[k].cost[ALTPICK_HOT];

            if (cost->status == ALTPICK_STATUS_UNMEASURED)
                continue;
            assert_true(cost->low_micro > 0 && cost->low_micro <= cost->cycles_micro);
            assert_true(seed || cost->high_micro >= cost->cycles_micro + 100000);
        }
        altpick_known_machine_fini(&machine);
    }
}

static void a_profile_of_all_known_cpus_survives_the_round_trip(void **state)
{
    struct altpick_profile profile = {.n_machines = altpick_known_count()}, again;
    struct altpick_text first, second;
    struct altpick_out out;
    struct altpick_diag diag;
    (void) state;

    profile.machines = calloc(profile.n_machines, sizeof *profile.machines);
    assert_non_null(profile.machines);
    for (size_t i = 0; i < profile.n_machines; i++)
        assert_int_equal(altpick_known_machine(i, &profile.machines[i], &diag), ALTPICK_OK);
    altpick_text_init(&first, &out);
    assert_int_equal(altpick_profile_write(&profile, &out), 0);
    if (altpick_profile_parse("known.json", first.data, first.bytes, &again, &diag) != ALTPICK_OK)
        fail_msg("%s", diag.text);
    altpick_text_init(&second, &out);
    assert_int_equal(altpick_profile_write(&again, &out), 0);
    assert_int_equal(first.bytes, second.bytes);
    assert_memory_equal(first.data, second.data, first.bytes);
    altpick_text_fini(&first);
    altpick_text_fini(&second);
    altpick_profile_fini(&profile);
    altpick_profile_fini(&again);
}

static void an_estimate_never_wins(void **state)
{
    (void) state;
    for (size_t i = 0; i < altpick_known_count(); i++) {
        struct altpick_machine machine;
        struct altpick_diag diag;
        struct altpick_policy policy;
        struct altpick_decisions *decisions;

        assert_int_equal(altpick_known_machine(i, &machine, &diag), ALTPICK_OK);
        if (!altpick_machine_result(&machine, "nop.fill.64")) {
            altpick_known_machine_fini(&machine);
            continue;
        }
        decisions = decide(&machine, &policy, ALTPICK_TARGET_THIS_CPU);
        for (size_t k = 0; k < decisions->n_decisions; k++) {
            const struct altpick_decision *d = &decisions->decision[k];

            assert_true(!d->displaced ||
                        d->contest.entries[d->winner].measurement->cost[ALTPICK_HOT].status ==
                            ALTPICK_STATUS_PUBLISHED);
        }
        free(decisions);
        altpick_known_machine_fini(&machine);
    }
}

/* 0F1F of 11 bytes takes 4 cycles on Silvermont; two NOPs there take one. */
static void a_nop_that_is_toxic_on_its_own_machine_is_not_used_there(void **state)
{
    struct altpick_machine machine = machine_called("Silvermont");
    struct altpick_policy policy;
    struct altpick_decisions *decisions = decide(&machine, &policy, ALTPICK_TARGET_THIS_CPU);
    (void) state;

    assert_string_equal(winner_of(&decisions->decision[NOP_ITEM_LONGEST]), "10");
    assert_string_equal(winner_of(&decisions->decision[NOP_ITEM_PREFIXES]), "2");
    assert_string_equal(winner_of(&decisions->decision[11 - 1]), "split.11");
    free(decisions);
    altpick_known_machine_fini(&machine);
}

static void published_cores_that_prefer_66_get_it(void **state)
{
    struct altpick_machine machine = machine_called("Harpertown");
    struct altpick_policy policy;
    struct altpick_decisions *decisions = decide(&machine, &policy, ALTPICK_TARGET_ANY_X86_64);
    (void) state;

    assert_string_equal(winner_of(&decisions->decision[3 - 1]), "6690.3");
    assert_int_equal(decisions->decision[3 - 1].verdict, ALTPICK_VERDICT_CLEAR);
    free(decisions);
    altpick_known_machine_fini(&machine);
}

/* The thread: what its author timed and concluded. */

static const char *const families[] = {"AMD-F10h-2015", "AMD-F14h-2015", "AMD-F15h-2015",
                                       "AMD-F16h-2015"};

enum { N_FAMILIES = 4, SEQUENCES_FROM = 5, THREAD_LONGEST = 8 };

/* The one length from 5 on at which the author's figures are equal. */
static bool is_tie(const char *family, uint32_t bytes)
{
    return bytes == 8 && strcmp(family, "AMD-F15h-2015") == 0;
}

static void form_name(char *ret_name, const char *family, uint32_t bytes)
{
    snprintf(ret_name, ALTPICK_NAME_MAX, "%s.%u", family, bytes);
}

static void seeds_come_out_as_their_author_concluded(void **state)
{
    (void) state;
    for (size_t i = 0; i < 2 * N_FAMILIES; i++) {
        struct altpick_machine machine = machine_called(families[i / 2]);
        struct altpick_policy policy;
        struct altpick_decisions *decisions =
            decide(&machine, &policy, i % 2 ? ALTPICK_TARGET_ANY_X86_64 : ALTPICK_TARGET_THIS_CPU);

        for (uint32_t bytes = 3; bytes <= THREAD_LONGEST; bytes++) {
            const struct altpick_decision *d = &decisions->decision[bytes - 1];
            bool clear = bytes >= SEQUENCES_FROM && !is_tie(families[i / 2], bytes);
            char p6[ALTPICK_NAME_MAX];

            form_name(p6, "0f1f", bytes);
            assert_string_equal(winner_of(d), p6);
            assert_int_equal(d->verdict, clear ? ALTPICK_VERDICT_CLEAR : ALTPICK_VERDICT_TIE);
        }
        free(decisions);
        altpick_known_machine_fini(&machine);
    }
}

static void swap_columns(struct altpick_machine *machine)
{
    struct altpick_result *result = &machine->results[0];

    assert_string_equal(result->question, "nop.fill.64");
    for (uint32_t bytes = 3; bytes <= THREAD_LONGEST; bytes++) {
        char p6[ALTPICK_NAME_MAX], k8[ALTPICK_NAME_MAX];
        struct altpick_cost *a, *b, cost;

        form_name(p6, "0f1f", bytes);
        form_name(k8, bytes < SEQUENCES_FROM ? "6690" : "k8", bytes);
        a = (struct altpick_cost *) hot_cost(machine, p6);
        b = (struct altpick_cost *) hot_cost(machine, k8);
        cost = *a;
        *a = *b;
        *b = cost;
    }
}

static void seeds_with_their_columns_swapped_swap_the_answer(void **state)
{
    (void) state;
    for (size_t i = 0; i < N_FAMILIES; i++) {
        struct altpick_machine machine = machine_called(families[i]);
        struct altpick_policy policy;
        struct altpick_decisions *decisions;

        swap_columns(&machine);
        decisions = decide(&machine, &policy, ALTPICK_TARGET_ANY_X86_64);
        for (uint32_t bytes = SEQUENCES_FROM; bytes <= THREAD_LONGEST; bytes++) {
            const struct altpick_decision *d = &decisions->decision[bytes - 1];
            const struct altpick_candidate *winner =
                &d->contest.entries[d->winner].measurement->candidate;
            uint8_t k8[ALTPICK_NOP_LONGEST];

            altpick_nop_even(k8, bytes, 2, altpick_nop_6690);
            if (is_tie(families[i], bytes)) {
                assert_int_equal(d->verdict, ALTPICK_VERDICT_TIE);
                continue;
            }
            assert_int_equal(d->verdict, ALTPICK_VERDICT_CLEAR);
            assert_true(d->displaced);
            assert_memory_equal(winner->code, k8, bytes);
        }
        free(decisions);
        altpick_known_machine_fini(&machine);
    }
}

ALTPICK_TEST_MAIN(cmocka_unit_test(cpus_are_found_by_name_signature_or_brand),
                  cmocka_unit_test(ambiguous_and_unknown_names_are_refused_with_names),
                  cmocka_unit_test(names_are_unique),
                  cmocka_unit_test(one_nop_is_published_and_several_are_estimated),
                  cmocka_unit_test(spread_of_dumps_beyond_a_tenth_widens_the_interval),
                  cmocka_unit_test(a_profile_of_all_known_cpus_survives_the_round_trip),
                  cmocka_unit_test(an_estimate_never_wins),
                  cmocka_unit_test(a_nop_that_is_toxic_on_its_own_machine_is_not_used_there),
                  cmocka_unit_test(published_cores_that_prefer_66_get_it),
                  cmocka_unit_test(seeds_come_out_as_their_author_concluded),
                  cmocka_unit_test(seeds_with_their_columns_swapped_swap_the_answer))
