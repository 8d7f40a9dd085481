/* SPDX-License-Identifier: MIT */
/*
 * refcount: how to count references.  Implementations differ in what misuse does to them, which the
 * default policy puts before speed: the counter must saturate.
 */
#include "refcount.h"
#include "altpick/output.h"

#include "altpick/decide.h"
#include "altpick/look.h"
#include "bytes.h"
#include "code_bytes.h"
#include "count.h"

static const char *const variant_names[] = {"atomic", "fast", "full", "xadd"};
static const char *const op_names[] = {"add", "inc",          "inc_not_zero",
                                       "dec", "dec_and_test", "sub_and_test"};

/*
 * A release too many leaves -1, if only until it is seen.  Of the two kinds that stick, one does
 * far from both ends, the other at the top of unsigned values, where -1 is, too.  What never sticks
 * is shown at its most negative value instead.
 */
static const uint32_t states[ALTPICK_REFCOUNT_VARIANTS][ALTPICK_N_COUNTS] = {
    [ALTPICK_REFCOUNT_ATOMIC] = {0, 1, UINT32_MAX, INT32_MAX,      0x80000000},
    [ALTPICK_REFCOUNT_FAST] = {0, 1, UINT32_MAX, INT32_MAX,      0xc0000000},
    [ALTPICK_REFCOUNT_FULL] = {0, 1, UINT32_MAX, UINT32_MAX - 1, UINT32_MAX},
    [ALTPICK_REFCOUNT_XADD] = {0, 1, UINT32_MAX, INT32_MAX,      0xc0000000},
};

const char *altpick_refcount_variant_name(enum altpick_refcount_variant variant)
{
    return variant_names[variant];
}

const char *altpick_refcount_op_name(enum altpick_counter_op op)
{
    return op_names[op];
}

static bool candidate(const struct altpick_question *question, size_t index,
                      struct altpick_candidate *ret)
{
    (void) question;
    return altpick_code_copy_one(altpick_refcount_code, ALTPICK_REFCOUNT_CANDIDATES, index, ret);
}

static size_t candidates(const struct altpick_question *question,
                         struct altpick_candidate ret[ALTPICK_CANDIDATES_MAX])
{
    (void) question;
    return altpick_code_copy(altpick_refcount_code, ALTPICK_REFCOUNT_CANDIDATES, ret);
}

/* By its bytes; code that is not ours is taken for what its name says.  SIZE_MAX: for nothing. */
static size_t index_of(const struct altpick_candidate *candidate)
{
    for (size_t i = 0; i < ALTPICK_REFCOUNT_CANDIDATES; i++) {
        if (altpick_code_is(&altpick_refcount_code[i], candidate))
            return i;
    }
    for (size_t i = 0; i < ALTPICK_REFCOUNT_CANDIDATES; i++) {
        if (altpick_equal(altpick_refcount_code[i].name, candidate->name))
            return i;
    }
    return SIZE_MAX;
}

bool altpick_refcount_counter(const struct altpick_candidate *candidate,
                              struct altpick_counter *ret_counter)
{
    size_t i = index_of(candidate);

    if (i == SIZE_MAX)
        return false;
    ret_counter->op = (enum altpick_counter_op)(i % ALTPICK_N_COUNTER_OPS);
    for (unsigned c = 0; c < ALTPICK_N_COUNTS; c++)
        ret_counter->at[c] = states[i / ALTPICK_N_COUNTER_OPS][c];
    ret_counter->saturates = i / ALTPICK_N_COUNTER_OPS != ALTPICK_REFCOUNT_ATOMIC;
    return true;
}

static const struct altpick_code *code_of(enum altpick_refcount_variant variant,
                                          enum altpick_counter_op op)
{
    return &altpick_refcount_code[variant * ALTPICK_N_COUNTER_OPS + op];
}

const struct altpick_measurement *altpick_refcount_find(const struct altpick_result *result,
                                                        enum altpick_refcount_variant variant,
                                                        enum altpick_counter_op op)
{
    for (size_t i = 0; i < result->n_candidates; i++) {
        if (altpick_code_is(code_of(variant, op), &result->candidates[i].candidate))
            return &result->candidates[i];
    }
    return NULL;
}

