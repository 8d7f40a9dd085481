/* SPDX-License-Identifier: MIT */
/* CPUs with published figures: found by name or signature, made into profiles. */
#include "known_find.h"

#include "diag.h"
#include "known.h"
#include "profile_read.h"
#include "suggest.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LISTED_MAX = 10 };

/* A CPU with what it can be found by. */
struct entry {
    struct altpick_known known;
    struct altpick_machine machine;
};

/* Whether @word is one of the words of @text. */
static bool has_word(const char *text, const char *word)
{
    size_t n = strlen(word);

    while (*text) {
        size_t length = strcspn(text, " ");

        if (length == n && strncasecmp(text, word, n) == 0)
            return true;
        text += length + (text[length] == ' ');
    }
    return false;
}

static bool by_name(const struct entry *entry, const char *text)
{
    return strcasecmp(entry->machine.name, text) == 0 || has_word(entry->known.names, text);
}

/* "00600f12", "0x600f12", or displayed family, model and stepping as in "21-1-2". */
static bool by_signature(const struct entry *entry, const char *text)
{
    const struct altpick_cpu *cpu = &entry->machine.cpu;
    const char *digits = strncasecmp(text, "0x", 2) == 0 ? text + 2 : text;
    char numbers[36];

    if (!entry->known.full_signature)
        return false;
    snprintf(numbers, sizeof numbers, "%u-%u-%u", cpu->family, cpu->model, cpu->stepping);
    if (strcmp(numbers, text) == 0)
        return true;
    return *digits && digits[strspn(digits, "0123456789abcdefABCDEF")] == '\0' &&
           strlen(digits) >= 3 && strlen(digits) <= 8 &&
           strtoul(digits, NULL, 16) == cpu->signature;
}

static bool by_part(const struct entry *entry, const char *text)
{
    return strcasestr(entry->machine.name, text) || strcasestr(entry->known.names, text) ||
           strcasestr(entry->known.brands, text);
}

/* The strictest way first: what one of them finds, the others are not asked about. */
static bool (*const ways[])(const struct entry *entry, const char *text) = {by_name, by_signature,
                                                                            by_part};

struct found {
    size_t n, first;
    char names[640]; /* of the first LISTED_MAX */
};

static void find(const char *text, bool (*matches)(const struct entry *, const char *),
                 struct found *ret)
{
    *ret = (struct found){0};
    for (size_t i = 0; i < altpick_known_count(); i++) {
        struct entry entry;
        size_t length = strlen(ret->names);

        altpick_known_identify(i, &entry.known, &entry.machine);
        if (!matches(&entry, text))
            continue;
        if (ret->n++ == 0)
            ret->first = i;
        if (ret->n <= LISTED_MAX)
            snprintf(ret->names + length, sizeof ret->names - length, "%s%s", length ? ", " : "",
                     entry.machine.name);
    }
}

/* The names of dumps that are nearest to @text, for one that was mistyped. */
static int none(const char *text, struct altpick_diag *diag)
{
    struct altpick_suggestion suggestion = {.typed = text};
    char best[64] = "";

    for (size_t i = 0; i < altpick_known_count(); i++) {
        struct altpick_machine machine;
        struct altpick_known known;
        char names[512], *at = names, *name;

        altpick_known_identify(i, &known, &machine);
        snprintf(names, sizeof names, "%s", known.names);
        while ((name = strsep(&at, " "))) {
            const char *bare = strchr(name, '_') ? strchr(name, '_') + 1 : name;
            size_t before = suggestion.best_distance;
            bool had = suggestion.best;

            altpick_suggest(&suggestion, name);
            altpick_suggest(&suggestion, bare);
            if (suggestion.best && (!had || suggestion.best_distance < before))
                snprintf(best, sizeof best, "%s", name);
            suggestion.best = suggestion.best ? best : NULL;
        }
    }
    return altpick_fail(diag, ALTPICK_ENOFIT,
                        "no CPU with published figures is called '%s'%s%s%s; see altpick list "
                        "machines",
                        text, best[0] ? "; did you mean '" : "", best, best[0] ? "'?" : "");
}

