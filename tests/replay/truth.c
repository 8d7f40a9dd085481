/* SPDX-License-Identifier: MIT */
/* Compares decisions from replayed measurements with those that the same figures imply. */
#include "checks.h"
#include "figures.h"
#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTHS = 15, ALL_PERMILLE = 950, OTHER_PERMILLE = 900, SHUFFLED_PERMILLE = 990 };

/* One line of the truth table. */
struct expected {
    char machine[96];
    char code[2 * ALTPICK_CODE_MAX + 1];
    bool is_default, is_edge;
};

struct table {
    struct replay_machine machines[REPLAY_MACHINES_MAX];
    size_t n_machines;
    struct expected expected[REPLAY_MACHINES_MAX][LENGTHS]; /* by machine, then length - 1 */
};

/* How many decisions there were and how many of them were as expected. */
struct tally {
    size_t all, all_right, other, other_right, edge, edge_right;
    double probe_seconds, longest_probe_seconds;
};

static void fail(const char *path, const char *what)
{
    fprintf(stderr, "%s: %s\n", path, what);
    exit(EXIT_FAILURE);
}

static void read_expected(const char *path, struct table *table)
{
    char line[512], kind[8], edge[8];
    FILE *f = fopen(path, "r");

    if (!f)
        fail(path, "cannot be opened");
    for (size_t i = 0; i < table->n_machines * LENGTHS; i++) {
        struct expected *e = &table->expected[i / LENGTHS][i % LENGTHS];
        unsigned length = 0;

        if (!fgets(line, sizeof line, f) || sscanf(line, "%95[^\t]\t%u\t%128s\t%7s\t%7s",
                                                   e->machine, &length, e->code, kind, edge) != 5)
            fail(path, "a line is missing or malformed");
        if (length != i % LENGTHS + 1 || strcmp(e->machine, table->machines[i / LENGTHS].name) != 0)
            fail(path, "not in the order of the figures");
        e->is_default = strcmp(kind, "default") == 0;
        e->is_edge = strcmp(edge, "edge") == 0;
    }
    fclose(f);
}

static struct table *table_new(const struct replay_truth_args *args)
{
    struct table *table = calloc(1, sizeof *table);

    if (!table)
        fail(args->nops_tsv, "out of memory");
    table->n_machines = replay_machines_read(args->nops_tsv, table->machines, REPLAY_MACHINES_MAX);
    if (table->n_machines == 0 || table->n_machines == REPLAY_MACHINES_MAX)
        fail(args->nops_tsv, "no machines, or too many");
    read_expected(args->truth_tsv, table);
    return table;
}

/* The winner's bytes of the item for @length, in hexadecimal; "" without a winner. */
static void winner_code(const struct replay_run *run, unsigned length, char *ret_text,
                        size_t capacity)
{
    char item[ALTPICK_NAME_MAX + 16];
    const struct altpick_decision *decision;
    const struct altpick_candidate *winner = NULL;
    size_t n = 0;

    ret_text[0] = '\0';
    snprintf(item, sizeof item, "%s.%u", run->question->name, length);
    decision = altpick_decision_find(&run->decisions, item);
    if (decision)
        winner = replay_winner(decision);
    for (size_t i = 0; winner && i < winner->code_bytes && n + 2 < capacity; i++)
        n += (size_t) snprintf(ret_text + n, capacity - n, "%02x", winner->code[i]);
}

static void replay_measured(struct replay_run *run, const struct replay_machine *machine,
                            uint64_t seed)
{
    struct replay_noise noise = replay_noise_draw(seed);
    struct replay replay;

    replay_init(&replay, seed, &noise, replay_machine_cycles, machine);
    replay_run_measure(run, &replay, (uint32_t) seed);
}

static void count(const struct replay_run *run, const struct expected *expected, bool verbose,
                  struct tally *tally)
{
    char code[2 * ALTPICK_CODE_MAX + 1];

    tally->probe_seconds += run->probe_seconds;
    if (run->probe_seconds > tally->longest_probe_seconds)
        tally->longest_probe_seconds = run->probe_seconds;
    for (unsigned length = 1; length <= LENGTHS; length++) {
        const struct expected *e = &expected[length - 1];
        bool right;

        winner_code(run, length, code, sizeof code);
        right = strcmp(code, e->code) == 0;
        tally->all++;
        tally->all_right += right;
        tally->other += !e->is_default;
        tally->other_right += right && !e->is_default;
        tally->edge += e->is_edge;
        tally->edge_right += right && e->is_edge;
        if (!right && verbose)
            fprintf(stderr, "%s %u: %s instead of %s%s\n", e->machine, length, code, e->code,
                    e->is_edge ? " (knife edge)" : "");
    }
}

