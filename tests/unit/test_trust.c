/* SPDX-License-Identifier: MIT */
/* The verdict on figures taken on real cores, in guests, under translators and interpreters. */
#include "altpick/clock.h"
#include "altpick/trust.h"
#include "test.h"
#include "trust_kernels.h"

#include <stdbool.h>
#include <string.h>

#define NONE UINT64_MAX /* the kernel faults or cannot be run */

/* In the order of ALTPICK_TRUST_KERNELS, ticks per 100 operations. */
static const struct machine {
    const char *name;
    uint64_t x100[ALTPICK_N_TRUST_KERNELS];
    uint32_t quantum_ticks;
    bool hypervisor;
    enum altpick_trust expected;
} machines[] = {
    {"intel server, ring 3 of a guest",
     {10, 190, 63, 317, 190, 760, 1499400, 3800, 37000, 3800},
     2,  true,
     ALTPICK_TRUST_GUEST        },
    {"the same with the bit hidden",
     {10, 190, 63, 317, 190, 760, 1499400, 3800, 37000, 3800},
     2,  false,
     ALTPICK_TRUST_GUEST        },
    {"intel server, kvm in that guest",
     {10, 195, 65, 324, 196, 780, 6605200, 3800, 32800, 3800},
     2,  true,
     ALTPICK_TRUST_GUEST        },
    {"ring 0 there, interpreted",
     {58200, 62600, 68300, 109100, NONE, 79100, 142400, 109100, 109100, 378200},
     2,  true,
     ALTPICK_TRUST_INTERPRETED  },
    {"qemu tcg",
     {1, 190, 65, 898, 3350, 0, 1200, 5200, 5400, 4800},
     2,  false,
     ALTPICK_TRUST_TRANSLATED   },
    {"qemu user mode",
     {0, 172, 58, 304, 3890, 0, 950, 2000, 2200, 2200},
     2,  false,
     ALTPICK_TRUST_TRANSLATED   },
    {"qemu tcg counting instructions",
     {100, 100, 100, 100, 101, 100, 200, 600, 600, 500},
     1,  false,
     ALTPICK_TRUST_INTERPRETED  },
    {"zen 4 guest",
     {7, 211, 70, 276, 205, 1193, 887900, 282, 29738, 6094},
     26, true,
     ALTPICK_TRUST_GUEST        },
    {"zen 4, the figures it would have without a hypervisor",
     {7, 211, 70, 276, 205, 1193, 11000, 282, 29738, 6094},
     26, false,
     ALTPICK_TRUST_NATIVE       },
    {"qemu user mode on zen 4",
     {0, 209, 73, 276, 4306, 3, 1950, 278, 81, 5078},
     26, true,
     ALTPICK_TRUST_TRANSLATED   },
    {"qemu tcg on zen 4",
     {0, 212, 77, 849, 4518, 16, 1950, 847, 650, 6338},
     26, false,
     ALTPICK_TRUST_TRANSLATED   },
    {"a guest whose counter is trapped",
     {7, 211, 70, 276, 205, 1193, 887900, 282, 29738, 210000},
     1,  true,
     ALTPICK_TRUST_TRAPPED_CLOCK},
};

static const struct machine *machine_named(const char *name)
{
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        if (strcmp(machines[i].name, name) == 0)
            return &machines[i];
    }
    fail_msg("no machine %s", name);
    return NULL;
}

static struct altpick_trust_figures figures_of(const struct machine *machine)
{
    struct altpick_trust_figures figures = {.quantum_ticks = machine->quantum_ticks};

    memcpy(figures.ticks_x100, machine->x100, sizeof figures.ticks_x100);
    return figures;
}

static struct altpick_trust_verdict judge(const struct altpick_trust_figures *figures,
                                          bool hypervisor)
{
    struct altpick_cpu cpu = {0};
    struct altpick_trust_verdict verdict;

    if (hypervisor)
        cpu.features[ALTPICK_CPU_HYPERVISOR / 32] |= 1u << ALTPICK_CPU_HYPERVISOR % 32;
    memset(&verdict, 0xa5, sizeof verdict);
    altpick_trust_judge(figures, &cpu, &verdict);
    return verdict;
}

static void known_machines_are_judged_right(void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        const struct machine *m = &machines[i];
        struct altpick_trust_figures figures = figures_of(m);
        struct altpick_trust_verdict verdict = judge(&figures, m->hypervisor);

        if (verdict.trust != m->expected)
            fail_msg("%s: %s", m->name, altpick_trust_name(verdict.trust));
        assert_int_equal(verdict.n_reasons == 0, verdict.trust == ALTPICK_TRUST_NATIVE);
        for (size_t r = 0; r < verdict.n_reasons; r++)
            assert_non_null(verdict.reason[r]);
    }
}

