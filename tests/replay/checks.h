/* SPDX-License-Identifier: MIT */
/* What is checked by replay.  Each prints a line of figures and returns whether its bar was met. */
#ifndef ALTPICK_REPLAY_CHECKS_H
#define ALTPICK_REPLAY_CHECKS_H

#include <stdbool.h>
#include <stddef.h>

/* Where the decisions that published figures imply come from, and how many are replayed. */
struct replay_truth_args {
    const char *nops_tsv;
    const char *truth_tsv; /* written by truth.py from nops_tsv */
    size_t every;          /* replay each @every-th machine ... */
    size_t seeds;          /* ... this many times */
};

/* Decisions from replayed measurements are those of the truth table. */
bool replay_check_truth(const struct replay_truth_args *args);

/* The same of the question about 32-bit code, whose LEA and MOV forms no figure prices. */
bool replay_check_truth_32(const struct replay_truth_args *args);

/* The same comparison must fail when the decision function returns the default. */
bool replay_check_default_mutant(const struct replay_truth_args *args);

/* Exchanging bytes between names does not change which bytes win. */
bool replay_check_shuffle(const struct replay_truth_args *args);

/* The same bytes under two names: no winner in any of @runs. */
bool replay_check_same(size_t runs);

/* 20, 20, 22 and 25 equal instructions: the losers are found. */
bool replay_check_power(size_t runs);

/*
 * The same bytes under two names, beside a sibling thread that slows one of them more: no winner in
 * any of @runs of each kind of burst.
 */
bool replay_check_shared(size_t runs);

#endif
