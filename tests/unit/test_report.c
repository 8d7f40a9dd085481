/* SPDX-License-Identifier: MIT */
/* The table of a boot program: its words, its width, and that it shows no cost that is none. */
#include "test.h"

#include "altpick/err.h"
#include "report.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

static const char few_batches[] = "fewer than three batches fitted into the budget, and then only "
                                  "a gain of more than 25 % is clear";

static const struct altpick_boot_choice choices[] = {
    {.item = "nop.fill.64.5",
     .candidate = "0f1f.5",
     .verdict = ALTPICK_VERDICT_TIE,
     .why = "",
     .cycles_micro = 250000},
    {.item = "nop.fill.64.6",
     .candidate = "split.6",
     .verdict = ALTPICK_VERDICT_UNDECIDED,
     .why = few_batches,
     .cycles_micro = 994999},
    {.item = "kernel-fpu.begin.x87",
     .candidate = "ldmxcsr-guarded",
     .verdict = ALTPICK_VERDICT_CLEAR,
     .displaced = true,
     .why = "",
     .cycles_micro = UINT64_C(123456995000)},
    {.item = "refcount.implementation",
     .candidate = "cmpxchg",
     .verdict = ALTPICK_VERDICT_ONLY_ELIGIBLE,
     .why = "no figures"},
    {.item = "nop.fill.64.7",
     .candidate = "0f1f.7",
     .verdict = ALTPICK_VERDICT_UNDECIDED,
     .why = few_batches,
     .cycles_micro = 5000},
    {.item = "xstate.save.avx",               .verdict = ALTPICK_VERDICT_UNMEASURED, .why = "no figures"                             },
};

#define TABLE_WITH(a, b, c, d)                                                                     \
    "\n"                                                                                           \
    "ITEM                     CANDIDATE           VERDICT             CYCLES  WHY\n"               \
    "nop.fill.64.5            0f1f.5              tie           " a "\n"                           \
    "nop.fill.64.6            split.6             undecided     " b "    1\n"                      \
    "kernel-fpu.begin.x87     ldmxcsr-guarded     clear         " c "\n"                           \
    "refcount.implementation  cmpxchg             only-eligible            -    2\n"               \
    "nop.fill.64.7            0f1f.7              undecided     " d "    1\n"                      \
    "xstate.save.avx          -                   unmeasured               -    2\n"               \
    "\n"                                                                                           \
    " 1  fewer than three batches fitted into the budget, and then only a gain of\n"               \
    "    more than 25 % is clear\n"                                                                \
    " 2  no figures\n"                                                                             \
    "1 decision displaced its default, 5 kept it\n"

#define NONE "           -"

static struct altpick_machine machine_of(uint64_t hz)
{
    return (struct altpick_machine){
        .name = "GenuineIntel-6-85-7",
        .altpick_version = "1.2.3",
        .cpu = {.brand = "A CPU @ 2.60GHz", .hypervisor = "KVMKVMKVM", .xcr0 = 0x2e7},
        .tsc_hz = hz,
    };
}

static void print(const struct altpick_boot *boot, const struct altpick_boot_options *options,
                  const char *expected)
{
    struct altpick_text text;
    struct altpick_out out;

    altpick_text_init(&text, &out);
    altpick_report_print(boot, options, &out);
    assert_int_equal(out.err, ALTPICK_OK);
    for (const char *line = text.data; *line; line += strcspn(line, "\n") + 1)
        assert_true(strcspn(line, "\n") <= 80);
    assert_string_equal(text.data, expected);
    altpick_text_fini(&text);
}

static void costs_of_a_core_are_shown(void **state)
{
    struct altpick_machine machine = machine_of(2600000000);
    const struct altpick_boot boot = {
        .machine = &machine,
        .trust = {.trust = ALTPICK_TRUST_GUEST,
                  .reason = {"CPUID says hypervisor"},
                  .n_reasons = 1},
        .choices = choices,
        .n_choices = 6,
        .faults = 1,
        .spent_ticks = 129961234,
        .tsc_hz = 2599600000
    };
    const struct altpick_boot_options options = {.budget_us = 50000};
    (void) state;

    print(&boot, &options,
          "altpick 1.2.3 in ring 0\n"
          "CPU: GenuineIntel-6-85-7, A CPU @ 2.60GHz\n"
          "    XCR0 0x2e7, time-stamp counter of 2600 MHz, hypervisor KVMKVMKVM\n"
          "trust: guest\n"
          "  - CPUID says hypervisor\n" TABLE_WITH(
              "        0.25", "        0.99", "   123457.00",
              "        0.01") "1 fault of a candidate, survived\n"
                              "time: 49992 us of a budget of 50000 us\n");
}

static void translated_machine_has_no_costs(void **state)
{
    struct altpick_machine machine = machine_of(0);
    const struct altpick_boot boot = {
        .machine = &machine,
        .trust = {.trust = ALTPICK_TRUST_TRANSLATED,
                  .reason = {"a rule of many words that goes on until it does not fit in one line "
                             "of a screen"},
                  .n_reasons = 1},
        .choices = choices,
        .n_choices = 6,
        .spent_ticks = 77,
        .tsc_hz = 1000000000
    };
    const struct altpick_boot_options options = {.budget_us = 5};
    (void) state;

    print(&boot, &options,
          "altpick 1.2.3 in ring 0\n"
          "CPU: GenuineIntel-6-85-7, A CPU @ 2.60GHz\n"
          "    XCR0 0x2e7, time-stamp counter of unknown rate, hypervisor KVMKVMKVM\n"
          "trust: translated\n"
          "  - a rule of many words that goes on until it does not fit in one line of a\n"
          "    screen\n"
          "timing here says nothing about a CPU: there are no costs, and every\n"
          "decision is the default\n" TABLE_WITH(
              NONE, NONE, NONE,
              NONE) "0 faults of candidates, survived\n"
                    "time: 77 ticks of a budget of 5 us, kept as if each had 1000\n");
}

static void rehearsal_has_no_costs(void **state)
{
    struct altpick_machine machine = machine_of(1000000000);
    const struct altpick_boot boot = {.machine = &machine,
                                      .trust = {.trust = ALTPICK_TRUST_NATIVE},
                                      .choices = choices,
                                      .n_choices = 6,
                                      .spent_ticks = 12345678,
                                      .tsc_hz = 1000000000};
    const struct altpick_boot_options options = {.budget_us = 5, .rehearse = true};
    (void) state;

    print(&boot, &options,
          "altpick 1.2.3 in ring 0\n"
          "CPU: GenuineIntel-6-85-7, A CPU @ 2.60GHz\n"
          "    XCR0 0x2e7, time-stamp counter of 1000 MHz, hypervisor KVMKVMKVM\n"
          "trust: native\n"
          "this was a rehearsal: candidates were timed, and the figures dropped\n" TABLE_WITH(
              NONE, NONE, NONE, NONE) "0 faults of candidates, survived\n"
                                      "time: 12345 us of a budget of 5 us\n");
}

ALTPICK_TEST_MAIN(cmocka_unit_test(costs_of_a_core_are_shown),
                  cmocka_unit_test(translated_machine_has_no_costs),
                  cmocka_unit_test(rehearsal_has_no_costs))