int altpick_known_find(const char *text, size_t *ret_index, struct altpick_diag *diag)
{
    struct found found = {0};

    for (size_t i = 0; *text && i < sizeof ways / sizeof *ways && found.n == 0; i++)
        find(text, ways[i], &found);
    if (found.n == 0)
        return none(text, diag);
    if (found.n > 1)
        return altpick_fail(diag, ALTPICK_ENOFIT, "'%s' names %zu CPUs: %s%s", text, found.n,
                            found.names, found.n > LISTED_MAX ? ", ..." : "");
    *ret_index = found.first;
    return ALTPICK_OK;
}

static int out_of_memory(struct altpick_diag *diag)
{
    return altpick_fail(diag, ALTPICK_ENOMEM, "out of memory");
}

/* What is published about @question; a candidate whose code depends on measuring is left out. */
static int add_result(size_t index, const struct altpick_question *question,
                      struct altpick_machine *machine, struct altpick_diag *diag)
{
    struct altpick_result *result = &machine->results[machine->n_results];
    struct altpick_candidate *candidates;
    size_t n;

    if (!altpick_known_result(index, machine, question, result))
        return ALTPICK_OK;
    candidates = calloc(ALTPICK_CANDIDATES_MAX, sizeof *candidates);
    result->candidates = calloc(ALTPICK_CANDIDATES_MAX, sizeof *result->candidates);
    machine->n_results++;
    if (!candidates || !result->candidates) {
        free(candidates);
        return out_of_memory(diag);
    }
    n = question->candidates(question, candidates);
    for (size_t i = 0; i < n; i++) {
        struct altpick_measurement *m = &result->candidates[result->n_candidates];

        if (candidates[i].code_bytes == 0)
            continue;
        m->candidate = candidates[i];
        altpick_known_cost(index, machine, question->name, m);
        result->n_candidates++;
    }
    free(candidates);
    return ALTPICK_OK;
}

int altpick_known_machine(size_t index, struct altpick_machine *ret_machine,
                          struct altpick_diag *diag)
{
    struct altpick_machine machine;
    int r = ALTPICK_OK;

    altpick_known_identify(index, NULL, &machine);
    machine.results = calloc(altpick_question_count + 1, sizeof *machine.results);
    if (!machine.results)
        return out_of_memory(diag);
    for (size_t i = 0; i < altpick_question_count && r == ALTPICK_OK; i++)
        r = add_result(index, altpick_questions[i], &machine, diag);
    if (r < 0)
        altpick_known_machine_fini(&machine);
    else
        *ret_machine = machine;
    return r;
}

void altpick_known_machine_fini(struct altpick_machine *machine)
{
    for (size_t i = 0; i < machine->n_results; i++)
        free(machine->results[i].candidates);
    free(machine->results);
    *machine = (struct altpick_machine){0};
}

int altpick_known_profile(char *const *names, size_t n, struct altpick_profile *ret_profile,
                          struct altpick_diag *diag)
{
    struct altpick_profile profile = {.machines = calloc(n ? n : 1, sizeof *profile.machines)};
    bool *taken = calloc(altpick_known_count() + 1, sizeof *taken);
    int r = profile.machines && taken ? ALTPICK_OK : out_of_memory(diag);

    for (size_t i = 0; i < n && r == ALTPICK_OK; i++) {
        size_t index = 0;

        r = altpick_known_find(names[i], &index, diag);
        if (r < 0 || taken[index])
            continue;
        taken[index] = true;
        r = altpick_known_machine(index, &profile.machines[profile.n_machines], diag);
        profile.n_machines += r == ALTPICK_OK;
    }
    free(taken);
    if (r < 0)
        altpick_profile_fini(&profile);
    else
        *ret_profile = profile;
    return r;
}
