/* SPDX-License-Identifier: MIT */
/*
 * Brings the lines of one site together, in the order in which an engine applies them, and refuses
 * those of which one would hide another.
 */
#include "sites.h"

#include "diag.h"

#include <stdlib.h>
#include <string.h>

enum { SITE_LINES_MAX = 64 };

/* A line, and the number of the first line with its symbol. */
struct key {
    size_t first, index;
    const struct altpick_site_line *line;
};

static int compare_numbers(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

static int by_symbol(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    int order = strcmp(x->line->site.symbol, y->line->site.symbol);

    return order ? order : compare_numbers(x->index, y->index);
}

static int by_place(const void *a, const void *b)
{
    const struct key *x = a, *y = b;

    return x->first != y->first ? compare_numbers(x->first, y->first)
                                : compare_numbers(x->index, y->index);
}

/* Whether @later may follow @earlier at one site. */
static int check_pair(const struct altpick_site_list *list, const struct altpick_site_line *earlier,
                      const struct altpick_site_line *later, struct altpick_diag *diag)
{
    const struct altpick_consumer_site *a = &earlier->site, *b = &later->site;

    if (!list->layout->many_at_one_site)
        return altpick_site_fail(list, later->line, diag, "%s: line %zu has this site, too",
                                 b->symbol, earlier->line);
    if (a->bytes != b->bytes)
        return altpick_site_fail(list, later->line, diag, "%s: %u bytes here, and %u in line %zu",
                                 b->symbol, b->bytes, a->bytes, earlier->line);
    if (a->padding_bytes != b->padding_bytes)
        return altpick_site_fail(list, later->line, diag,
                                 "%s: %u bytes of padding here, and %u in line %zu", b->symbol,
                                 b->padding_bytes, a->padding_bytes, earlier->line);
    if (later->always)
        return altpick_site_fail(list, later->line, diag,
                                 "%s: this would always replace what line %zu puts there",
                                 b->symbol, earlier->line);
    if (a->feature == b->feature && a->inverted == b->inverted)
        return altpick_site_fail(list, later->line, diag,
                                 "%s: line %zu has this feature, too, and would never be seen",
                                 b->symbol, earlier->line);
    return ALTPICK_OK;
}

/* Each line with all before it that have its symbol; @keys are sorted by symbol. */
static int check_all(const struct altpick_site_list *list, struct key *keys,
                     struct altpick_diag *diag)
{
    size_t first = 0;
    int r = ALTPICK_OK;

    for (size_t i = 0; i < list->n_lines && r == ALTPICK_OK; i++) {
        if (strcmp(keys[i].line->site.symbol, keys[first].line->site.symbol) != 0)
            first = i;
        keys[i].first = keys[first].index;
        if (i - first == SITE_LINES_MAX)
            return altpick_site_fail(list, keys[i].line->line, diag, "%s: more than %d lines",
                                     keys[i].line->site.symbol, SITE_LINES_MAX);
        for (size_t j = first; j < i && r == ALTPICK_OK; j++)
            r = check_pair(list, keys[j].line, keys[i].line, diag);
    }
    return r;
}

int altpick_site_list_order(struct altpick_site_list *list, struct altpick_diag *diag)
{
    struct key *keys = calloc(list->n_lines, sizeof *keys);
    struct altpick_site_line *lines = calloc(list->n_lines, sizeof *lines);
    int r;

    if (!keys || !lines) {
        r = altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", list->path);
        goto out;
    }
    for (size_t i = 0; i < list->n_lines; i++)
        keys[i] = (struct key){.index = i, .line = &list->lines[i]};
    qsort(keys, list->n_lines, sizeof *keys, by_symbol);
    r = check_all(list, keys, diag);
    if (r < 0)
        goto out;
    qsort(keys, list->n_lines, sizeof *keys, by_place);
    for (size_t i = 0; i < list->n_lines; i++)
        lines[i] = *keys[i].line;
    memcpy(list->lines, lines, list->n_lines * sizeof *lines);
out:
    free(keys);
    free(lines);
    return r;
}
