/* SPDX-License-Identifier: MIT */
/* "Did you mean": the known name nearest to a mistyped one. */
#include "suggest.h"

#include <string.h>

enum { NAME_BYTES = 32 };

/* Levenshtein distance, a row at a time; SIZE_MAX for names that are too long to matter. */
static size_t distance(const char *a, const char *b)
{
    size_t row[NAME_BYTES + 1], n = strlen(a), m = strlen(b);

    if (n > NAME_BYTES || m > NAME_BYTES)
        return (size_t) -1;
    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = diagonal + (a[i - 1] != b[j - 1]);

            diagonal = row[j];
            best = row[j] + 1 < best ? row[j] + 1 : best;
            row[j] = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
        }
    }
    return row[m];
}

void altpick_suggest(struct altpick_suggestion *suggestion, const char *name)
{
    size_t typed = strlen(suggestion->typed), d = distance(suggestion->typed, name);

    /* A beginning of the name is near however much is missing. */
    if (typed > 1 && strncmp(suggestion->typed, name, typed) == 0)
        d = 1;
    if (d <= 1 + strlen(name) / 4 && d < strlen(name) &&
        (!suggestion->best || d < suggestion->best_distance)) {
        suggestion->best = name;
        suggestion->best_distance = d;
    }
}
