/* SPDX-License-Identifier: MIT */
/* Every level of every finding, from made-up facts, and what is printed of them. */
#include "doctor_sample.h"
#include "golden.h"

#include <errno.h>
#include <string.h>

static void hide_the_hypervisor(struct altpick_doctor_facts *f)
{
    f->verdict.trust = ALTPICK_TRUST_GUEST;
}

static void be_alone(struct altpick_doctor_facts *f)
{
    f->system.threads = (struct altpick_doctor_cpus){0};
    altpick_doctor_cpus_add(&f->system.threads, 3);
}

static void hide_files(struct altpick_doctor_facts *f)
{
    memset(&f->system, 0, sizeof f->system);
}

static void slow_a_tenth(struct altpick_doctor_facts *f)
{
    f->timing.slow_windows = f->timing.windows / 10;
}

static void slow_half(struct altpick_doctor_facts *f)
{
    f->timing.slow_windows = f->timing.windows / 2;
}

static void step(struct altpick_doctor_facts *f)
{
    f->timing.steps = 3;
    f->timing.add_most_micro = 700000;
    f->timing.changes = 4;
}

static void hop(struct altpick_doctor_facts *f)
{
    step(f);
    f->timing.changes = f->timing.readings / 5;
}

static void never_rest(struct altpick_doctor_facts *f)
{
    f->timing.steps = 0;
}

static void vary(struct altpick_doctor_facts *f)
{
    memset(f->cpu.features, 0, sizeof f->cpu.features);
}

static void stand_still(struct altpick_doctor_facts *f)
{
    f->quantum_ticks = 0;
}

static void go_back(struct altpick_doctor_facts *f)
{
    f->backwards = true;
}

static void disagree(struct altpick_doctor_facts *f)
{
    f->kernel.backwards_ticks = 1000000;
}

static void roam(struct altpick_doctor_facts *f)
{
    f->kernel.cpu = -1;
}

static void disagree_and_roam(struct altpick_doctor_facts *f)
{
    disagree(f);
    roam(f);
}

static void fall_back(struct altpick_doctor_facts *f)
{
    strcpy(f->system.clocksource, "hpet");
}

static void use_kvm_clock(struct altpick_doctor_facts *f)
{
    strcpy(f->system.clocksource, "kvm-clock");
}

static void lose_a_little(struct altpick_doctor_facts *f)
{
    f->timing.lost_ns = f->timing.scanned_ns / 50;
}

static void lose_long(struct altpick_doctor_facts *f)
{
    f->timing.longest_ns = 20000000;
}

static void lose_much(struct altpick_doctor_facts *f)
{
    f->timing.lost_ns = f->timing.scanned_ns / 10;
}

static void save_power(struct altpick_doctor_facts *f)
{
    strcpy(f->system.governor, "powersave");
}

static void confine(struct altpick_doctor_facts *f)
{
    f->kernel.allowed = (struct altpick_doctor_cpus){0};
    altpick_doctor_cpus_add(&f->kernel.allowed, 3);
}

static void limit(struct altpick_doctor_facts *f, uint64_t percent)
{
    f->system.quota.quota_us = percent * 1000;
    f->system.quota.period_us = 100000;
    strcpy(f->system.quota.file, "box/cpu.max");
}

static void limit_to_two(struct altpick_doctor_facts *f)
{
    limit(f, 200);
}

static void limit_to_half(struct altpick_doctor_facts *f)
{
    limit(f, 50);
}

static void limit_to_less(struct altpick_doctor_facts *f)
{
    limit(f, 49);
}

static void mix(struct altpick_doctor_facts *f)
{
    set_feature(&f->cpu, ALTPICK_CPU_HYBRID);
    altpick_doctor_cpus_parse("0-1", &f->system.core);
    altpick_doctor_cpus_parse("2-3", &f->kernel.atom);
}

static void mix_and_roam(struct altpick_doctor_facts *f)
{
    mix(f);
    roam(f);
}

static void mix_and_confine(struct altpick_doctor_facts *f)
{
    mix(f);
    confine(f);
}

static void mix_unseen(struct altpick_doctor_facts *f)
{
    set_feature(&f->cpu, ALTPICK_CPU_HYBRID);
}

static void forbid_counting(struct altpick_doctor_facts *f)
{
    f->kernel.pmu_errno = EACCES;
}

static void have_no_counter(struct altpick_doctor_facts *f)
{
    f->kernel.pmu_errno = ENOENT;
}

static void nothing(struct altpick_doctor_facts *f)
{
    (void) f;
}