/* Ten times too small, ten times too large, zero or missing: whatever one kernel reads. */
static void one_odd_reading_does_not_make_a_fake_of_a_core(void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        if (!altpick_trust_is_usable(machines[i].expected))
            continue;
        for (unsigned k = 0; k < ALTPICK_N_TRUST_KERNELS; k++) {
            uint64_t is = machines[i].x100[k];
            const uint64_t odd[] = {0, is / 10, is / 2, is * 2, NONE};

            for (size_t o = 0; o < sizeof odd / sizeof *odd; o++) {
                struct altpick_trust_figures figures = figures_of(&machines[i]);

                if (k == ALTPICK_TRUST_IMUL_CHAIN)
                    continue; /* the yardstick: see the next test */
                figures.ticks_x100[k] = odd[o];
                if (!altpick_trust_is_usable(judge(&figures, machines[i].hypervisor).trust))
                    fail_msg("%s: kernel %u reads %llu", machines[i].name, k,
                             (unsigned long long) odd[o]);
            }
        }
    }
}

static void the_yardstick_may_be_off_by_half(void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        struct altpick_trust_figures figures = figures_of(&machines[i]);

        if (!altpick_trust_is_usable(machines[i].expected))
            continue;
        figures.ticks_x100[ALTPICK_TRUST_IMUL_CHAIN] =
            figures.ticks_x100[ALTPICK_TRUST_IMUL_CHAIN] * 3 / 2;
        assert_true(altpick_trust_is_usable(judge(&figures, machines[i].hypervisor).trust));
    }
}

static void any_one_reading_may_be_missing_under_a_translator(void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        if (machines[i].expected != ALTPICK_TRUST_TRANSLATED)
            continue;
        for (unsigned k = 0; k < ALTPICK_N_TRUST_KERNELS; k++) {
            struct altpick_trust_figures figures = figures_of(&machines[i]);

            figures.ticks_x100[k] = NONE;
            if (altpick_trust_is_usable(judge(&figures, machines[i].hypervisor).trust))
                fail_msg("%s without kernel %u", machines[i].name, k);
        }
    }
}

static void a_cheap_lfence_alone_is_not_a_translator(void **state)
{
    struct altpick_trust_figures figures =
        figures_of(machine_named("zen 4, the figures it would have without a hypervisor"));
    (void) state;

    figures.ticks_x100[ALTPICK_TRUST_LFENCE] = 20;
    assert_int_equal(judge(&figures, false).trust, ALTPICK_TRUST_NATIVE);
}

static void a_clock_that_does_not_advance_is_unstable(void **state)
{
    struct altpick_trust_figures still = {.quantum_ticks = 0};
    struct altpick_trust_figures coarse = figures_of(&machines[0]);
    struct altpick_trust_figures backwards = figures_of(&machines[0]);
    (void) state;

    coarse.quantum_ticks = 100000;
    backwards.backwards = true;
    assert_int_equal(judge(&still, false).trust, ALTPICK_TRUST_UNSTABLE);
    assert_int_equal(judge(&coarse, false).trust, ALTPICK_TRUST_UNSTABLE);
    assert_int_equal(judge(&backwards, false).trust, ALTPICK_TRUST_UNSTABLE);
}

static void reasons_name_the_rules_that_fired(void **state)
{
    struct altpick_trust_figures figures = figures_of(machine_named("qemu tcg"));
    struct altpick_trust_verdict verdict = judge(&figures, false);
    (void) state;

    assert_int_equal(verdict.n_reasons, 6);
    assert_non_null(strstr(verdict.reason[0], "nop < imul/80"));
}

static void only_native_and_guest_are_usable(void **state)
{
    (void) state;
    for (unsigned t = 0; t < ALTPICK_N_TRUSTS; t++)
        assert_int_equal(altpick_trust_is_usable((enum altpick_trust) t),
                         t == ALTPICK_TRUST_NATIVE || t == ALTPICK_TRUST_GUEST);
}

static void measuring_fills_every_figure(void **state)
{
    struct altpick_trust_figures figures;
    struct altpick_cpu cpu;
    (void) state;

    altpick_cpu_read(&altpick_cpuid_native, &cpu);
    memset(&figures, 0xa5, sizeof figures);
    altpick_trust_measure(&cpu, NULL, &figures);
    assert_int_not_equal(figures.quantum_ticks, 0);
    assert_false(figures.backwards);
    assert_false(figures.out_of_time);
    for (unsigned k = 0; k < ALTPICK_N_TRUST_KERNELS; k++)
        assert_true(figures.ticks_x100[k] < UINT64_C(1) << 40);
}

