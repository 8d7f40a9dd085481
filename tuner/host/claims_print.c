/* SPDX-License-Identifier: MIT */
/* Claims with their findings, for a mail or for a program. */
#include "claims_print.h"

#include "altpick/json.h"
#include "table.h"

#include <string.h>

/* Whose verdict heads a claim: that of the profiles where there are any, else the thread's own. */
static enum altpick_claim_verdict head_verdict(const struct altpick_claim *claim,
                                               const struct altpick_claim_thread *thread,
                                               const struct altpick_claim_evidence *evidence)
{
    struct altpick_survey survey;

    if (evidence->n_here)
        altpick_claim_survey_here(claim, evidence, &survey);
    else
        altpick_claim_survey(claim, evidence, thread->name, &survey);
    return altpick_survey_verdict(&survey);
}

static bool is_of_thread(const struct altpick_claim_evidence *evidence, size_t index,
                         const struct altpick_claim_thread *thread)
{
    return evidence->threads[index] && strcmp(evidence->threads[index], thread->name) == 0;
}

static void finding_row(struct altpick_table *table, const char *scope,
                        const struct altpick_claim *claim, const struct altpick_machine *machine)
{
    struct altpick_finding finding = {0};

    claim->test(machine, &finding);
    altpick_table_cell(table, "%s", scope);
    altpick_table_cell(table, "%s", altpick_claim_verdict_name(finding.verdict));
    altpick_table_cell(table, "%s: %s", machine->name, finding.text);
}

/* What the thread has in words or in figures of something that is no candidate. */
static void thread_row(struct altpick_table *table, const struct altpick_claim *claim)
{
    if (!claim->thread_says)
        return;
    altpick_table_cell(table, "thread");
    altpick_table_cell(table, "-");
    altpick_table_cell(table, "%s", claim->thread_says);
}

/* Dumps hold NOPs only: nothing is said of them where they tell nothing. */
static void published_row(struct altpick_table *table, const struct altpick_claim *claim,
                          const struct altpick_claim_evidence *evidence)
{
    struct altpick_survey survey;

    altpick_claim_survey(claim, evidence, NULL, &survey);
    if (altpick_survey_verdict(&survey) == ALTPICK_CLAIM_UNTESTABLE)
        return;
    altpick_table_cell(table, "published");
    altpick_table_cell(table, "%s", altpick_claim_verdict_name(altpick_survey_verdict(&survey)));
    altpick_table_cell(
        table, "true of %zu cores, false of %zu, untestable on %zu%s%s%s%s%s%s",
        survey.n[ALTPICK_CLAIM_TRUE], survey.n[ALTPICK_CLAIM_FALSE],
        survey.n[ALTPICK_CLAIM_UNTESTABLE], survey.worst_machine[0] ? "; worst: " : "",
        survey.worst_machine, survey.worst_machine[0] ? ", " : "",
        survey.worst_machine[0] ? altpick_figure_percent(survey.worst.excess_ppm).text : "",
        survey.worst_machine[0] ? " %: " : "", survey.worst.text);
}

static void claim_text(const struct altpick_claim *claim, const struct altpick_claim_thread *thread,
                       const struct altpick_claim_evidence *evidence, struct altpick_out *out)
{
    struct altpick_table table;

    altpick_printf(out, "\n");
    altpick_line(out, 2, "%s.%s: %s %s", thread->name, claim->id,
                 altpick_claim_verdict_name(head_verdict(claim, thread, evidence)),
                 evidence->n_here ? "here" : "by the figures of the thread");
    altpick_line(out, 2, "  \"%s\"", claim->text);
    altpick_table_init(&table, "lll", 2);
    for (size_t i = 0; i < evidence->n_here; i++)
        finding_row(&table, "here", claim, evidence->here[i]);
    for (size_t i = 0; i < evidence->n_known; i++) {
        if (is_of_thread(evidence, i, thread))
            finding_row(&table, "thread", claim, &evidence->known[i]);
    }
    thread_row(&table, claim);
    published_row(&table, claim, evidence);
    altpick_table_print(&table, out);
}

