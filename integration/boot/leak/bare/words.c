/* SPDX-License-Identifier: MIT */
/* Reads the words of a command line. */
#include "bare.h"

#include "bytes.h"

enum { WORD_MAX = 64, ROUNDS_DEFAULT = 48, ROUNDS_MAX = 100000, DECIMAL = 10 };

/* What is behind @start in @word, or NULL. */
static const char *value_of(const char *word, const char *start)
{
    size_t n = altpick_length(start);

    for (size_t i = 0; i < n; i++) {
        if (word[i] != start[i])
            return NULL;
    }
    return word + n;
}

static bool read_rounds(const char *text, uint32_t *ret_rounds)
{
    uint32_t rounds = 0;

    for (const char *at = text; *at; at++) {
        if (*at < '0' || *at > '9' || rounds > ROUNDS_MAX)
            return false;
        rounds = rounds * DECIMAL + (uint32_t) (*at - '0');
    }
    *ret_rounds = rounds;
    return rounds >= 1 && rounds <= ROUNDS_MAX;
}

/* Which words came: each may once. */
struct seen {
    bool plant, rounds;
};

static bool first_time(bool *seen)
{
    bool first = !*seen;

    *seen = true;
    return first;
}

static bool read_word(const char *word, struct seen *seen, struct altpick_bare_words *words)
{
    const char *value = value_of(word, "plant=");

    if (value)
        return first_time(&seen->plant) && altpick_leak_plant_parse(value, &words->plant);
    value = value_of(word, "rounds=");
    return value && first_time(&seen->rounds) && read_rounds(value, &words->rounds);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

bool altpick_bare_words_read(const char *words, struct altpick_out *out,
                             struct altpick_bare_words *ret_words)
{
    struct altpick_bare_words read = {.rounds = ROUNDS_DEFAULT};
    struct seen seen = {false, false};

    while (*words) {
        char word[WORD_MAX];
        size_t n = 0, bytes = 0;

        for (; words[n] && !is_blank(words[n]); n++) {
            if (bytes + 1 < sizeof word)
                word[bytes++] = words[n];
        }
        word[bytes] = '\0';
        words += n + is_blank(words[n]);
        if (n == 0 || (n == bytes && read_word(word, &seen, &read)))
            continue;
        altpick_out_text(out, "altpick-leak: not understood: '");
        altpick_out_text(out, word);
        altpick_out_text(out, "'; words are plant=PLACE:WHAT (switch:ymm, handler:xmm3, "
                              "entry:all) and rounds=1..100000, each once\n");
        return false;
    }
    *ret_words = read;
    return true;
}
