/* SPDX-License-Identifier: MIT */
/* From costs and a policy to decisions: a contest passes through a list of rules. */
#ifndef ALTPICK_DECIDE_H
#define ALTPICK_DECIDE_H

#include "altpick/policy.h"
#include "altpick/profile.h"
#include "altpick/question.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Names are file format. */
#define ALTPICK_VERDICTS(X)                                                                        \
    X(UNMEASURED, "unmeasured")       /* the preferred form has no figure: it is kept */           \
    X(CLEAR, "clear")                 /* interval wholly beyond the margin */                      \
    X(TIE, "tie")                     /* wholly inside: the preferred form is kept */              \
    X(UNDECIDED, "undecided")         /* neither: the preferred form is kept */                    \
    X(VETOED, "vetoed")               /* something is faster here but toxic elsewhere: kept */     \
    X(PINNED, "pinned")               /* the policy or the question names it */                    \
    X(ONLY_ELIGIBLE, "only-eligible") /* nothing else passed the filters */

enum altpick_verdict {
#define X(id, name) ALTPICK_VERDICT_##id,
    ALTPICK_VERDICTS(X)
#undef X
        ALTPICK_N_VERDICTS
};

const char *altpick_verdict_name(unsigned verdict); /* NULL when out of range */

enum { ALTPICK_ENTRIES_MAX = 16, ALTPICK_TRACE_MAX = 48, ALTPICK_NO_ENTRY = -1 };

/* Distance of a decision that no figure can change (pinned, the only one eligible). */
#define ALTPICK_DISTANCE_FAR INT64_C(1000000)

/* One candidate in one contest.  (Here and below what code uses most comes first.) */
struct altpick_entry {
    const struct altpick_measurement *measurement; /* NULL: an entry computed from several */
    const char *out;    /* why it may not win (static text), NULL while it may */
    bool weak;          /* out for its figures only: a pin may bring it back */
    bool vetoed;        /* out for its cost elsewhere only */
    bool promises;      /* computed, but guarantees are required of it all the same */
    bool must_win_each; /* may replace the preferred form only by winning in every weighted
                           condition */
    uint32_t rank;      /* preference: the lowest wins a tie; unique */
    uint32_t
        handicap_permille; /* an exception to a rule: it must win by this much more than clear */
    enum altpick_elsewhere elsewhere;
    struct altpick_cost sum; /* weighted over the conditions that count; set by rules */
    char name[ALTPICK_NAME_MAX];
    uint8_t guarantee[ALTPICK_N_GUARANTEES]; /* enum altpick_guarantee_state */
    struct altpick_cost cost[ALTPICK_N_CONDITIONS];
};

/* One step of a rule, for `why`: static text, and the entries and figures it speaks of. */
struct altpick_trace {
    const char *rule; /* name of the rule */
    const char *text; /* what it found */
    int entry;        /* index, or ALTPICK_NO_ENTRY */
    int other;
    int64_t gain_ppm, low_ppm, high_ppm; /* of entry over other, where has_gain */
    bool has_gain;
};

struct altpick_contest {
    size_t n_entries;
    size_t n_trace;
    uint64_t requires; /* bit n: guarantee n; altpick_decide() adds the question's */
    uint64_t exempt;   /* bit n: guarantee n says nothing here, whoever requires it */
    uint64_t forgives; /* bit n: what contradicts guarantee n is out only where it is required */
    uint32_t margin_permille; /* within it, things are equal */
    uint32_t clear_permille;  /* beyond it, a win is clear; larger after one or two batches */
    int fixed; /* other code depends on this entry: pinned unless the policy says rebuild-world;
                  else ALTPICK_NO_ENTRY */
    int given; /* decided by other items: that entry, else ALTPICK_NO_ENTRY */
    const char *given_text;
    enum altpick_verdict given_verdict;
    bool needs_nothing; /* of a CPU: unsupported means the system, and leaves a form eligible */
    int64_t given_distance_ppm;
    char item[ALTPICK_NAME_MAX + 16]; /* "nop.fill.64.5" */
    char question[ALTPICK_NAME_MAX];
    uint32_t weight[ALTPICK_N_CONDITIONS]; /* 0: the condition does not count */
    bool dropped[ALTPICK_N_CONDITIONS];    /* weighted, but missing for everyone */
    /* From here on only what is counted above is ever written. */
    struct altpick_entry entries[ALTPICK_ENTRIES_MAX];
    struct altpick_trace trace[ALTPICK_TRACE_MAX];
};

