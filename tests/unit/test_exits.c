/* SPDX-License-Identifier: MIT */
/* Which costs look like they hold a VM exit, on figures made up for it. */
#include "exits.h"
#include "test.h"

#include <stdbool.h>
#include <string.h>

#define MICRO UINT64_C(1000000)

enum { NAMES = 16, EXIT = 2000, IMUL_X100 = 300 }; /* a tick is a cycle */

/* A machine with one question, whose candidates come with their figures. */
static struct {
    struct altpick_trust_figures figures;
    struct altpick_measurement measurements[NAMES];
    struct altpick_result result;
    struct altpick_machine machine;
} m;

static void set_ticks(uint64_t cpuid, uint64_t imul_x100)
{
    m.figures.ticks_x100[ALTPICK_TRUST_CPUID] = cpuid * 100;
    m.figures.ticks_x100[ALTPICK_TRUST_IMUL_CHAIN] = imul_x100;
}

static int set_up(void **state)
{
    (void) state;
    memset(&m, 0, sizeof m);
    for (unsigned k = 0; k < ALTPICK_N_TRUST_KERNELS; k++)
        m.figures.ticks_x100[k] = UINT64_MAX;
    set_ticks(EXIT, IMUL_X100);
    strcpy(m.result.question, "fpu.switch");
    m.result.candidates = m.measurements;
    m.machine.results = &m.result;
    m.machine.n_results = 1;
    return 0;
}

static struct altpick_measurement *at(const char *name)
{
    size_t i = 0;

    while (i < m.result.n_candidates && strcmp(m.measurements[i].candidate.name, name) != 0)
        i++;
    if (i == m.result.n_candidates) {
        assert_true(m.result.n_candidates < NAMES);
        strcpy(m.measurements[m.result.n_candidates++].candidate.name, name);
    }
    return &m.measurements[i];
}

/* An interval of @spread cycles to both sides. */
static void set(const char *name, enum altpick_condition condition, uint64_t cycles,
                uint64_t spread)
{
    struct altpick_measurement *measurement = at(name);

    measurement->status = ALTPICK_STATUS_MEASURED;
    measurement->cost[condition] = (struct altpick_cost){.status = ALTPICK_STATUS_MEASURED,
                                                         .count = 9,
                                                         .cycles_micro = cycles * MICRO,
                                                         .low_micro = (cycles - spread) * MICRO,
                                                         .high_micro = (cycles + spread) * MICRO};
}

static size_t mark(void)
{
    return altpick_exits_mark(&m.figures, &m.machine);
}

static bool is_marked(const char *name)
{
    return strncmp(at(name)->reason, ALTPICK_EXITS_REASON, strlen(ALTPICK_EXITS_REASON)) == 0;
}

/* What each takes on a core of its own, by the thread of 2015 or generously. */
static const struct {
    const char *name;
    uint64_t own;
} alone[] = {
    {"cr0-read",  4   },
    {"cr0-write", 208 },
    {"clts",      208 },
    {"stts+clts", 420 },
    {"nm",        1156},
    {"nm-sse",    1156},
    {"nm-avx",    1156},
    {"nm-xsave",  1156},
};

static void native_costs_are_not_marked(void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
        set(alone[i].name, ALTPICK_WARM, alone[i].own, 0);
    set("xsavec", ALTPICK_WARM, 100, 2);
    set("xsaves", ALTPICK_WARM, 130, 2);
    set("xrstor", ALTPICK_WARM, 100, 2);
    set("xrstors", ALTPICK_WARM, 130, 2);
    assert_int_equal(mark(), 0);
    assert_int_equal(m.machine.n_warnings, 0);
    for (size_t i = 0; i < m.result.n_candidates; i++)
        assert_string_equal(m.measurements[i].reason, "");
}

static void from_six_tenths_of_cpuid_on_it_is_an_exit(void **state)
{
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++) {
        set_up(state);
        set(alone[i].name, ALTPICK_WARM, alone[i].own + EXIT * 6 / 10 - 1, 0);
        assert_int_equal(mark(), 0);
        set(alone[i].name, ALTPICK_WARM, alone[i].own + EXIT * 6 / 10, 0);
        assert_int_equal(mark(), 1);
        assert_true(is_marked(alone[i].name));
    }
}

