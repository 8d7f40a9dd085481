/* SPDX-License-Identifier: MIT */
/* Finds out which code to use: probes, then lets the command line have its way. */
#include "mini.h"

#include "altpick/boot.h"
#include "altpick/err.h"
#include "altpick/question.h"
#include "altpick/xstate.h"
#include "bytes.h"
#include "fences.h"
#include "report.h"

enum { PAGE = 4096, CODE_TIMES = 4 };

static struct altpick_output output;

/* --- probing ------------------------------------------------------------------------------------
 */

static bool take_memory(const struct boot_info *info, struct altpick_boot_options *options)
{
    altpick_boot_ask_all(options);
    options->memory_bytes = altpick_boot_memory_bytes(options);
    options->memory = boot_memory_take(info, options->memory_bytes, PAGE);
    options->code_bytes = CODE_TIMES * altpick_boot_code_bytes(options); /* so that layouts move */
    options->code = boot_memory_take(info, options->code_bytes, PAGE);
    return options->memory && options->code;
}

static bool probe(const struct boot_info *info, uint32_t budget_us, uint64_t tsc_hz,
                  struct altpick_out *out, bool *ret_is_core)
{
    struct altpick_boot_options options = {.budget_us = budget_us, .tsc_hz = tsc_hz};
    struct altpick_boot boot;
    int r;

    if (!take_memory(info, &options))
        return false;
    boot_fences_start();
    r = altpick_boot_probe(&options, &boot);
    if (r < 0 && r != ALTPICK_EUNTRUSTED) {
        altpick_out_text(out, "miniature: probe: ");
        altpick_out_text(out, altpick_err_text(r));
        altpick_out_text(out, "\n");
        return false;
    }
    altpick_report_print(&boot, &options, out);
    altpick_out_text(out, r == 0 ? "miniature: decided by what was measured\n"
                                 : "miniature: timings are no costs here: defaults are applied\n");
    output = *boot.output;
    *ret_is_core = r == 0;
    return true;
}

/* --- a choice of one's own ----------------------------------------------------------------------
 */

/* Items that may be picked, each the only one of its question that decides a body. */
static const char *const questions[][2] = {
    {"fpu.init.body",           "fpu.init"   },
    {"refcount.implementation", "refcount"   },
    {"xstate.save.all",         "xstate.save"},
};

static const struct altpick_question *question_of(const char *item)
{
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        if (altpick_equal(questions[i][0], item))
            return altpick_question_find(questions[i][1]);
    }
    return NULL;
}

/* The candidate, or NULL where @item is decided between names. */
static const struct altpick_measurement *measurement_of(const struct altpick_question *question,
                                                        const char *name)
{
    static struct altpick_measurement measurement;
    struct altpick_candidate *candidate = &measurement.candidate;

    for (size_t i = 0; question->candidate(question, i, candidate); i++) {
        if (altpick_equal(candidate->name, name))
            return &measurement;
    }
    return NULL;
}

/*
 * Take @candidate for @item whatever is known of it: as a decision with one entry.  A policy's pin,
 * which altpick_decide() takes, would still have to guarantee what is required.
 */
static bool pick(const struct boot_info *info, const char *item, const char *candidate)
{
    static struct altpick_policy policy;
    static struct altpick_result result;
    const struct altpick_question *question = question_of(item);
    struct altpick_decisions *decisions = boot_memory_take(info, sizeof *decisions, PAGE);
    struct altpick_decision *decision;
    struct altpick_cpu cpu;

    if (!question || !decisions)
        return false;
    altpick_zero(decisions, sizeof *decisions);
    altpick_policy_init(&policy);
    policy.target = ALTPICK_TARGET_THIS_CPU;
    altpick_cpu_read(&altpick_cpuid_native, &cpu);
    result.components = altpick_cpu_components(&cpu); /* what is said to be cleared */
    decisions->question = question;
    decisions->result = &result;
    decisions->n_decisions = 1;
    decision = &decisions->decision[0];
    altpick_append(decision->contest.item, sizeof decision->contest.item, item);
    altpick_contest_add(&decision->contest, candidate, measurement_of(question, candidate));
    decision->verdict = ALTPICK_VERDICT_PINNED;
    return altpick_output_take(output.machine, &policy, decisions, &output) == ALTPICK_OK;
}

const struct altpick_output *mini_decide(const struct boot_info *info,
                                         const struct mini_options *options, uint64_t tsc_hz,
                                         struct altpick_out *out, bool *ret_is_core)
{
    const char *item = options->pick_item, *candidate = options->pick_candidate;

    if (!probe(info, options->budget_us, tsc_hz, out, ret_is_core))
        return NULL;
    if (options->force == MINI_FORCE_2002) {
        item = "fpu.init.body";
        candidate = "clear-2002-stack";
    }
    if (!item[0])
        return &output;
    altpick_out_text(out, "miniature: ");
    altpick_out_text(out, item);
    altpick_out_text(out, " is to be ");
    altpick_out_text(out, candidate);
    altpick_out_text(out, "\n");
    if (pick(info, item, candidate))
        return &output;
    altpick_out_text(out, question_of(item) ? "miniature: that is no candidate for it\n"
                                            : "miniature: there is no such item to pick for\n");
    return NULL;
}