struct altpick_cost altpick_refcount_pair(const struct altpick_result *result,
                                          enum altpick_refcount_variant variant, unsigned condition)
{
    const struct altpick_measurement *inc =
        altpick_refcount_find(result, variant, ALTPICK_COUNTER_INC);
    const struct altpick_measurement *dec =
        altpick_refcount_find(result, variant, ALTPICK_COUNTER_DEC_AND_TEST);
    struct altpick_cost sum = {.status = ALTPICK_STATUS_UNMEASURED};

    if (!inc || !dec || inc->cost[condition].status != dec->cost[condition].status ||
        !altpick_cost_is_known(&inc->cost[condition]))
        return sum;
    sum = inc->cost[condition];
    sum.cycles_micro += dec->cost[condition].cycles_micro;
    sum.low_micro += dec->cost[condition].low_micro;
    sum.high_micro += dec->cost[condition].high_micro;
    if (dec->cost[condition].count < sum.count)
        sum.count = dec->cost[condition].count;
    return sum;
}

/* Whether @guarantee says something about @op. */
static bool speaks_of(enum altpick_guarantee guarantee, enum altpick_counter_op op)
{
    switch (guarantee) {
    case ALTPICK_GUARANTEE_BLOCKS_INC_FROM_ZERO:
        return altpick_count_grows(op);
    case ALTPICK_GUARANTEE_SAFE_ON_UNDERFLOW:
        return !altpick_count_grows(op);
    default:
        return true;
    }
}

/* Of one operation; what the result does not hold is as declared. */
static enum altpick_guarantee_state promise_of(const struct altpick_result *result,
                                               enum altpick_refcount_variant variant,
                                               enum altpick_counter_op op,
                                               enum altpick_guarantee guarantee)
{
    const struct altpick_measurement *m = altpick_refcount_find(result, variant, op);

    if (m)
        return (enum altpick_guarantee_state) m->guarantee[guarantee];
    return code_of(variant, op)->guarantees >> guarantee & 1 ? ALTPICK_GUARANTEE_IS_DECLARED
                                                             : ALTPICK_GUARANTEE_IS_NONE;
}

enum altpick_guarantee_state altpick_refcount_promise(const struct altpick_result *result,
                                                      enum altpick_refcount_variant variant,
                                                      enum altpick_guarantee guarantee)
{
    enum altpick_guarantee_state weakest = ALTPICK_GUARANTEE_IS_CHECKED;

    for (unsigned i = 0; i < ALTPICK_N_COUNTER_OPS; i++) {
        enum altpick_counter_op op = (enum altpick_counter_op) i;
        enum altpick_guarantee_state state;

        if (!speaks_of(guarantee, op))
            continue;
        state = promise_of(result, variant, op, guarantee);
        if (state == ALTPICK_GUARANTEE_IS_CONTRADICTED)
            return state;
        weakest = state < weakest ? state : weakest;
    }
    return weakest;
}

/* What an operation that went wrong when it was run says of the whole. */
static const char *why_unusable(const struct altpick_result *result,
                                enum altpick_refcount_variant variant)
{
    for (unsigned op = 0; op < ALTPICK_N_COUNTER_OPS; op++) {
        const struct altpick_measurement *m =
            altpick_refcount_find(result, variant, (enum altpick_counter_op) op);

        if (m && m->reason[0])
            return "an operation of it must not be used here, for what a check found";
    }
    return NULL;
}

static void add_entry(const struct altpick_result *result, enum altpick_refcount_variant variant,
                      struct altpick_contest *contest)
{
    static const enum altpick_guarantee guarantees[] = {
        ALTPICK_GUARANTEE_SATURATES_ON_OVERFLOW, ALTPICK_GUARANTEE_SAFE_ON_UNDERFLOW,
        ALTPICK_GUARANTEE_BLOCKS_INC_FROM_ZERO, ALTPICK_GUARANTEE_REPORTS_MISUSE};
    struct altpick_entry *entry = altpick_contest_add(contest, variant_names[variant], NULL);