static void saves_are_held_against_their_untrapped_siblings(void **state)
{
    (void) state;
    set("xsavec", ALTPICK_WARM, 5000, 10);
    set("xsaves", ALTPICK_WARM, 5000 + EXIT * 6 / 10 + 20, 10);
    set("xrstor", ALTPICK_WARM, 5000, 10);
    set("xrstors", ALTPICK_WARM, 5000 + EXIT * 6 / 10 + 19, 10);
    assert_int_equal(mark(), 1);
    assert_true(is_marked("xsaves"));
    assert_false(is_marked("xrstors"));
}

static void without_its_sibling_it_is_not_judged(void **state)
{
    (void) state;
    set("xsaves", ALTPICK_WARM, 100 * EXIT, 0);
    assert_int_equal(mark(), 0);
    set("xsavec", ALTPICK_COLD_DATA, 100, 0);
    assert_int_equal(mark(), 0);
}

static void one_kind_of_nm_may_leave_alone(void **state)
{
    (void) state;
    set("nm", ALTPICK_WARM, 500, 0);
    set("nm-sse", ALTPICK_WARM, 500, 0);
    set("nm-avx", ALTPICK_WARM, 500 + EXIT * 7 / 10, 0);
    assert_int_equal(mark(), 1);
    assert_true(is_marked("nm-avx"));
    assert_non_null(strstr(at("nm-avx")->reason, "1400 cycles beyond nm;"));
}

/* An exit does not depend on caches: a miss is none. */
static void the_cheapest_condition_counts(void **state)
{
    (void) state;
    set("cr0-read", ALTPICK_WARM, 30, 0);
    set("cr0-read", ALTPICK_COLD_CODE, 3 * EXIT, 0);
    assert_int_equal(mark(), 0);
    set("cr0-read", ALTPICK_WARM, EXIT, 0);
    assert_int_equal(mark(), 1);
}

static void the_interval_speaks_against_it(void **state)
{
    (void) state;
    set("clts", ALTPICK_WARM, EXIT, EXIT / 2);
    assert_int_equal(mark(), 0);
}

static void where_cpuid_stays_nothing_leaves(void **state)
{
    (void) state;
    set("cr0-write", ALTPICK_WARM, 100000, 0);
    set_ticks(600 * IMUL_X100 / 300, IMUL_X100);
    assert_int_equal(altpick_exits_cost_micro(&m.figures), 0);
    assert_int_equal(mark(), 0);
    m.figures.ticks_x100[ALTPICK_TRUST_CPUID] = UINT64_MAX; /* it was not timed */
    assert_int_equal(mark(), 0);
    set_ticks(600 * IMUL_X100 / 300 + 1, IMUL_X100);
    assert_int_equal(mark(), 1);
}

/* CPUID is timed in ticks, costs are in cycles; a multiplication takes three. */
static void ticks_become_cycles(void **state)
{
    (void) state;
    set_ticks(590, 150); /* a core at twice the counter's rate */
    assert_int_equal(altpick_exits_cost_micro(&m.figures), 1180 * MICRO);
    set_ticks(1500, 150);
    assert_int_equal(altpick_exits_cost_micro(&m.figures), 3000 * MICRO);
    set_ticks(1500, 190);
    assert_in_range(altpick_exits_cost_micro(&m.figures), 2368 * MICRO, 2369 * MICRO);
    m.figures.ticks_x100[ALTPICK_TRUST_IMUL_CHAIN] = UINT64_MAX;
    assert_int_equal(altpick_exits_cost_micro(&m.figures), 1500 * MICRO);
    m.figures.ticks_x100[ALTPICK_TRUST_IMUL_CHAIN] = 0;
    assert_int_equal(altpick_exits_cost_micro(&m.figures), 1500 * MICRO);
}

