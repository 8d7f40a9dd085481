/* SPDX-License-Identifier: MIT */
/* What the consumer wants. */
#ifndef ALTPICK_POLICY_H
#define ALTPICK_POLICY_H

#include "altpick/question.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whom the output is for.  Names are file format. */
#define ALTPICK_TARGETS(X)                                                                         \
    X(ANY_X86_64, "any-x86-64") /* default: nothing that is toxic on a published CPU */            \
    X(LISTED, "listed")         /* the machines in the profile */                                  \
    X(THIS_CPU, "this-cpu")     /* the measured machine only */

enum altpick_target {
#define X(id, name) ALTPICK_TARGET_##id,
    ALTPICK_TARGETS(X)
#undef X
        ALTPICK_N_TARGETS
};

const char *altpick_target_name(unsigned target); /* NULL when out of range */

enum {
    ALTPICK_POLICY_LIST_MAX = 32,
    ALTPICK_POLICY_VERSION = 1,
    ALTPICK_TIE_MARGIN_PERMILLE = 50,        /* default: 5 % */
    ALTPICK_ONE_BATCH_MARGIN_PERMILLE = 250, /* fewer than three batches: only this is clear */
};

struct altpick_decisions; /* decide.h */

/* What published figures of other CPUs say of a piece of code. */
enum altpick_elsewhere {
    ALTPICK_ELSEWHERE_FINE,  /* published, and never far from the best filling of the same bytes */
    ALTPICK_ELSEWHERE_TOXIC, /* costs far more than the best filling on some published core */
    ALTPICK_ELSEWHERE_UNKNOWN, /* nothing published about it */
};

/* Says so of padding. */
typedef enum altpick_elsewhere altpick_elsewhere_of(const uint8_t *code, size_t bytes);

/*
 * Whether @result is of published figures, and by them @code costs far more than its bytes need on
 * that machine itself.
 */
typedef bool altpick_toxic_by(const struct altpick_result *result, const uint8_t *code,
                              size_t bytes);

struct altpick_policy {
    enum altpick_target target;
    altpick_elsewhere_of *elsewhere; /* NULL: nobody to ask, so nothing is vetoed */
    altpick_toxic_by *toxic_by;      /* NULL: no result is of published figures */
    bool several;                 /* listed, and more machines than the one that is decided for */
    uint32_t tie_margin_permille; /* 0..500 */
    uint32_t max_nop_bytes;       /* longest NOP allowed, 1..15; 0: no limit */
    bool strict;                  /* undecided is an error */
    uint32_t components;          /* bit n: tasks may own enum altpick_component n; 0: whatever the
                                     machine has enabled */
    bool allow_lazy;              /* accepts the leak of lazy FPU switching (CVE-2018-3665) */
    bool rebuild_world;           /* all code that compares the bytes is built again with them */

    struct {
        char question[ALTPICK_NAME_MAX];
        unsigned condition;
        uint32_t weight; /* 0..1000 */
    } weights[ALTPICK_POLICY_LIST_MAX];
    size_t n_weights;

    struct {
        char question[ALTPICK_NAME_MAX];
        unsigned guarantee;
    } requires[ALTPICK_POLICY_LIST_MAX];
    size_t n_requires;

    struct {
        char item[ALTPICK_NAME_MAX + 16];
        char candidate[ALTPICK_NAME_MAX];
    } pins[ALTPICK_POLICY_LIST_MAX];
    size_t n_pins;

    /* Decisions that are the incumbents of the last tie-break, n_previous questions.  Not owned. */
    const struct altpick_decisions *previous;
    size_t n_previous;
};

/*
 * The default policy: any-x86-64, with all published figures, 5 %, the questions' own weights,
 * nothing pinned or required.  It is in an object of its own, so that what does not call it can be
 * linked without those figures.
 */
void altpick_policy_init(struct altpick_policy *ret_policy);

/* The same for the measured machine alone: this-cpu, and nothing is known of other CPUs. */
void altpick_policy_local(struct altpick_policy *ret_policy);

/* What @policy knows of @code on other CPUs: FINE where it has nobody to ask. */
enum altpick_elsewhere altpick_policy_elsewhere(const struct altpick_policy *policy,
                                                const uint8_t *code, size_t bytes);

/*
 * The weight of @condition for @question: the policy's, else the question's default; 0 where the
 * question never ranks by it.
 */
uint32_t altpick_policy_weight(const struct altpick_policy *policy,
                               const struct altpick_question *question, unsigned condition);

#endif
