/* SPDX-License-Identifier: MIT */
/* Assertions of public threads, tested on machines. */
#include "claim.h"

#include "diag.h"
#include "known.h"
#include "known_find.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREAD(name) extern const struct altpick_claim_thread altpick_claim_thread_##name;
#include "claim_list.h"
#undef THREAD

const struct altpick_claim_thread *const altpick_claim_threads[] = {
#define THREAD(name) &altpick_claim_thread_##name,
#include "claim_list.h"
#undef THREAD
    NULL,
};
const size_t altpick_claim_thread_count =
    sizeof altpick_claim_threads / sizeof *altpick_claim_threads - 1;

const char *altpick_claim_verdict_name(unsigned verdict)
{
    static const char *const names[] = {
#define X(id, name) name,
        ALTPICK_CLAIM_VERDICTS(X)
#undef X
    };

    return verdict < ALTPICK_N_CLAIM_VERDICTS ? names[verdict] : NULL;
}

void altpick_survey_add(struct altpick_survey *survey, const struct altpick_machine *machine,
                        const struct altpick_finding *finding)
{
    survey->n[finding->verdict]++;
    if (finding->verdict != ALTPICK_CLAIM_FALSE)
        return;
    if (survey->worst_machine[0] && finding->excess_ppm <= survey->worst.excess_ppm)
        return;
    survey->worst = *finding;
    snprintf(survey->worst_machine, sizeof survey->worst_machine, "%s", machine->name);
}

enum altpick_claim_verdict altpick_survey_verdict(const struct altpick_survey *survey)
{
    if (survey->n[ALTPICK_CLAIM_FALSE])
        return ALTPICK_CLAIM_FALSE;
    return survey->n[ALTPICK_CLAIM_TRUE] ? ALTPICK_CLAIM_TRUE : ALTPICK_CLAIM_UNTESTABLE;
}

int altpick_claim_evidence_load(struct altpick_claim_evidence *evidence, struct altpick_diag *diag)
{
    size_t n = altpick_known_count();
    int r = ALTPICK_OK;

    evidence->n_known = 0;
    evidence->known = calloc(n + 1, sizeof *evidence->known);
    evidence->threads = calloc(n + 1, sizeof *evidence->threads);
    if (!evidence->known || !evidence->threads)
        r = altpick_fail(diag, ALTPICK_ENOMEM, "out of memory");
    for (size_t i = 0; i < n && r == ALTPICK_OK; i++) {
        struct altpick_machine *machine = &evidence->known[i];
        struct altpick_known known;

        altpick_known_identify(i, &known, machine);
        evidence->threads[i] = known.thread;
        r = altpick_known_machine(i, machine, diag);
        evidence->n_known += r == ALTPICK_OK;
    }
    if (r < 0)
        altpick_claim_evidence_fini(evidence);
    return r;
}

void altpick_claim_evidence_fini(struct altpick_claim_evidence *evidence)
{
    for (size_t i = 0; i < evidence->n_known; i++)
        altpick_known_machine_fini(&evidence->known[i]);
    free(evidence->known);
    free(evidence->threads);
    *evidence = (struct altpick_claim_evidence){0};
}

static bool of_thread(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

void altpick_claim_survey(const struct altpick_claim *claim,
                          const struct altpick_claim_evidence *evidence, const char *thread,
                          struct altpick_survey *ret_survey)
{
    *ret_survey = (struct altpick_survey){0};
    for (size_t i = 0; i < evidence->n_known; i++) {
        struct altpick_finding finding = {0};

        if (!of_thread(evidence->threads[i], thread))
            continue;
        claim->test(&evidence->known[i], &finding);
        altpick_survey_add(ret_survey, &evidence->known[i], &finding);
    }
}

void altpick_claim_survey_here(const struct altpick_claim *claim,
                               const struct altpick_claim_evidence *evidence,
                               struct altpick_survey *ret_survey)
{
    *ret_survey = (struct altpick_survey){0};
    for (size_t i = 0; i < evidence->n_here; i++) {
        struct altpick_finding finding = {0};

        claim->test(evidence->here[i], &finding);
        altpick_survey_add(ret_survey, evidence->here[i], &finding);
    }
}
