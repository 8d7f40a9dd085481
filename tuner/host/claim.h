/* SPDX-License-Identifier: MIT */
/* Assertions of public threads, tested on machines: one file a thread in claims/. */
#ifndef ALTPICK_HOST_CLAIM_H
#define ALTPICK_HOST_CLAIM_H

#include "altpick/err.h"
#include "altpick/profile.h"

#include <stddef.h>
#include <stdint.h>

/* Names are output format. */
#define ALTPICK_CLAIM_VERDICTS(X)                                                                  \
    X(UNTESTABLE, "untestable")                                                                    \
    X(TRUE, "true")                                                                                \
    X(FALSE, "false")

enum altpick_claim_verdict {
#define X(id, name) ALTPICK_CLAIM_##id,
    ALTPICK_CLAIM_VERDICTS(X)
#undef X
        ALTPICK_N_CLAIM_VERDICTS
};

const char *altpick_claim_verdict_name(unsigned verdict); /* NULL when out of range */

/* A claim on one machine. */
struct altpick_finding {
    enum altpick_claim_verdict verdict;
    int64_t excess_ppm; /* where false: by how much, of the figure that it should not exceed */
    char text[320];     /* the figures, or why it cannot be tested */
};

struct altpick_claim {
    const char *id;   /* "p6-wins"; with its thread's name in front it is output format */
    const char *text; /* what is asserted, one sentence */

    const char *thread_says; /* its figures in the thread that no machine holds; NULL: none */

    /* Test it on the figures of @machine; a pure function.  *ret_finding is zeroed. */
    void (*test)(const struct altpick_machine *machine, struct altpick_finding *ret_finding);
};

/* A constant: one file in claims/, one line in claims/meson.build. */
struct altpick_claim_thread {
    const char *name; /* "nop-2015": known machines of this thread have its figures */
    const char *title;
    const char *source;
    const struct altpick_claim *claims; /* n_claims of them */
    size_t n_claims;
};

/* Every registered thread, in the order of claims/meson.build. */
extern const struct altpick_claim_thread *const altpick_claim_threads[];
extern const size_t altpick_claim_thread_count;

/* A claim on many machines. */
struct altpick_survey {
    size_t n[ALTPICK_N_CLAIM_VERDICTS]; /* machines by verdict */
    char worst_machine[64];             /* the exception of the largest excess; "" without one */
    struct altpick_finding worst;
};

/* Count @finding about @machine. */
void altpick_survey_add(struct altpick_survey *survey, const struct altpick_machine *machine,
                        const struct altpick_finding *finding);

/* False with an exception, else true with a confirmation, else untestable. */
enum altpick_claim_verdict altpick_survey_verdict(const struct altpick_survey *survey);

/* What is known of other CPUs: machines with results, kept while all claims are tested. */
struct altpick_claim_evidence {
    struct altpick_machine *known; /* n_known of them */
    const char **threads;          /* of each: the thread that it belongs to, or NULL */
    size_t n_known;
    const struct altpick_machine *const *here; /* n_here machines of the profiles; not owned */
    size_t n_here;
};

/* Fill known and threads; freed with altpick_claim_evidence_fini(), which accepts zeroed memory. */
int altpick_claim_evidence_load(struct altpick_claim_evidence *evidence, struct altpick_diag *diag);
void altpick_claim_evidence_fini(struct altpick_claim_evidence *evidence);

/* Test @claim on the known machines of @thread (NULL: those of published dumps). */
void altpick_claim_survey(const struct altpick_claim *claim,
                          const struct altpick_claim_evidence *evidence, const char *thread,
                          struct altpick_survey *ret_survey);

/* The same on the machines of the profiles. */
void altpick_claim_survey_here(const struct altpick_claim *claim,
                               const struct altpick_claim_evidence *evidence,
                               struct altpick_survey *ret_survey);

#endif
