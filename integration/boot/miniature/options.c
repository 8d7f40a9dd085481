/* SPDX-License-Identifier: MIT */
/* Turns the words of a command line into options. */
#include "mini.h"

#include "bytes.h"

enum { SWITCHES = 400, BUDGET_US = 50000, SWITCHES_MAX = 1000000 };

/* What follows @name at the start of @word, or NULL. */
static const char *after(const char *word, const char *name)
{
    while (*name && *word == *name)
        word++, name++;
    return *name ? NULL : word;
}

static bool is_end(char c)
{
    return c == '\0' || c == ' ';
}

static bool is_word(const char *word, const char *name)
{
    const char *end = after(word, name);

    return end && is_end(*end);
}

static bool read_number(const char *text, uint32_t max, uint32_t *ret)
{
    uint64_t value = 0;

    if (is_end(*text))
        return false;
    for (; !is_end(*text) && value <= max; text++) {
        if (*text < '0' || *text > '9')
            return false;
        value = value * 10 + (uint64_t) (*text - '0');
    }
    if (value > max)
        return false;
    *ret = (uint32_t) value;
    return true;
}

/* Copy up to @end or the end of the word; returns what follows, or NULL where it does not fit. */
static const char *read_text(const char *text, char end, char *ret, size_t capacity)
{
    size_t n = 0;

    for (; !is_end(*text) && *text != end; text++) {
        if (n + 1 == capacity)
            return NULL;
        ret[n++] = *text;
    }
    ret[n] = '\0';
    return n ? text : NULL;
}

static bool read_pick(const char *text, struct mini_options *options)
{
    text = read_text(text, ':', options->pick_item, sizeof options->pick_item);
    return text && *text == ':' &&
           read_text(text + 1, ' ', options->pick_candidate, sizeof options->pick_candidate);
}

/* Which words with a value came: each may once. */
struct seen {
    bool switches, budget, pick;
};

static bool first_time(bool *seen)
{
    bool first = !*seen;

    *seen = true;
    return first;
}

static bool read_word(const char *word, struct seen *seen, struct mini_options *options)
{
    const char *value;

    if ((value = after(word, "switches=")))
        return first_time(&seen->switches) &&
               read_number(value, SWITCHES_MAX, &options->switches) &&
               options->switches >= MINI_SWITCHES_MIN;
    if ((value = after(word, "budget=")))
        return first_time(&seen->budget) && read_number(value, UINT32_MAX, &options->budget_us);
    if ((value = after(word, "pick=")))
        return first_time(&seen->pick) && read_pick(value, options);
    if (is_word(word, "force=2002")) {
        options->force = MINI_FORCE_2002;
        return true;
    }
    if (is_word(word, "force=lazy-skip")) {
        options->force = MINI_FORCE_LAZY_SKIP;
        options->lazy = true;
        return true;
    }
    options->lazy = options->lazy || is_word(word, "lazy");
    return is_word(word, "lazy");
}

bool mini_options_read(const char *line, struct altpick_out *out, struct mini_options *ret_options)
{
    struct mini_options options = {.switches = SWITCHES, .budget_us = BUDGET_US};
    struct seen seen = {false, false, false};

    while (*line) {
        size_t n = 0;

        while (!is_end(line[n]))
            n++;
        if (n && !read_word(line, &seen, &options)) {
            altpick_out_text(out, "miniature: what is '");
            altpick_out_bytes(out, line, n);
            altpick_out_text(out,
                             "'?  Words, each once: switches=N budget=US lazy pick=ITEM:CANDIDATE\n"
                             "miniature: force=2002 force=lazy-skip\n");
            return false;
        }
        line += n + (line[n] == ' ');
    }
    *ret_options = options;
    return true;
}