    entry->promises = true;
    for (size_t i = 0; i < sizeof guarantees / sizeof *guarantees; i++)
        entry->guarantee[guarantees[i]] =
            (uint8_t) altpick_refcount_promise(result, variant, guarantees[i]);
    entry->cost[ALTPICK_WARM] = altpick_refcount_pair(result, variant, ALTPICK_WARM);
    entry->cost[ALTPICK_CONTENDED] = altpick_refcount_pair(result, variant, ALTPICK_CONTENDED);
    entry->out = why_unusable(result, variant);
    if (entry->out)
        altpick_contest_note(contest, "available", entry->out, (int) contest->n_entries - 1);
}

static bool holds(const struct altpick_entry *entry, enum altpick_guarantee guarantee)
{
    unsigned state = entry->guarantee[guarantee];

    return state == ALTPICK_GUARANTEE_IS_DECLARED || state == ALTPICK_GUARANTEE_IS_CHECKED;
}

/* Whether @entry saturates and revives nothing. */
static bool is_whole(const struct altpick_entry *entry)
{
    return holds(entry, ALTPICK_GUARANTEE_SATURATES_ON_OVERFLOW) &&
           holds(entry, ALTPICK_GUARANTEE_SAFE_ON_UNDERFLOW) &&
           holds(entry, ALTPICK_GUARANTEE_BLOCKS_INC_FROM_ZERO);
}

/*
 * Counters are different levels of security.  What revives dead objects may be cheaper than what
 * does not, but figures do not choose it while there is any of the other kind: a pin may.
 */
static void keep_out_weaker(struct altpick_contest *contest)
{
    bool stronger = false;

    for (size_t i = 0; i < contest->n_entries; i++)
        stronger = stronger || (!contest->entries[i].out && is_whole(&contest->entries[i]));
    for (size_t i = 0; i < contest->n_entries && stronger; i++) {
        struct altpick_entry *entry = &contest->entries[i];

        if (entry->out || holds(entry, ALTPICK_GUARANTEE_BLOCKS_INC_FROM_ZERO))
            continue;
        entry->out = "revives dead objects, which another does not: only by a pin";
        entry->weak = true;
    }
}

/* What a reference costs from its making to its end. */
static void item(const struct altpick_question *question, size_t index,
                 const struct altpick_result *result, const struct altpick_policy *policy,
                 const struct altpick_decision *earlier, struct altpick_contest *ret_contest)
{
    static const enum altpick_refcount_variant order[] = {
        ALTPICK_REFCOUNT_XADD, ALTPICK_REFCOUNT_FAST, ALTPICK_REFCOUNT_FULL,
        ALTPICK_REFCOUNT_ATOMIC};

    (void) index;
    (void) earlier;
    altpick_contest_init(ret_contest, question, "implementation", result, policy);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        add_entry(result, order[i], ret_contest);
    keep_out_weaker(ret_contest);
}

extern const struct altpick_question altpick_question_refcount;
const struct altpick_question altpick_question_refcount = {
    .name = "refcount",
    .title = "how to count references, and what misuse does to the counter",
    .bits = 64,
    .conditions = 1u << ALTPICK_WARM | 1u << ALTPICK_CONTENDED,
    .unranked = 1u << ALTPICK_CONTENDED, /* of two CPUs there is no order that stays */
    .requires = GUARANTEE(SATURATES_ON_OVERFLOW) | GUARANTEE(SAFE_ON_UNDERFLOW),
    .may_change = 1u << ALTPICK_REGISTER_RAX | 1u << ALTPICK_REGISTER_RCX |
                  1u << ALTPICK_REGISTER_RDX | 1u << ALTPICK_REGISTER_FLAGS,
    .look = altpick_look_count,
    .counter = altpick_refcount_counter,
    .n_candidates = 24,
    .candidates = candidates,
    .candidate = candidate,
    .emits = &altpick_emits_refcount,
    .n_items = 1,
    .item = item,
};