static void absurd_figures_mark_nothing_wrongly(void **state)
{
    (void) state;
    set("clts", ALTPICK_WARM, 50, 0);
    at("clts")->cost[ALTPICK_WARM].low_micro = UINT64_MAX;
    set_ticks(70000, 1);
    assert_int_equal(mark(), 1);
    set_up(state);
    set("xsavec", ALTPICK_WARM, 50, 0);
    set("xsaves", ALTPICK_WARM, 50, 0);
    at("xsavec")->cost[ALTPICK_WARM].high_micro = UINT64_MAX;
    at("xsaves")->cost[ALTPICK_WARM].low_micro = UINT64_MAX;
    assert_int_equal(mark(), 0);
}

static void what_has_a_reason_or_no_figure_keeps_that(void **state)
{
    (void) state;
    set("clts", ALTPICK_WARM, 10 * EXIT, 0);
    strcpy(at("clts")->reason, "faulted: #GP");
    set("nm", ALTPICK_WARM, 10 * EXIT, 0);
    at("nm")->status = ALTPICK_STATUS_FAULTED;
    set("cr0-read", ALTPICK_WARM, 10 * EXIT, 0);
    at("cr0-read")->cost[ALTPICK_WARM].status = ALTPICK_STATUS_PUBLISHED;
    assert_int_equal(mark(), 0);
    assert_string_equal(at("clts")->reason, "faulted: #GP");
    assert_string_equal(at("nm")->reason, "");
}

static void it_is_said_in_words_and_once(void **state)
{
    (void) state;
    set("cr0-write", ALTPICK_WARM, 2208, 0);
    set("clts", ALTPICK_WARM, 2208, 0);
    set("cr0-read", ALTPICK_WARM, 8, 0);
    assert_int_equal(mark(), 2);
    assert_string_equal(at("cr0-write")->reason,
                        "looks like a VM exit: 2000 cycles beyond what a core takes; CPUID, which "
                        "leaves the guest, takes 2000");
    assert_int_equal(m.machine.n_warnings, 1);
    assert_string_equal(m.machine.warnings[0],
                        "fpu.switch: costs that hold a VM exit: cr0-write, clts");
    assert_int_equal(at("clts")->status, ALTPICK_STATUS_MEASURED);
    assert_int_equal(mark(), 0); /* the same again changes nothing */
    assert_int_equal(m.machine.n_warnings, 1);
}

static void a_full_list_of_warnings_stays_as_it_is(void **state)
{
    (void) state;
    m.machine.n_warnings = ALTPICK_WARNINGS_MAX;
    set("clts", ALTPICK_WARM, 10 * EXIT, 0);
    assert_int_equal(mark(), 1);
    assert_int_equal(m.machine.n_warnings, ALTPICK_WARNINGS_MAX);
}

static void all_of_them_fit_into_one_warning(void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
        set(alone[i].name, ALTPICK_WARM, 9999999, 0);
    set("xsavec", ALTPICK_WARM, 100, 0);
    set("xsaves", ALTPICK_WARM, 9999999, 0);
    set("xrstor", ALTPICK_WARM, 100, 0);
    set("xrstors", ALTPICK_WARM, 9999999, 0);
    assert_int_equal(mark(), 10);
    assert_non_null(strstr(m.machine.warnings[0], "nm-xsave, xsaves, xrstors"));
}

#define T(name) cmocka_unit_test_setup(name, set_up)

ALTPICK_TEST_MAIN(T(native_costs_are_not_marked), T(from_six_tenths_of_cpuid_on_it_is_an_exit),
                  T(saves_are_held_against_their_untrapped_siblings),
                  T(without_its_sibling_it_is_not_judged), T(one_kind_of_nm_may_leave_alone),
                  T(the_cheapest_condition_counts), T(the_interval_speaks_against_it),
                  T(where_cpuid_stays_nothing_leaves), T(ticks_become_cycles),
                  T(absurd_figures_mark_nothing_wrongly),
                  T(what_has_a_reason_or_no_figure_keeps_that), T(it_is_said_in_words_and_once),
                  T(a_full_list_of_warnings_stays_as_it_is), T(all_of_them_fit_into_one_warning))
