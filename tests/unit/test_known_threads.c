/* SPDX-License-Identifier: MIT */
/* Figures of threads about code other than NOPs, as machines. */
#include "known.h"

#include "altpick/xstate.h"
#include "known_find.h"
#include "test.h"

#include <string.h>

#define CONDITION(id) (1u << ALTPICK_##id)

/* Questions as far as figures are concerned, whatever is registered. */
static const struct altpick_question fpu_init = {
    .name = "fpu.init",
    .conditions = CONDITION(WARM) | CONDITION(COLD_BOTH),
};
static const struct altpick_question kernel_fpu = {
    .name = "kernel-fpu.begin",
    .conditions = CONDITION(WARM) | CONDITION(SSE_4096) | CONDITION(PREFETCH_4096) |
                  CONDITION(AVX2_4096) | CONDITION(AVX512_4096),
};
static const struct altpick_question refcount = {
    .name = "refcount",
    .conditions = CONDITION(WARM) | CONDITION(CONTENDED),
};
static const struct altpick_question fpu_switch = {
    .name = "fpu.switch",
    .conditions = CONDITION(WARM) | CONDITION(DIRTY),
};

struct known {
    size_t index;
    struct altpick_machine machine;
};

static struct known known_called(const char *name)
{
    struct known known;
    struct altpick_diag diag;

    if (altpick_known_find(name, &known.index, &diag) != ALTPICK_OK)
        fail_msg("%s", diag.text);
    altpick_known_identify(known.index, NULL, &known.machine);
    return known;
}

static struct altpick_measurement measurement_of(const struct known *known,
                                                 const struct altpick_question *question,
                                                 const char *candidate, uint64_t needs)
{
    struct altpick_measurement m = {
        .candidate = {.needs = needs, .guarantees = 1}
    };

    strcpy(m.candidate.name, candidate);
    altpick_known_cost(known->index, &known->machine, question->name, &m);
    return m;
}

static void costs_are(const char *name, const struct altpick_question *question,
                      const char *candidate, enum altpick_condition condition, uint64_t micro)
{
    struct known known = known_called(name);
    struct altpick_measurement m = measurement_of(&known, question, candidate, 0);

    assert_int_equal(m.status, ALTPICK_STATUS_PUBLISHED);
    assert_int_equal(m.guarantee[0], ALTPICK_GUARANTEE_IS_DECLARED);
    assert_int_equal(m.cost[condition].status, ALTPICK_STATUS_PUBLISHED);
    assert_int_equal(m.cost[condition].cycles_micro, micro);
}

static void ten_shots_become_their_median_with_an_interval(void **state)
{
    struct known athlon = known_called("Athlon-MP-1600-2002");
    struct altpick_measurement m = measurement_of(&athlon, &fpu_init, "fxrstor", 0);
    const struct altpick_cost *cold = &m.cost[ALTPICK_COLD_BOTH];
    (void) state;

    assert_int_equal(cold->count, 10);
    assert_int_equal(cold->cycles_micro, 3240000000); /* 3213 and 3267 are in the middle */
    assert_int_equal(cold->low_micro, 2915000000);    /* second of ten */
    assert_int_equal(cold->high_micro, 3374000000);   /* ninth of ten */
    assert_int_equal(m.cost[ALTPICK_WARM].status, ALTPICK_STATUS_UNMEASURED);
    costs_are("Athlon-MP-1600-2002", &fpu_init, "clear-2002-mem", ALTPICK_COLD_BOTH, 2294000000);
    costs_are("PIII-800-2002", &fpu_init, "fxrstor", ALTPICK_COLD_BOTH, 3422000000);
    costs_are("PIII-800-2002", &fpu_init, "clear-2002-mem", ALTPICK_COLD_BOTH, 2324000000);
}

static void shares_become_costs_in_percent_and_are_exact(void **state)
{
    static const char e3[] = "E3-1280-v2-2021";
    struct known known = known_called(e3);
    struct altpick_measurement m = measurement_of(&known, &kernel_fpu, "both", 0);
    (void) state;

    assert_int_equal(m.cost[ALTPICK_AVX2_4096].low_micro, m.cost[ALTPICK_AVX2_4096].high_micro);
    costs_are(e3, &kernel_fpu, "none", ALTPICK_SSE_4096, 100000000);
    costs_are(e3, &kernel_fpu, "both", ALTPICK_AVX2_4096, 166666667);
    costs_are(e3, &kernel_fpu, "ldmxcsr", ALTPICK_AVX2_4096, 149253731);
    costs_are("Phenom-II-B77-2021", &kernel_fpu, "ldmxcsr", ALTPICK_SSE_4096, 108695652);
    costs_are("Phenom-II-B77-2021", &kernel_fpu, "both", ALTPICK_PREFETCH_4096, 121951220);
    costs_are("Xeon-3070-2021", &kernel_fpu, "both", ALTPICK_SSE_4096, 113636364);
}

static void a_pair_of_counts_is_shared_out_and_exceptions_are_single_figures(void **state)
{
    (void) state;
    costs_are("Refcount-2017", &refcount, "atomic.inc", ALTPICK_WARM, 19150150);
    costs_are("Refcount-2017", &refcount, "fast.dec_and_test", ALTPICK_WARM, 19141344);
    costs_are("Refcount-2017", &refcount, "full.inc", ALTPICK_WARM, 33717308);
    costs_are("Lazy-FPU-2015", &fpu_switch, "cr0-read", ALTPICK_WARM, 4000000);
    costs_are("Lazy-FPU-2015", &fpu_switch, "cr0-write", ALTPICK_WARM, 208000000);
    costs_are("Lazy-FPU-2015", &fpu_switch, "nm", ALTPICK_WARM, 1156000000);
}