static double percent(size_t part, size_t whole)
{
    return whole ? 100 * (double) part / (double) whole : 100;
}

/* Replay the machines that @args selects and compare what @decide makes of them. */
static bool compare(const struct replay_truth_args *args, const char *name, const char *question,
                    bool verbose, replay_decide *decide)
{
    struct table *table = table_new(args);
    struct replay_run *run = replay_run_new(altpick_question_find(question));
    struct tally t = {0};
    size_t runs = 0;

    for (size_t m = 0; m < table->n_machines; m += args->every) {
        for (size_t s = 0; s < args->seeds; s++, runs++) {
            replay_measured(run, &table->machines[m], 1 + s * REPLAY_MACHINES_MAX + m);
            replay_run_decide(run, decide);
            count(run, table->expected[m], verbose, &t);
        }
    }
    printf("%s: %zu replays, %zu of %zu decisions (%.1f %%), not default %zu of %zu (%.1f %%), "
           "knife edges %zu of %zu; virtual probe %.3f s, longest %.3f s\n",
           name, runs, t.all_right, t.all, percent(t.all_right, t.all), t.other_right, t.other,
           percent(t.other_right, t.other), t.edge_right, t.edge, t.probe_seconds / (double) runs,
           t.longest_probe_seconds);
    free(run);
    free(table);
    return 1000 * t.all_right >= ALL_PERMILLE * t.all &&
           1000 * t.other_right >= OTHER_PERMILLE * t.other;
}

bool replay_check_truth(const struct replay_truth_args *args)
{
    return compare(args, "truth", "nop.fill.64", true, altpick_decide);
}

bool replay_check_truth_32(const struct replay_truth_args *args)
{
    return compare(args, "truth in 32-bit code", "nop.fill.32", true, altpick_decide);
}

/* A decision function that has stopped looking at figures. */
static void decide_default(const struct altpick_question *question,
                           const struct altpick_result *result, const struct altpick_policy *policy,
                           struct altpick_decisions *ret_decisions)
{
    altpick_decide(question, result, policy, ret_decisions);
    for (size_t i = 0; i < ret_decisions->n_decisions; i++)
        ret_decisions->decision[i].winner = ret_decisions->decision[i].preferred;
}

bool replay_check_default_mutant(const struct replay_truth_args *args)
{
    return !compare(args, "mutant that returns the default", "nop.fill.64", false, decide_default);
}

bool replay_check_shuffle(const struct replay_truth_args *args)
{
    struct table *table = table_new(args);
    struct replay_run *plain = replay_run_new(altpick_question_find("nop.fill.64")), *shuffled;
    size_t total = 0, equal = 0, renamed = 0;

    for (size_t m = 0; m < table->n_machines; m += args->every) {
        shuffled = replay_run_new(plain->question);
        replay_run_shuffle(shuffled, m + 1);
        replay_measured(plain, &table->machines[m], m + 1);
        replay_measured(shuffled, &table->machines[m], m + 1);
        replay_run_decide(plain, altpick_decide);
        replay_run_decide(shuffled, altpick_decide);
        for (unsigned length = 1; length <= LENGTHS; length++) {
            char a[2 * ALTPICK_CODE_MAX + 1], b[2 * ALTPICK_CODE_MAX + 1];
            const struct altpick_decision *x = &plain->decisions.decision[length - 1];
            const struct altpick_decision *y = &shuffled->decisions.decision[length - 1];

            if (table->expected[m][length - 1].is_edge)
                continue;
            winner_code(plain, length, a, sizeof a);
            winner_code(shuffled, length, b, sizeof b);
            total++;
            equal += strcmp(a, b) == 0;
            renamed +=
                strcmp(x->contest.entries[x->winner].name, y->contest.entries[y->winner].name) != 0;
            if (strcmp(a, b) != 0)
                fprintf(stderr, "%s %u: %s, shuffled %s\n", table->machines[m].name, length, a, b);
        }
        free(shuffled);
    }
    printf("shuffle: bytes of %zu of %zu winners unchanged, names of %zu changed\n", equal, total,
           renamed);
    free(plain);
    free(table);
    return 1000 * equal >= SHUFFLED_PERMILLE * total && renamed > 0;
}