/* What is changed on the quiet machine, and what the named finding must then be and say. */
static const struct expected {
    const char *name;
    void (*change)(struct altpick_doctor_facts *f);
    enum altpick_doctor_level level;
    const char *found;
} expected[] = {
    {"trust",      nothing,             ALTPICK_DOCTOR_OK,   "native"                         },
    {"trust",      be_a_guest,          ALTPICK_DOCTOR_OK,   "guest; CPUID says hypervisor"   },
    {"trust",      be_translated,       ALTPICK_DOCTOR_BAD,  "translated; nop < imul/80"      },
    {"hypervisor", nothing,             ALTPICK_DOCTOR_OK,   "names none"                     },
    {"hypervisor", be_a_guest,          ALTPICK_DOCTOR_NOTE, "KVMKVMKVM"                      },
    {"hypervisor", hide_the_hypervisor, ALTPICK_DOCTOR_NOTE, "but it traps"                   },
    {"tsc",        nothing,             ALTPICK_DOCTOR_OK,   "monotonic across CPUs 0-3"      },
    {"tsc",        use_kvm_clock,       ALTPICK_DOCTOR_OK,   "kvm-clock"                      },
    {"tsc",        hide_files,          ALTPICK_DOCTOR_OK,   "clock is not shown"             },
    {"tsc",        vary,                ALTPICK_DOCTOR_NOTE, "not invariant"                  },
    {"tsc",        disagree,            ALTPICK_DOCTOR_NOTE, "1000000 ticks back from one CPU"},
    {"tsc",        fall_back,           ALTPICK_DOCTOR_NOTE, "hpet"                           },
    {"tsc",        be_translated,       ALTPICK_DOCTOR_NOTE, "in steps of 2"                  },
    {"tsc",        stand_still,         ALTPICK_DOCTOR_BAD,  "stands still"                   },
    {"tsc",        go_back,             ALTPICK_DOCTOR_BAD,  "went backwards"                 },
    {"tsc",        disagree_and_roam,   ALTPICK_DOCTOR_BAD,  "1000000 ticks back from one CPU"},
    {"sibling",    nothing,             ALTPICK_DOCTOR_OK,   "CPUs 1,3 share the core"        },
    {"sibling",    be_alone,            ALTPICK_DOCTOR_OK,   "no sibling thread;"             },
    {"sibling",    be_a_guest,          ALTPICK_DOCTOR_OK,   "no sibling thread is shown"     },
    {"sibling",    hide_files,          ALTPICK_DOCTOR_OK,   "does not tell who"              },
    {"sibling",    slow_a_tenth,        ALTPICK_DOCTOR_NOTE, "in 10 % of 20000 windows"       },
    {"sibling",    slow_half,           ALTPICK_DOCTOR_BAD,  "in 50 % of"                     },
    {"sibling",    be_translated,       ALTPICK_DOCTOR_NOTE, "not measured"                   },
    {"frequency",  nothing,             ALTPICK_DOCTOR_OK,   "one step, 4000 MHz"             },
    {"frequency",  step,                ALTPICK_DOCTOR_NOTE, "3 steps from 3714 to 4000 MHz"  },
    {"frequency",  hop,                 ALTPICK_DOCTOR_BAD,  "in 20 %"                        },
    {"frequency",  never_rest,          ALTPICK_DOCTOR_BAD,  "no step lasts"                  },
    {"frequency",  be_translated,       ALTPICK_DOCTOR_NOTE, "not measured"                   },
    {"governor",   nothing,             ALTPICK_DOCTOR_OK,   "performance"                    },
    {"governor",   be_a_guest,          ALTPICK_DOCTOR_OK,   "as in every guest"              },
    {"governor",   save_power,          ALTPICK_DOCTOR_NOTE, "powersave"                      },
    {"governor",   hide_files,          ALTPICK_DOCTOR_NOTE, "not shown"                      },
    {"lost-time",  nothing,             ALTPICK_DOCTOR_OK,   "70 gaps of 1 us and more"       },
    {"lost-time",  lose_a_little,       ALTPICK_DOCTOR_NOTE, "20000 ppm"                      },
    {"lost-time",  lose_long,           ALTPICK_DOCTOR_NOTE, "the longest 20000 us"           },
    {"lost-time",  lose_much,           ALTPICK_DOCTOR_BAD,  "100000 ppm"                     },
    {"lost-time",  be_translated,       ALTPICK_DOCTOR_NOTE, "not measured"                   },
    {"affinity",   nothing,             ALTPICK_DOCTOR_OK,   "pinned to CPU 3"                },
    {"affinity",   confine,             ALTPICK_DOCTOR_NOTE, "may use 3; online are 0-3"      },
    {"affinity",   hide_files,          ALTPICK_DOCTOR_NOTE, "online is not shown"            },
    {"affinity",   roam,                ALTPICK_DOCTOR_BAD,  "not pinned"                     },
    {"quota",      nothing,             ALTPICK_DOCTOR_OK,   "no limit"                       },
    {"quota",      limit_to_two,        ALTPICK_DOCTOR_OK,   "200.0 % of a CPU"               },
    {"quota",      limit_to_half,       ALTPICK_DOCTOR_NOTE, "100000 us, by box/cpu.max"      },
    {"quota",      hide_files,          ALTPICK_DOCTOR_NOTE, "cannot be seen"                 },
    {"quota",      limit_to_less,       ALTPICK_DOCTOR_BAD,  "49.0 %"                         },
    {"core-types", nothing,             ALTPICK_DOCTOR_OK,   "not a hybrid"                   },
    {"core-types", mix,                 ALTPICK_DOCTOR_NOTE, "core: 0-1, atom: 2-3"           },
    {"core-types", mix_and_confine,     ALTPICK_DOCTOR_NOTE, "core: none, atom: 3"            },
    {"core-types", mix_unseen,          ALTPICK_DOCTOR_NOTE, "core: none, atom: none"         },
    {"core-types", mix_and_roam,        ALTPICK_DOCTOR_BAD,  "hybrid"                         },
    {"pmu",        nothing,             ALTPICK_DOCTOR_OK,   "can be counted"                 },
    {"pmu",        forbid_counting,     ALTPICK_DOCTOR_OK,   "does not let"                   },
    {"pmu",        have_no_counter,     ALTPICK_DOCTOR_OK,   "no cycle counter"               },
};