static void what_the_cpu_lacks_is_not_run(void **state)
{
    struct altpick_trust_figures figures;
    struct altpick_cpu none = {0};
    (void) state;

    altpick_trust_measure(&none, NULL, &figures);
    assert_false(figures.out_of_time);
    for (unsigned k = 0; k < ALTPICK_N_TRUST_KERNELS; k++)
        assert_true(figures.ticks_x100[k] == NONE);
}

/* A translator whose CPUID has no counter ran none of the kernels, and passed for a core. */
static void no_figures_are_no_evidence_of_a_core(void **state)
{
    struct altpick_trust_verdict verdict;
    struct altpick_trust_figures figures;
    struct altpick_cpu none = {0};
    (void) state;

    altpick_trust_measure(&none, NULL, &figures);
    altpick_trust_judge(&figures, &none, &verdict);
    assert_int_equal(verdict.trust, ALTPICK_TRUST_UNSTABLE);
    assert_string_equal(verdict.reason[0],
                        "CPUID tells of no time-stamp counter: nothing was timed");
}

static void few_rounds_fill_every_figure_too(void **state)
{
    const struct altpick_trust_effort effort = {.rounds = 1, .deadline_ticks = UINT64_MAX};
    struct altpick_trust_figures figures;
    struct altpick_cpu cpu;
    (void) state;

    altpick_cpu_read(&altpick_cpuid_native, &cpu);
    altpick_trust_measure(&cpu, &effort, &figures);
    assert_false(figures.out_of_time);
    for (unsigned k = 0; k < ALTPICK_N_TRUST_KERNELS; k++)
        assert_true(figures.ticks_x100[k] < UINT64_C(1) << 40);
}

static void spend(uint64_t ticks)
{
    uint64_t start = altpick_clock_start();

    while (altpick_clock_start() - start < ticks)
        ;
}

static void run_for_a_while(struct altpick_trust_ring *ring)
{
    (void) ring;
    spend(20000);
}

static void run_other_too_soon(struct altpick_trust_ring *ring)
{
    (void) ring;
    fail_msg("executed in what says to be an interpreter");
}

/*
 * Kernels that all take the same time.  With as many operations in each, every instruction costs
 * the same, as in an interpreter; on a core the others do ten times as many as the chain of imul.
 */
static void a_cpu_of(bool interpreted, struct altpick_trust_code *codes)
{
    memcpy(codes, altpick_trust_codes, ALTPICK_N_TRUST_KERNELS * sizeof *codes);
    for (unsigned k = 0; k < ALTPICK_N_TRUST_KERNELS; k++) {
        codes[k].prepare = NULL;
        codes[k].run = interpreted && !codes[k].integer ? run_other_too_soon : run_for_a_while;
        codes[k].ops = codes[k].integer && !interpreted ? 10000 : 1000;
    }
    codes[ALTPICK_TRUST_IMUL_CHAIN].ops = 1000;
}

static void measure_codes(const struct altpick_trust_code *codes,
                          const struct altpick_trust_effort *effort,
                          struct altpick_trust_figures *ret_figures)
{
    struct altpick_cpu cpu;

    memset(cpu.features, 0xff, sizeof cpu.features);
    altpick_trust_measure_codes(codes, &cpu, effort, ret_figures);
}

static void an_interpreter_is_given_integer_instructions_only(void **state)
{
    const struct altpick_trust_effort effort = {.rounds = 3, .deadline_ticks = UINT64_MAX};
    struct altpick_trust_code codes[ALTPICK_N_TRUST_KERNELS];
    struct altpick_trust_figures figures;
    (void) state;

    a_cpu_of(true, codes);
    measure_codes(codes, &effort, &figures);
    for (unsigned k = 0; k < ALTPICK_N_TRUST_KERNELS; k++)
        assert_int_equal(figures.ticks_x100[k] != NONE, codes[k].integer);
    assert_int_equal(judge(&figures, false).trust, ALTPICK_TRUST_INTERPRETED);
}