static void what_a_cpu_lacks_is_unsupported_and_nothing_else_is(void **state)
{
    struct known p3 = known_called("PIII-800-2002"), e3 = known_called("E3-1280-v2-2021");
    struct known dump = known_called("Haswell");
    struct altpick_measurement m;
    (void) state;

    m = measurement_of(&p3, &fpu_init, "fxrstor", UINT64_C(1) << ALTPICK_CPU_XSAVE);
    assert_int_equal(m.status, ALTPICK_STATUS_UNSUPPORTED);
    assert_string_equal(m.reason, "needs xsave, which this CPU lacks");
    m = measurement_of(&p3, &fpu_init, "other", UINT64_C(1) << ALTPICK_CPU_SSE);
    assert_int_equal(m.status, ALTPICK_STATUS_UNMEASURED);
    assert_string_equal(m.reason, "");
    m = measurement_of(&e3, &kernel_fpu, "none", UINT64_C(1) << ALTPICK_CPU_AVX);
    assert_int_equal(m.status, ALTPICK_STATUS_PUBLISHED);
    m = measurement_of(&dump, &fpu_init, "other", UINT64_C(1) << ALTPICK_CPU_XSAVE);
    assert_int_equal(m.status, ALTPICK_STATUS_UNMEASURED); /* its features are not known */
}

static void a_result_says_what_is_published_and_of_which_components(void **state)
{
    struct known p3 = known_called("PIII-800-2002"), e3 = known_called("E3-1280-v2-2021");
    uint32_t legacy = 1u << ALTPICK_COMPONENT_X87 | 1u << ALTPICK_COMPONENT_XMM;
    struct altpick_result result;
    (void) state;

    assert_true(altpick_known_result(p3.index, &p3.machine, &fpu_init, &result));
    assert_true(altpick_result_is_published(&result));
    assert_int_equal(result.components, legacy);
    assert_true(result.condition[ALTPICK_WARM].asked);
    assert_int_equal(result.condition[ALTPICK_WARM].status, ALTPICK_STATUS_UNMEASURED);
    assert_string_equal(result.condition[ALTPICK_WARM].reason, "the thread has no figures of it");
    assert_int_equal(result.condition[ALTPICK_COLD_BOTH].status, ALTPICK_STATUS_PUBLISHED);
    assert_string_equal(result.condition[ALTPICK_COLD_BOTH].reason, "");
    assert_false(altpick_known_result(p3.index, &p3.machine, &kernel_fpu, &result));

    assert_true(altpick_known_result(e3.index, &e3.machine, &kernel_fpu, &result));
    assert_int_equal(result.components, legacy | 1u << ALTPICK_COMPONENT_YMM);
    assert_int_equal(result.condition[ALTPICK_AVX512_4096].status, ALTPICK_STATUS_UNMEASURED);
}

static void guarantee_is(const char *name, const char *candidate, enum altpick_guarantee guarantee,
                         enum altpick_guarantee_state state)
{
    struct known known = known_called(name);
    struct altpick_measurement m = measurement_of(&known, &fpu_init, candidate, 0);

    assert_int_equal(m.guarantee[guarantee], state);
}

static void code_of_2002_guarantees_what_it_did_on_its_cpu(void **state)
{
    (void) state;
    guarantee_is("PIII-800-2002", "clear-2002-mem", ALTPICK_GUARANTEE_NO_LEAK_XMM,
                 ALTPICK_GUARANTEE_IS_DECLARED);
    guarantee_is("Athlon-MP-1600-2002", "clear-2002-mem", ALTPICK_GUARANTEE_NO_LEAK_XMM,
                 ALTPICK_GUARANTEE_IS_DECLARED);
    guarantee_is("PIII-800-2002", "fxrstor", ALTPICK_GUARANTEE_NO_LEAK_X87_POINTERS,
                 ALTPICK_GUARANTEE_IS_DECLARED);
    guarantee_is("Athlon-MP-1600-2002", "fxrstor", ALTPICK_GUARANTEE_NO_LEAK_X87_POINTERS,
                 ALTPICK_GUARANTEE_IS_NONE); /* CVE-2006-1056 */
    guarantee_is("E3-1280-v2-2021", "clear-2002-mem", ALTPICK_GUARANTEE_NO_LEAK_XMM,
                 ALTPICK_GUARANTEE_IS_NONE);
}

ALTPICK_TEST_MAIN(
    cmocka_unit_test(ten_shots_become_their_median_with_an_interval),
    cmocka_unit_test(shares_become_costs_in_percent_and_are_exact),
    cmocka_unit_test(a_pair_of_counts_is_shared_out_and_exceptions_are_single_figures),
    cmocka_unit_test(what_a_cpu_lacks_is_unsupported_and_nothing_else_is),
    cmocka_unit_test(code_of_2002_guarantees_what_it_did_on_its_cpu),
    cmocka_unit_test(a_result_says_what_is_published_and_of_which_components))
