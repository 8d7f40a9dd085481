/* SPDX-License-Identifier: MIT */
/* Facts about machines: what was measured or published.  Never decisions. */
#ifndef ALTPICK_PROFILE_H
#define ALTPICK_PROFILE_H

#include "altpick/cost.h"
#include "altpick/cpu.h"
#include "altpick/out.h"
#include "altpick/question.h"
#include "altpick/trust.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ALTPICK_PROFILE_VERSION = 1, ALTPICK_REASON_MAX = 160, ALTPICK_WARNINGS_MAX = 8 };

/* State of a guarantee.  Names are file format. */
#define ALTPICK_GUARANTEE_STATES(X)                                                                \
    X(NONE, "none")                                                                                \
    X(DECLARED, "declared")                                                                        \
    X(CHECKED, "checked")                                                                          \
    X(CONTRADICTED, "contradicted")

enum altpick_guarantee_state {
#define X(id, name) ALTPICK_GUARANTEE_IS_##id,
    ALTPICK_GUARANTEE_STATES(X)
#undef X
        ALTPICK_N_GUARANTEE_STATES
};

const char *altpick_guarantee_state_name(unsigned state); /* NULL when out of range */

/* One candidate's facts on one machine. */
struct altpick_measurement {
    enum altpick_status status; /* measured, or why no condition has a figure */
    uint32_t instructions;      /* executed in the usual case, by single-stepping; 0: not counted */
    uint8_t guarantee[ALTPICK_N_GUARANTEES]; /* enum altpick_guarantee_state */
    bool has_observed;                       /* a reference counter was driven through its states */
    struct altpick_candidate candidate; /* name and code; guarantees and branches are not stored */
    struct altpick_cost cost[ALTPICK_N_CONDITIONS];
    struct altpick_observed observed[ALTPICK_N_COUNTS];
    char reason[ALTPICK_REASON_MAX]; /* what is wrong with it: "faulted: SIGFPE", else "" */
};

/* A condition on one machine: measured, or unmeasured and why. */
struct altpick_condition_facts {
    bool asked; /* the question measures in this condition; others are not stored */
    enum altpick_status status;
    uint32_t block_bytes;
    char reason[ALTPICK_REASON_MAX]; /* "" where measured */
};

/* One question's facts on one machine. */
struct altpick_result {
    char question[ALTPICK_NAME_MAX];
    uint32_t components; /* altpick_cpu_components() of the machine; not stored */
    uint32_t batches;    /* completed; under 3 only margins over 25 % are clear */
    struct altpick_measurement *candidates; /* n_candidates of them */
    size_t n_candidates;
    struct altpick_condition_facts condition[ALTPICK_N_CONDITIONS];
};

/* One core type of one CPU.  Strings are NUL-terminated UTF-8. */
struct altpick_machine {
    char name[64]; /* "AuthenticAMD-25-17-1": unique in a profile */
    struct altpick_cpu cpu;
    uint32_t ring;
    enum altpick_trust trust;
    uint64_t tsc_hz; /* rounded to 1 MHz; 0 unknown */
    uint32_t quantum_ticks;
    uint32_t selftest_shuffle; /* seed; 0: names and bytes are as built in */
    char altpick_version[24];
    struct altpick_result *results; /* n_results of them */
    size_t n_results;
    size_t n_warnings;
    char warnings[ALTPICK_WARNINGS_MAX][ALTPICK_REASON_MAX];
};

struct altpick_profile {
    struct altpick_machine *machines; /* n_machines of them */
    size_t n_machines;
};

/* Write @profile as canonical JSON (docs: altpick-profile(5)).  Freestanding.  Returns the sink's
 * error. */
int altpick_profile_write(const struct altpick_profile *profile, struct altpick_out *out);

/* The result of @question on @machine, or NULL. */
const struct altpick_result *altpick_machine_result(const struct altpick_machine *machine,
                                                    const char *question);

/* Whether all figures of @result are of others: a condition is published and none was measured. */
bool altpick_result_is_published(const struct altpick_result *result);

/* The candidate called @name in @result, or NULL. */
const struct altpick_measurement *altpick_result_candidate(const struct altpick_result *result,
                                                           const char *name);

#endif