/*
 * The outcome.  gain is of the winner over the preferred form, or of the best rival over the form
 * that was kept or pinned.
 */
struct altpick_decision {
    int winner;    /* entry index; ALTPICK_NO_ENTRY only without any entry */
    int preferred; /* entry index that a tie keeps */
    int rival;     /* entry whose gain is given, or ALTPICK_NO_ENTRY */
    enum altpick_verdict verdict;
    bool displaced; /* figures put another form in the preferred one's place */
    int64_t gain_ppm, gain_low_ppm, gain_high_ppm;
    int64_t distance_ppm; /* from the gain interval to the margin; the smaller, the closer */
    struct altpick_contest contest;
};

/* All decisions of one question on one machine. */
struct altpick_decisions {
    const struct altpick_question *question;
    const struct altpick_result *result;
    size_t n_decisions;
    struct altpick_decision decision[ALTPICK_ITEMS_MAX];
};

/*
 * Decide every item of @question.  A pure function of its arguments.  @result and @policy must
 * outlive *ret_decisions.
 */
void altpick_decide(const struct altpick_question *question, const struct altpick_result *result,
                    const struct altpick_policy *policy, struct altpick_decisions *ret_decisions);

/* The decision called @item (full name), or NULL. */
const struct altpick_decision *altpick_decision_find(const struct altpick_decisions *decisions,
                                                     const char *item);

/*
 * Start *ret_contest for item @index_name of @question: names, margins and weights from @policy,
 * clear_permille from the batches behind @result (published figures have none), no entries,
 * nothing given.
 */
void altpick_contest_init(struct altpick_contest *ret_contest,
                          const struct altpick_question *question, const char *index_name,
                          const struct altpick_result *result, const struct altpick_policy *policy);

/* Start *ret_contest with everything that @like has but its entries and its trace. */
void altpick_contest_like(struct altpick_contest *ret_contest, const struct altpick_contest *like);

/* Append an entry of @measurement (NULL: computed) and return it for the caller to complete. */
struct altpick_entry *altpick_contest_add(struct altpick_contest *contest, const char *name,
                                          const struct altpick_measurement *measurement);

/*
 * Append a step to the trace, all of it static text.  Returns it for figures to be added, or NULL
 * when the trace is full.  Rule "threshold": @text is a condition and @entry where it begins.
 */
struct altpick_trace *altpick_contest_note(struct altpick_contest *contest, const char *rule,
                                           const char *text, int entry);

/*
 * Set every entry's weighted sum over the conditions that count: those with a weight in which some
 * entry that is not out has a figure; the others are marked dropped.
 */
void altpick_contest_sum(struct altpick_contest *contest);

/*
 * Whether @a beats @b clearly: gain wholly beyond clear_permille and @a's handicap on the weighted
 * sum, with separated intervals in at least one condition, or in each where @a must win each.
 */
bool altpick_contest_beats(const struct altpick_contest *contest, const struct altpick_entry *a,
                           const struct altpick_entry *b);

/* Run one prepared contest through the rules. */
void altpick_contest_run(struct altpick_contest *contest, const struct altpick_policy *policy,
                         struct altpick_decision *ret_decision);

/*
 * Gain of @a over @b in millionths of @b: positive where @a is cheaper.  The interval is the widest
 * that the two cost intervals allow.
 */
void altpick_gain(const struct altpick_cost *a, const struct altpick_cost *b, int64_t *ret_gain_ppm,
                  int64_t *ret_low_ppm, int64_t *ret_high_ppm);

#endif