void altpick_claims_text(const struct altpick_claim_evidence *evidence, struct altpick_out *out)
{
    for (size_t i = 0; i < altpick_claim_thread_count; i++) {
        const struct altpick_claim_thread *thread = altpick_claim_threads[i];

        altpick_printf(out, "%s", i ? "\n" : "");
        altpick_line(out, 2, "%s: %s", thread->name, thread->title);
        altpick_line(out, 2, "source: %s", thread->source);
        for (size_t k = 0; k < thread->n_claims; k++)
            claim_text(&thread->claims[k], thread, evidence, out);
    }
}

static void finding_members(struct altpick_json *json, const char *machine,
                            const struct altpick_finding *finding)
{
    altpick_json_text(json, "machine", machine);
    altpick_json_text(json, "verdict", altpick_claim_verdict_name(finding->verdict));
    altpick_json_i64(json, "excess_ppm", finding->excess_ppm);
    altpick_json_text(json, "figures", finding->text);
}

static void finding_json(struct altpick_json *json, const struct altpick_claim *claim,
                         const struct altpick_machine *machine)
{
    struct altpick_finding finding = {0};

    claim->test(machine, &finding);
    altpick_json_object(json, NULL);
    finding_members(json, machine->name, &finding);
    altpick_json_end(json);
}

static void published_json(struct altpick_json *json, const struct altpick_claim *claim,
                           const struct altpick_claim_evidence *evidence)
{
    struct altpick_survey survey;

    altpick_claim_survey(claim, evidence, NULL, &survey);
    altpick_json_object(json, "published");
    altpick_json_text(json, "verdict", altpick_claim_verdict_name(altpick_survey_verdict(&survey)));
    altpick_json_u64(json, "true", survey.n[ALTPICK_CLAIM_TRUE]);
    altpick_json_u64(json, "false", survey.n[ALTPICK_CLAIM_FALSE]);
    altpick_json_u64(json, "untestable", survey.n[ALTPICK_CLAIM_UNTESTABLE]);
    if (survey.worst_machine[0]) {
        altpick_json_object(json, "worst");
        finding_members(json, survey.worst_machine, &survey.worst);
        altpick_json_end(json);
    }
    altpick_json_array(json, "exceptions");
    for (size_t i = 0; i < evidence->n_known; i++) {
        struct altpick_finding finding = {0};

        if (evidence->threads[i])
            continue;
        claim->test(&evidence->known[i], &finding);
        if (finding.verdict == ALTPICK_CLAIM_FALSE)
            finding_json(json, claim, &evidence->known[i]);
    }
    altpick_json_end(json);
    altpick_json_end(json);
}

static void claim_json(struct altpick_json *json, const struct altpick_claim *claim,
                       const struct altpick_claim_thread *thread,
                       const struct altpick_claim_evidence *evidence)
{
    altpick_json_object(json, NULL);
    altpick_json_text(json, "thread", thread->name);
    altpick_json_text(json, "claim", claim->id);
    altpick_json_text(json, "source", thread->source);
    altpick_json_text(json, "text", claim->text);
    altpick_json_text(json, "verdict",
                      altpick_claim_verdict_name(head_verdict(claim, thread, evidence)));
    altpick_json_text(json, "verdict_of", evidence->n_here ? "here" : "thread");
    if (claim->thread_says)
        altpick_json_text(json, "thread_says", claim->thread_says);
    altpick_json_array(json, "here");
    for (size_t i = 0; i < evidence->n_here; i++)
        finding_json(json, claim, evidence->here[i]);
    altpick_json_end(json);
    altpick_json_array(json, "in_thread");
    for (size_t i = 0; i < evidence->n_known; i++) {
        if (is_of_thread(evidence, i, thread))
            finding_json(json, claim, &evidence->known[i]);
    }
    altpick_json_end(json);
    published_json(json, claim, evidence);
    altpick_json_end(json);
}

void altpick_claims_json(const struct altpick_claim_evidence *evidence, struct altpick_out *out)
{
    struct altpick_json json;

    altpick_json_init(&json, out);
    altpick_json_object(&json, NULL);
    altpick_json_array(&json, "claims");
    for (size_t i = 0; i < altpick_claim_thread_count; i++) {
        const struct altpick_claim_thread *thread = altpick_claim_threads[i];

        for (size_t k = 0; k < thread->n_claims; k++)
            claim_json(&json, &thread->claims[k], thread, evidence);
    }
    altpick_json_end(&json);
    altpick_json_end(&json);
    altpick_json_finish(&json);
}
