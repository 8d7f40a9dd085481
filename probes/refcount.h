/* SPDX-License-Identifier: MIT */
/* What the files of question refcount share. */
#ifndef ALTPICK_PROBES_REFCOUNT_H
#define ALTPICK_PROBES_REFCOUNT_H

#include "altpick/derived.h"
#include "altpick/measure.h"
#include "altpick/profile.h"
#include "altpick/question.h"
#include "code_bytes.h"

/* How a counter can be implemented, in the order of the candidates. */
enum altpick_refcount_variant {
    ALTPICK_REFCOUNT_ATOMIC, /* wraps silently */
    ALTPICK_REFCOUNT_FAST,   /* LOCK and the sign flag, 2017 */
    ALTPICK_REFCOUNT_FULL,   /* compare and exchange, 2017 */
    ALTPICK_REFCOUNT_XADD,   /* LOCK XADD and a look at what was there, 2019 */
    ALTPICK_REFCOUNT_VARIANTS
};

enum { ALTPICK_REFCOUNT_CANDIDATES = ALTPICK_REFCOUNT_VARIANTS * ALTPICK_N_COUNTER_OPS };

/* By variant, then by operation. */
extern const struct altpick_code altpick_refcount_code[ALTPICK_REFCOUNT_CANDIDATES];

const char *altpick_refcount_variant_name(enum altpick_refcount_variant variant);

/* "dec_and_test" */
const char *altpick_refcount_op_name(enum altpick_counter_op op);

/* The measurement of the code of @op of @variant in @result, or NULL. */
const struct altpick_measurement *altpick_refcount_find(const struct altpick_result *result,
                                                        enum altpick_refcount_variant variant,
                                                        enum altpick_counter_op op);

/* What @candidate, of that question, does: fits struct altpick_question's counter. */
bool altpick_refcount_counter(const struct altpick_candidate *candidate,
                              struct altpick_counter *ret_counter);

/* The sum of what making a reference and dropping it costs in @condition, as far as both are known.
 */
struct altpick_cost altpick_refcount_pair(const struct altpick_result *result,
                                          enum altpick_refcount_variant variant,
                                          unsigned condition);

/* State of @guarantee in all operations of @variant that it speaks of: the weakest. */
enum altpick_guarantee_state altpick_refcount_promise(const struct altpick_result *result,
                                                      enum altpick_refcount_variant variant,
                                                      enum altpick_guarantee guarantee);

/* Its tables for people (altpick/derived.h): see refcount_tables.c. */
altpick_derive_table altpick_refcount_derive;

#endif
