/* SPDX-License-Identifier: MIT */
/* What an operation on a reference counter may leave, in each state that it may find. */
#ifndef ALTPICK_CORE_COUNT_H
#define ALTPICK_CORE_COUNT_H

#include "altpick/measure.h"

#include <stdbool.h>
#include <stdint.h>

/* Whether @op makes references; others drop them. */
bool altpick_count_grows(enum altpick_counter_op op);

/* Whether @op takes an amount; for others it is 1. */
bool altpick_count_takes_amount(enum altpick_counter_op op);

/* Whether @op returns something. */
bool altpick_count_returns(enum altpick_counter_op op);

/* Whether @op with amount 1 in state @count is what the counter is for, and no misuse. */
bool altpick_count_is_ordinary(enum altpick_counter_op op, enum altpick_count count);

/* Whether @op in state @count must be told of: it is the misuse, and not what comes after one. */
bool altpick_count_is_misuse(enum altpick_counter_op op, enum altpick_count count);

/*
 * Whether @seen, of a run in state @count with @amount, is what the counter is for, or, in case of
 * misuse, ends neither in a live count nor in somebody freeing the object.
 */
bool altpick_count_is_safe(const struct altpick_counter *counter, enum altpick_count count,
                           uint32_t amount, const struct altpick_observed *seen);

#endif
