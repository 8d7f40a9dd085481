/* SPDX-License-Identifier: MIT */
/* Tells safe from unsafe in what an operation on a reference counter did. */
#include "count.h"

bool altpick_count_grows(enum altpick_counter_op op)
{
    return op == ALTPICK_COUNTER_ADD || op == ALTPICK_COUNTER_INC ||
           op == ALTPICK_COUNTER_INC_NOT_ZERO;
}

bool altpick_count_takes_amount(enum altpick_counter_op op)
{
    return op == ALTPICK_COUNTER_ADD || op == ALTPICK_COUNTER_SUB_AND_TEST;
}

/* Whether true means that the caller has to free the object. */
static bool tests(enum altpick_counter_op op)
{
    return op == ALTPICK_COUNTER_DEC_AND_TEST || op == ALTPICK_COUNTER_SUB_AND_TEST;
}

bool altpick_count_returns(enum altpick_counter_op op)
{
    return tests(op) || op == ALTPICK_COUNTER_INC_NOT_ZERO;
}

bool altpick_count_is_ordinary(enum altpick_counter_op op, enum altpick_count count)
{
    return (count == ALTPICK_COUNT_ONE && op != ALTPICK_COUNTER_DEC) ||
           (count == ALTPICK_COUNT_MAXIMUM && !altpick_count_grows(op)) ||
           (count == ALTPICK_COUNT_ZERO && op == ALTPICK_COUNTER_INC_NOT_ZERO);
}

/* Stuck and negative counters come after a misuse, which was the time to tell. */
bool altpick_count_is_misuse(enum altpick_counter_op op, enum altpick_count count)
{
    return (count == ALTPICK_COUNT_ZERO || count == ALTPICK_COUNT_ONE ||
            count == ALTPICK_COUNT_MAXIMUM) &&
           !altpick_count_is_ordinary(op, count);
}

/* Whether nothing will move the counter any more. */
static bool is_stuck(const struct altpick_counter *counter, const struct altpick_observed *seen)
{
    return counter->saturates && seen->after == counter->at[ALTPICK_COUNT_SATURATED];
}

/* The only reference: another one is made, or it is dropped. */
static bool is_safe_at_one(const struct altpick_counter *counter, uint32_t amount,
                           const struct altpick_observed *seen)
{
    if (altpick_count_grows(counter->op))
        return seen->after == seen->before + amount &&
               seen->result == (counter->op == ALTPICK_COUNTER_INC_NOT_ZERO);
    if (tests(counter->op) && amount == 1)
        return seen->after == 0 && seen->result == 1;
    /* Gone without notice, or more dropped than there are. */
    return (is_stuck(counter, seen) || seen->after == (amount == 1 ? 0 : seen->before)) &&
           seen->result == 0;
}

bool altpick_count_is_safe(const struct altpick_counter *counter, enum altpick_count count,
                           uint32_t amount, const struct altpick_observed *seen)
{
    switch (count) {
    case ALTPICK_COUNT_ZERO:
        return (seen->after == 0 || is_stuck(counter, seen)) && seen->result == 0;
    case ALTPICK_COUNT_ONE:
        return is_safe_at_one(counter, amount, seen);
    case ALTPICK_COUNT_MAXIMUM:
        if (!altpick_count_grows(counter->op))
            return seen->after == seen->before - amount && seen->result == 0;
        return is_stuck(counter, seen);
    default: /* negative, or stuck already */
        return is_stuck(counter, seen) && !(tests(counter->op) && seen->result);
    }
}