static void the_integer_stage_holds_no_other_instruction(void **state)
{
    static const bool integer[ALTPICK_N_TRUST_KERNELS] = {
        [ALTPICK_TRUST_NOP] = true,        [ALTPICK_TRUST_IMUL_CHAIN] = true,
        [ALTPICK_TRUST_IMUL_FREE] = true,  [ALTPICK_TRUST_LOAD_CHAIN] = true,
        [ALTPICK_TRUST_CLOCK_PAIR] = true,
    };
    (void) state;

    for (unsigned k = 0; k < ALTPICK_N_TRUST_KERNELS; k++)
        assert_int_equal(altpick_trust_codes[k].integer, integer[k]);
}

static void a_core_runs_all_kernels_after_two_rounds_of_integers(void **state)
{
    const struct altpick_trust_effort effort = {.rounds = 1, .deadline_ticks = UINT64_MAX};
    struct altpick_trust_code codes[ALTPICK_N_TRUST_KERNELS];
    struct altpick_trust_figures figures;
    (void) state;

    a_cpu_of(false, codes);
    measure_codes(codes, &effort, &figures);
    for (unsigned k = 0; k < ALTPICK_N_TRUST_KERNELS; k++)
        assert_true(figures.ticks_x100[k] != NONE);
    assert_int_not_equal(judge(&figures, false).trust, ALTPICK_TRUST_INTERPRETED);
}

static void a_deadline_that_has_passed_runs_nothing_and_is_no_core(void **state)
{
    const struct altpick_trust_effort effort = {.rounds = 21, .deadline_ticks = 0};
    struct altpick_trust_code codes[ALTPICK_N_TRUST_KERNELS];
    struct altpick_trust_figures figures;
    struct altpick_trust_verdict verdict;
    (void) state;

    a_cpu_of(false, codes);
    measure_codes(codes, &effort, &figures);
    for (unsigned k = 0; k < ALTPICK_N_TRUST_KERNELS; k++)
        assert_true(figures.ticks_x100[k] == NONE);
    assert_true(figures.out_of_time);
    verdict = judge(&figures, true);
    assert_int_equal(verdict.trust, ALTPICK_TRUST_UNSTABLE);
    assert_non_null(strstr(verdict.reason[0], "time given"));
}

static void a_deadline_ends_rounds_but_not_what_is_known(void **state)
{
    struct altpick_trust_effort effort = {.rounds = 1000};
    struct altpick_trust_code codes[ALTPICK_N_TRUST_KERNELS];
    struct altpick_trust_figures figures;
    (void) state;

    a_cpu_of(false, codes);
    effort.deadline_ticks = altpick_clock_start() + 50000000;
    measure_codes(codes, &effort, &figures);
    assert_false(figures.out_of_time);
    assert_true(altpick_clock_start() >= effort.deadline_ticks);
    for (unsigned k = 0; k < ALTPICK_N_TRUST_KERNELS; k++)
        assert_true(figures.ticks_x100[k] != NONE);
}

static void what_says_interpreted_needs_no_more_time(void **state)
{
    struct altpick_trust_figures figures = figures_of(machine_named("ring 0 there, interpreted"));
    (void) state;

    figures.out_of_time = true;
    assert_int_equal(judge(&figures, true).trust, ALTPICK_TRUST_INTERPRETED);
}

ALTPICK_TEST_MAIN(cmocka_unit_test(known_machines_are_judged_right),
                  cmocka_unit_test(one_odd_reading_does_not_make_a_fake_of_a_core),
                  cmocka_unit_test(the_yardstick_may_be_off_by_half),
                  cmocka_unit_test(any_one_reading_may_be_missing_under_a_translator),
                  cmocka_unit_test(a_cheap_lfence_alone_is_not_a_translator),
                  cmocka_unit_test(a_clock_that_does_not_advance_is_unstable),
                  cmocka_unit_test(reasons_name_the_rules_that_fired),
                  cmocka_unit_test(only_native_and_guest_are_usable),
                  cmocka_unit_test(measuring_fills_every_figure),
                  cmocka_unit_test(what_the_cpu_lacks_is_not_run),
                  cmocka_unit_test(no_figures_are_no_evidence_of_a_core),
                  cmocka_unit_test(few_rounds_fill_every_figure_too),
                  cmocka_unit_test(an_interpreter_is_given_integer_instructions_only),
                  cmocka_unit_test(the_integer_stage_holds_no_other_instruction),
                  cmocka_unit_test(a_core_runs_all_kernels_after_two_rounds_of_integers),
                  cmocka_unit_test(a_deadline_that_has_passed_runs_nothing_and_is_no_core),
                  cmocka_unit_test(a_deadline_ends_rounds_but_not_what_is_known),
                  cmocka_unit_test(what_says_interpreted_needs_no_more_time))
