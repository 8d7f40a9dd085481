/* SPDX-License-Identifier: MIT */
/* Words of a command line, separated by spaces. */
#ifndef ALTPICK_TEST_WORDS_H
#define ALTPICK_TEST_WORDS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether a word of @line begins with @word. */
static inline const char *words_find(const char *line, const char *word)
{
    for (const char *at = line; *at; at++) {
        unsigned n = 0;

        while (word[n] && at[n] == word[n])
            n++;
        if (!word[n] && (at == line || at[-1] == ' '))
            return at + n;
    }
    return 0;
}

static inline bool words_have(const char *line, const char *word)
{
    return words_find(line, word) != 0;
}

/* The number behind @word; 0 where there is none. */
static inline uint32_t words_number(const char *line, const char *word)
{
    const char *at = words_find(line, word);
    uint32_t value = 0;

    for (; at && *at >= '0' && *at <= '9'; at++)
        value = value * 10 + (uint32_t) (*at - '0');
    return value;
}

#endif
