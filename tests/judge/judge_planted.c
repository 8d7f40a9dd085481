/* SPDX-License-Identifier: MIT */
/*
 * judge_planted SEED [GLOB]: of each question that machines measure, candidates under a second name
 * and planted losers, measured as the question is and decided.  One line a contest: item, what must
 * come out (tie or lose), verdict, whether the second one lost, gain and its interval in ppm.
 */
#include "measured.h"

#include "altpick/decide.h"
#include "altpick/stop.h"
#include "bytes.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TWINS = 3, /* candidates of a question that are measured twice */
    LOSERS_MAX = 2,
    EXTRA_MAX = 16,
};

/* What makes a loser: so many times more code behind the same code. */
struct loser {
    const char *name;
    uint32_t times;
};

/* The code of a question's candidate, @copies times over, against the same with more behind it. */
struct plant {
    const char *question, *candidate;
    uint32_t copies;
    uint8_t extra[EXTRA_MAX];
    uint32_t extra_bytes;
    struct loser losers[LOSERS_MAX];
};

/* Add a question's losers here.  A question without any is still measured against itself. */
static const struct plant plants[] = {
  /* nop dword [rax+rax+0], nine and ten of them against eight */
    {.question = "nop.fill.64",
     .candidate = "0f1f.5",
     .copies = 8,
     .extra = {0x0f, 0x1f, 0x44, 0x00, 0x00},
     .extra_bytes = 5,
     .losers = {{"loser12", 1}, {"loser25", 2}} },
    {.question = "nop.fill.32",
     .candidate = "0f1f.5",
     .copies = 8,
     .extra = {0x0f, 0x1f, 0x44, 0x00, 0x00},
     .extra_bytes = 5,
     .losers = {{"loser12", 1}, {"loser25", 2}} },
    {.question = "nop.text-poke",
     .candidate = "0f1f.5",
     .copies = 8,
     .extra = {0x0f, 0x1f, 0x44, 0x00, 0x00},
     .extra_bytes = 5,
     .losers = {{"loser12", 1}, {"loser25", 2}} },
 /* fninit, two and four of them more: a cold call takes 600 cycles and varies */
    {.question = "fpu.init",
     .candidate = "clear-16-stack",
     .copies = 1,
     .extra = {0xdb, 0xe3},
     .extra_bytes = 2,
     .losers = {{"loser30", 2}, {"loser60", 4}} },
    {.question = "kernel-fpu.begin",
     .candidate = "fninit",
     .copies = 8,
     .extra = {0xdb, 0xe3},
     .extra_bytes = 2,
     .losers = {{"loser12", 1}, {"loser25", 2}} },
 /* fxsave64 [rdi] */
    {.question = "xstate.save",
     .candidate = "fxsave",
     .copies = 8,
     .extra = {0x48, 0x0f, 0xae, 0x07},
     .extra_bytes = 4,
     .losers = {{"loser12", 1}, {"loser25", 2}} },
    {.question = "fpu.switch",
     .candidate = "fxsave",
     .copies = 2,
     .extra = {0x48, 0x0f, 0xae, 0x07},
     .extra_bytes = 4,
     .losers = {{"loser50", 1}, {"loser100", 2}}},
};

/* A contest between two candidates, by index; the second is the preferred one. */
struct pair {
    char name[ALTPICK_NAME_MAX];
    size_t first, second;
    bool loses; /* else it is the same code */
};

/* A registered question with other candidates and items.  The question comes first: see planted().
 */
struct planted {
    struct altpick_question question;
    struct altpick_candidate candidates[2 * TWINS + 1 + LOSERS_MAX];
    size_t n_candidates;
    struct pair pairs[TWINS + LOSERS_MAX];
};

static const struct planted *planted(const struct altpick_question *question)
{
    return (const struct planted *) question;
}

static size_t candidates(const struct altpick_question *question,
                         struct altpick_candidate ret[ALTPICK_CANDIDATES_MAX])
{
    memcpy(ret, planted(question)->candidates,
           planted(question)->n_candidates * sizeof *planted(question)->candidates);
    return planted(question)->n_candidates;
}

static void item(const struct altpick_question *question, size_t index,
                 const struct altpick_result *result, const struct altpick_policy *policy,
                 const struct altpick_decision *earlier, struct altpick_contest *ret_contest)
{
    const struct pair *pair = &planted(question)->pairs[index];
    const size_t order[] = {pair->second, pair->first};

    (void) earlier;
    altpick_contest_init(ret_contest, question, pair->name, result, policy);
    ret_contest->forgives = UINT64_MAX; /* whatever a look found: this is about figures */
    for (uint32_t i = 0; i < 2; i++) {
        const struct altpick_measurement *m = &result->candidates[order[i]];

        altpick_contest_add(ret_contest, m->candidate.name, m)->rank = i;
    }
}

static void die(const char *question, const char *what)
{
    fprintf(stderr, "judge_planted: %s: %s\n", question, what);
    exit(EXIT_FAILURE);
}

static size_t add(struct planted *to, const struct altpick_candidate *candidate,
                  const char name[ALTPICK_NAME_MAX])
{
    struct altpick_candidate *added = &to->candidates[to->n_candidates];

    *added = *candidate;
    memcpy(added->name, name, ALTPICK_NAME_MAX);
    return to->n_candidates++;
}