static const struct altpick_doctor_finding *
finding_named(const struct altpick_doctor_finding *findings, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(findings[i].name, name) == 0)
            return &findings[i];
    }
    fail_msg("no finding %s", name);
    return NULL;
}

static void each_finding_has_the_level_that_its_facts_deserve(void **state)
{
    struct altpick_doctor_finding findings[ALTPICK_DOCTOR_FINDINGS_MAX];
    (void) state;

    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const struct expected *e = &expected[i];
        struct altpick_doctor_facts facts = quiet();
        const struct altpick_doctor_finding *finding;

        e->change(&facts);
        finding = finding_named(findings, altpick_doctor_judge(&facts, findings), e->name);
        if (finding->level != e->level || !strstr(finding->found, e->found))
            fail_msg("row %zu, %s: %s, \"%s\"", i, e->name,
                     altpick_doctor_level_name(finding->level), finding->found);
        assert_non_null(finding->means);
    }
}

static void every_finding_but_ok_says_what_to_do_or_that_costs_hold(void **state)
{
    struct altpick_doctor_finding findings[ALTPICK_DOCTOR_FINDINGS_MAX];
    (void) state;

    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct altpick_doctor_facts facts = quiet();
        size_t n;

        expected[i].change(&facts);
        n = altpick_doctor_judge(&facts, findings);
        for (size_t k = 0; k < n; k++)
            assert_true(findings[k].level == ALTPICK_DOCTOR_OK || findings[k].remedy ||
                        strstr(findings[k].means, "hold"));
    }
}

static void a_quiet_machine_has_nothing_but_ok(void **state)
{
    struct altpick_doctor_finding findings[ALTPICK_DOCTOR_FINDINGS_MAX];
    struct altpick_doctor_facts facts = quiet();
    size_t n = altpick_doctor_judge(&facts, findings);
    (void) state;

    assert_int_equal(n, 11);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(findings[i].level, ALTPICK_DOCTOR_OK);
}

/* Facts that are all zero are those of a machine that tells nothing. */
static void nothing_known_is_judged_without_a_crash(void **state)
{
    struct altpick_doctor_finding findings[ALTPICK_DOCTOR_FINDINGS_MAX];
    struct altpick_doctor_facts none = {0};
    (void) state;

    assert_int_equal(altpick_doctor_judge(&none, findings), 11);
    none.timing.measured = true;
    assert_int_equal(altpick_doctor_judge(&none, findings), 11);
}

/* Print the findings of @facts as text and as JSON, and compare both. */
static void assert_printed(const struct altpick_doctor_facts *facts, const char *text_path,
                           const char *json_path)
{
    struct altpick_doctor_finding findings[ALTPICK_DOCTOR_FINDINGS_MAX];
    size_t n = altpick_doctor_judge(facts, findings);
    struct altpick_text text, json;
    struct altpick_out out;

    altpick_text_init(&text, &out);
    altpick_doctor_text(facts, findings, n, &out);
    assert_int_equal(out.err, ALTPICK_OK);
    assert_pastes_into_mail(&text);
    assert_golden(&text, text_path);
    altpick_text_fini(&text);

    altpick_text_init(&json, &out);
    altpick_doctor_json(findings, n, &out);
    assert_int_equal(out.err, ALTPICK_OK);
    assert_golden(&json, json_path);
    altpick_text_fini(&json);
}

static void findings_are_printed_for_people_and_programs(void **state)
{
    struct altpick_doctor_facts busy = quiet(), fake = quiet();
    (void) state;

    be_a_guest(&busy);
    slow_half(&busy);
    step(&busy);
    limit_to_half(&busy);
    mix(&busy);
    assert_printed(&busy, GOLDEN("doctor-busy.txt"), GOLDEN("doctor-busy.json"));
    be_translated(&fake);
    assert_printed(&fake, GOLDEN("doctor-translated.txt"), GOLDEN("doctor-translated.json"));
}

ALTPICK_TEST_MAIN(cmocka_unit_test(each_finding_has_the_level_that_its_facts_deserve),
                  cmocka_unit_test(every_finding_but_ok_says_what_to_do_or_that_costs_hold),
                  cmocka_unit_test(a_quiet_machine_has_nothing_but_ok),
                  cmocka_unit_test(nothing_known_is_judged_without_a_crash),
                  cmocka_unit_test(findings_are_printed_for_people_and_programs))
