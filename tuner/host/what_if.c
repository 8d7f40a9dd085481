/* SPDX-License-Identifier: MIT */
/* What would change a decision: the same figures decided again under other policies. */
#include "what_if.h"

#include "table.h"

#include "altpick/err.h"

#include <stdlib.h>
#include <string.h>

enum { MARGIN_MAX_PERMILLE = 500, COARSE_PERMILLE = 20 };

/* Deciding is a pure function, so trying is cheaper and truer than working it out from the trace.
 */
struct what_if {
    const struct altpick_decisions *decisions;
    const struct altpick_decision *decision;
    struct altpick_policy policy;    /* the one tried */
    struct altpick_decisions *tried; /* what it decides */
    struct altpick_out *out;
    unsigned n_found;
};

/* The item under the policy that is tried when it has another winner, else NULL. */
static const struct altpick_decision *changes(struct what_if *what_if)
{
    const struct altpick_decision *decision = what_if->decision, *tried;

    altpick_decide(what_if->decisions->question, what_if->decisions->result, &what_if->policy,
                   what_if->tried);
    tried = altpick_decision_find(what_if->tried, decision->contest.item);
    if (!tried || tried->winner == ALTPICK_NO_ENTRY || decision->winner == ALTPICK_NO_ENTRY ||
        strcmp(tried->contest.entries[tried->winner].name,
               decision->contest.entries[decision->winner].name) == 0)
        return NULL;
    return tried;
}

static void report(struct what_if *what_if, const struct altpick_decision *tried, const char *with,
                   const char *value)
{
    altpick_line(what_if->out, 4, "  %s would win %s%s (%s)",
                 tried->contest.entries[tried->winner].name, with, value,
                 altpick_verdict_name(tried->verdict));
    what_if->n_found++;
}

static void try_policy(struct what_if *what_if, const char *with, const char *value)
{
    const struct altpick_decision *tried = changes(what_if);

    if (tried)
        report(what_if, tried, with, value);
}

/* Whether @margin changes the winner. */
static const struct altpick_decision *try_margin(struct what_if *what_if, int margin)
{
    what_if->policy.tie_margin_permille = (uint32_t) margin;
    return changes(what_if);
}

/* The margin nearest to @from in direction @step (1 or -1) that changes the winner. */
static void try_margins(struct what_if *what_if, int from, int step, const char *with)
{
    const struct altpick_decision *tried = NULL;
    int margin = from, first;
    struct altpick_figure value;

    while (!tried && margin + step >= 0 && margin + step <= MARGIN_MAX_PERMILLE) {
        first = margin + step;
        margin += step * COARSE_PERMILLE;
        margin = margin < 0 ? 0 : margin > MARGIN_MAX_PERMILLE ? MARGIN_MAX_PERMILLE : margin;
        if (!try_margin(what_if, margin))
            continue;
        for (margin = first; !(tried = try_margin(what_if, margin));)
            margin += step;
    }
    if (!tried)
        return;
    value = altpick_figure_permille((uint32_t) margin);
    strcat(value.text, " %");
    report(what_if, tried, with, value.text);
}

static void try_targets(struct what_if *what_if, enum altpick_target given)
{
    for (unsigned i = 0; i < ALTPICK_N_TARGETS; i++) {
        what_if->policy.target = (enum altpick_target) i;
        if (i != given)
            try_policy(what_if, "with --target ", altpick_target_name(i));
    }
}

/* Each condition as if it were the only one. */
static void try_conditions(struct what_if *what_if)
{
    const struct altpick_contest *contest = &what_if->decision->contest;
    struct altpick_policy *policy = &what_if->policy;

    for (unsigned i = 0; i < ALTPICK_N_CONDITIONS; i++) {
        if (contest->weight[i] == 0 || contest->dropped[i] ||
            what_if->decisions->result->condition[i].status == ALTPICK_STATUS_UNMEASURED)
            continue;
        policy->n_weights = 0;
        for (unsigned k = 0; k < ALTPICK_N_CONDITIONS; k++) {
            strcpy(policy->weights[policy->n_weights].question, contest->question);
            policy->weights[policy->n_weights].condition = k;
            policy->weights[policy->n_weights++].weight = k == i;
        }
        try_policy(what_if, "if only this counted: ", altpick_condition_name(i));
    }
}

static void try_all(struct what_if *what_if, const struct altpick_policy *policy)
{
    try_margins(what_if, (int) policy->tie_margin_permille, -1, "with a tie margin of at most ");
    try_margins(what_if, (int) policy->tie_margin_permille, 1, "with a tie margin of at least ");
    what_if->policy = *policy;
    try_targets(what_if, policy->target);
    what_if->policy = *policy;
    what_if->policy.n_pins = 0;
    if (policy->n_pins > 0)
        try_policy(what_if, "without pins", "");
    what_if->policy = *policy;
    what_if->policy.rebuild_world = !policy->rebuild_world;
    try_policy(what_if, policy->rebuild_world ? "without" : "with", " --rebuild-world");
    what_if->policy = *policy;
    what_if->policy.n_requires = 0;
    if (policy->n_requires > 0)
        try_policy(what_if, "without requirements", "");
    what_if->policy = *policy;
    what_if->policy.max_nop_bytes = 0;
    if (policy->max_nop_bytes > 0)
        try_policy(what_if, "without --max-nop", "");
    what_if->policy = *policy;
    try_conditions(what_if);
}

void altpick_what_if(const struct altpick_decisions *decisions,
                     const struct altpick_decision *decision, const struct altpick_policy *policy,
                     struct altpick_out *out)
{
    struct what_if what_if = {
        .decisions = decisions, .decision = decision, .policy = *policy, .out = out};

    what_if.tried = calloc(1, sizeof *what_if.tried);
    if (!what_if.tried) {
        out->err = out->err ? out->err : ALTPICK_ENOMEM;
        return;
    }
    altpick_printf(out, "\nwhat would change it\n");
    try_all(&what_if, policy);
    if (decision->verdict == ALTPICK_VERDICT_UNDECIDED)
        altpick_line(out, 4,
                     "  a longer probe (--time-limit, --thorough) may separate the intervals");
    else if (what_if.n_found == 0)
        altpick_line(out, 4, "  no tie margin, target or single condition does");
    free(what_if.tried);
}