/* The candidate at @first, and @second, which is added under the name of the contest. */
static void add_pair(struct planted *to, size_t first, const struct altpick_candidate *second,
                     const char *prefix, const char *name, bool loses)
{
    struct pair *pair = &to->pairs[to->question.n_items++];

    *pair = (struct pair){.first = first, .second = to->n_candidates, .loses = loses};
    altpick_append(pair->name, sizeof pair->name, prefix);
    altpick_append(pair->name, sizeof pair->name, name);
    add(to, second, pair->name);
}

/* Code that is there before anything is measured, and that this CPU can run here. */
static bool runs_here(const struct altpick_candidate *candidate, const struct altpick_cpu *cpu)
{
    if (candidate->code_bytes == 0 || candidate->ring0)
        return false;
    for (unsigned feature = 0; feature < ALTPICK_N_CPU_FEATURES; feature++) {
        if (candidate->needs >> feature & 1 &&
            !altpick_cpu_has(cpu, (enum altpick_cpu_feature) feature))
            return false;
    }
    return true;
}

/* A few of the question's own, spread over all that run here, each twice. */
static void add_twins(struct planted *to, const struct altpick_candidate *all, size_t n)
{
    struct altpick_cpu cpu;
    size_t n_here = 0, step, seen = 0;

    altpick_cpu_read(&altpick_cpuid_native, &cpu);
    for (size_t i = 0; i < n; i++)
        n_here += runs_here(&all[i], &cpu);
    step = n_here > TWINS ? n_here / TWINS : 1;
    for (size_t i = 0; i < n && to->question.n_items < TWINS; i++) {
        if (!runs_here(&all[i], &cpu) || seen++ % step != 0)
            continue;
        add_pair(to, add(to, &all[i], all[i].name), &all[i], "same-", all[i].name, false);
    }
}

static void append(struct altpick_candidate *to, const uint8_t *code, uint32_t bytes,
                   uint32_t times)
{
    for (uint32_t i = 0; i < times; i++) {
        if (to->code_bytes + bytes > ALTPICK_CODE_MAX)
            die(to->name, "the planted code is too long");
        memcpy(to->code + to->code_bytes, code, bytes);
        to->code_bytes += bytes;
    }
}

static void add_losers(struct planted *to, const struct plant *plant,
                       const struct altpick_candidate *of)
{
    struct altpick_candidate code = *of;
    size_t first;

    code.guarantees = 0; /* more of it need not keep what one promises */
    append(&code, of->code, of->code_bytes, plant->copies - 1);
    first = add(to, &code, (char[ALTPICK_NAME_MAX]){"base"});
    for (const struct loser *loser = plant->losers;
         loser < plant->losers + LOSERS_MAX && loser->name; loser++) {
        struct altpick_candidate longer = code;

        append(&longer, plant->extra, plant->extra_bytes, loser->times);
        add_pair(to, first, &longer, "", loser->name, true);
    }
}

static const struct altpick_candidate *find(const struct altpick_candidate *all, size_t n,
                                            const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(all[i].name, name) == 0)
            return &all[i];
    }
    return NULL;
}

/* Everything but candidates and items is as in @question, how it is measured above all. */
static void plant_in(const struct altpick_question *question, struct planted *ret)
{
    static struct altpick_candidate all[ALTPICK_CANDIDATES_MAX];
    size_t n = question->candidates(question, all);

    *ret = (struct planted){.question = *question};
    ret->question.candidates = candidates;
    ret->question.item = item;
    ret->question.n_items = 0;
    ret->question.refine = NULL;
    ret->question.requires = 0;
    add_twins(ret, all, n);
    for (size_t i = 0; i < sizeof plants / sizeof *plants; i++) {
        const struct altpick_candidate *of;

        if (strcmp(plants[i].question, question->name) != 0)
            continue;
        of = find(all, n, plants[i].candidate);
        if (!of)
            die(question->name, "the candidate to plant a loser beside does not exist");
        add_losers(ret, &plants[i], of);
        return; /* one row a question */
    }
}

static void judge(const struct altpick_question *question, uint32_t seed)
{
    static struct planted own;
    static struct altpick_decisions decisions;
    struct altpick_result result;
    struct altpick_policy policy;

    altpick_policy_init(&policy);
    policy.target = ALTPICK_TARGET_THIS_CPU;
    plant_in(question, &own);
    measure_as_probe(&own.question, (unsigned) altpick_stop_extra_ms(&own.question), seed, &result);
    altpick_decide(&own.question, &result, &policy, &decisions);
    for (size_t i = 0; i < decisions.n_decisions; i++) {
        const struct altpick_decision *d = &decisions.decision[i];

        printf("%s\t%s\t%s\t%s\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\n", d->contest.item,
               own.pairs[i].loses ? "lose" : "tie", altpick_verdict_name(d->verdict),
               d->displaced ? "lost" : "kept", d->gain_ppm, d->gain_low_ppm, d->gain_high_ppm);
    }
    free(result.candidates);
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: judge_planted SEED [GLOB]\n");
        return 2;
    }
    for (size_t i = 0; i < altpick_question_count; i++) {
        const struct altpick_question *question = altpick_questions[i];

        if (!question->unmeasured && (argc < 3 || fnmatch(argv[2], question->name, 0) == 0))
            judge(question, (uint32_t) strtoul(argv[1], NULL, 10));
    }
    return 0;
}
