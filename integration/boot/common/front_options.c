/* SPDX-License-Identifier: MIT */
/* Turns the words of a command line into options of altpick_boot_probe(). */
#include "front_options.h"

#include "altpick/err.h"
#include "altpick/question.h"

/* Of the line: 80 less what is around the word and the reason. */
enum { SHOWN_MAX = 40, TOGETHER_MAX = 80 - 17 - 3 - 2 - 1 };

/* A piece of the command line. */
struct word {
    const char *text;
    size_t length;
};

struct reading {
    struct altpick_boot_options options;
    const struct altpick_question **questions;
    struct altpick_out *out;
    struct word word; /* that is being read, value and all */
};

typedef int read_value(struct reading *reading, struct word value);

/* What stands before the value, '=' included. */
static bool starts_with(struct word word, const char *name, size_t *ret_length)
{
    size_t n = 0;

    while (name[n] && n < word.length && word.text[n] == name[n])
        n++;
    *ret_length = n;
    return !name[n];
}

/* The word and the reason, in one line where that fits. */
static int refuse(struct reading *reading, struct word word, const char *why)
{
    struct altpick_out *out = reading->out;
    size_t shown = word.length < SHOWN_MAX ? word.length : SHOWN_MAX, line = 0;

    while (why[line] && why[line] != '\n')
        line++;
    altpick_out_text(out, "altpick: option '");
    for (size_t i = 0; i < shown; i++) {
        char c = word.text[i];

        altpick_out_bytes(out, c >= ' ' && c <= '~' ? &c : "?", 1);
    }
    altpick_out_text(out, shown < word.length ? "...':" : "':");
    altpick_out_text(out, shown + line > TOGETHER_MAX ? "\naltpick: " : " ");
    altpick_out_text(out, why);
    altpick_out_text(out, "\n");
    return ALTPICK_EUSAGE;
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 16;
}

/* All of @word as a number in @base (10 or 16); false when it is none or above @max. */
static bool parse_number(struct word word, unsigned base, uint64_t max, uint64_t *ret_value)
{
    uint64_t value = 0;

    for (size_t i = 0; i < word.length; i++) {
        unsigned digit = (unsigned) digit_of(word.text[i]);

        if (digit >= base || value > (max - digit) / base)
            return false;
        value = value * base + digit;
    }
    *ret_value = value;
    return word.length > 0;
}

static int read_budget(struct reading *reading, struct word value)
{
    uint64_t number;

    if (!parse_number(value, 10, UINT32_MAX, &number))
        return refuse(reading, reading->word, "budget= takes microseconds, 0 to 4294967295");
    reading->options.budget_us = (uint32_t) number;
    return ALTPICK_OK;
}

static int read_seed(struct reading *reading, struct word value)
{
    uint64_t number;

    if (!parse_number(value, 10, UINT32_MAX, &number))
        return refuse(reading, reading->word, "seed= takes a number, 0 to 4294967295");
    reading->options.seed = (uint32_t) number;
    return ALTPICK_OK;
}

static bool is_word(struct word word, const char *text)
{
    size_t n;

    return starts_with(word, text, &n) && n == word.length;
}

static int read_xcr0(struct reading *reading, struct word value)
{
    struct word hex = value;
    size_t prefix;

    if (is_word(value, "all")) {
        reading->options.xcr0 = ALTPICK_BOOT_XCR0_ALL;
        return ALTPICK_OK;
    }
    if (is_word(value, "as-is")) {
        reading->options.xcr0 = ALTPICK_BOOT_XCR0_AS_IS;
        return ALTPICK_OK;
    }
    if (starts_with(value, "0x", &prefix)) {
        hex.text += prefix;
        hex.length -= prefix;
    }
    if (!parse_number(hex, 16, UINT64_MAX, &reading->options.xcr0) || reading->options.xcr0 == 0)
        return refuse(reading, reading->word,
                      "xcr0= takes all, as-is or a hexadecimal mask that is not 0");
    return ALTPICK_OK;
}

/* '*' stands for any text, '?' for any one character. */
static bool matches(struct word glob, const char *name)
{
    size_t at = 0, star = glob.length; /* the last star */
    const char *after_star = name;

    for (;;) {
        if (at < glob.length && glob.text[at] == '*') {
            star = at++;
            after_star = name;
        } else if (at < glob.length && *name && (glob.text[at] == '?' || glob.text[at] == *name)) {
            at++;
            name++;
        } else if (at == glob.length && !*name) {
            return true;
        } else if (star < glob.length && *after_star) {
            at = star + 1;
            name = ++after_star; /* the star takes one more */
        } else {
            return false;
        }
    }
}

/* Mark what @glob selects. */
static int select(struct reading *reading, struct word glob, bool *chosen)
{
    const struct altpick_boot_options *options = &reading->options;
    const struct altpick_question *const *all =
        options->questions ? options->questions : altpick_questions;
    size_t n = options->questions ? options->n_questions : altpick_question_count;
    bool any = false;

    for (size_t i = 0; i < n && i < ALTPICK_FRONT_QUESTIONS_MAX; i++) {
        if (!matches(glob, all[i]->name))
            continue;
        chosen[i] = any = true;
    }
    if (any)
        return ALTPICK_OK;
    refuse(reading, glob, "only=: no question has a name like this;\naltpick: there are");
    for (size_t i = 0; i < n; i++) {
        altpick_out_text(reading->out, "altpick:   ");
        altpick_out_text(reading->out, all[i]->name);
        altpick_out_text(reading->out, "\n");
    }
    return ALTPICK_EUSAGE;
}

static int read_only(struct reading *reading, struct word value)
{
    struct altpick_boot_options *options = &reading->options;
    const struct altpick_question *const *all =
        options->questions ? options->questions : altpick_questions;
    bool chosen[ALTPICK_FRONT_QUESTIONS_MAX] = {false};
    struct word glob = {value.text, 0};
    size_t n = 0;
    int r;

    for (size_t i = 0; i <= value.length; i++) {
        if (i < value.length && value.text[i] != ',')
            continue;
        glob.length = (size_t) (value.text + i - glob.text);
        r = select(reading, glob, chosen);
        if (r < 0)
            return r;
        glob.text = value.text + i + 1;
    }
    for (size_t i = 0; i < ALTPICK_FRONT_QUESTIONS_MAX; i++) {
        if (chosen[i])
            reading->questions[n++] = all[i];
    }
    options->questions = reading->questions;
    options->n_questions = n;
    return ALTPICK_OK;
}

static int read_rehearse(struct reading *reading, struct word value)
{
    if (value.length > 0)
        return refuse(reading, reading->word, "rehearse takes no value");
    reading->options.rehearse = true;
    return ALTPICK_OK;
}

static const struct {
    const char *name;
    read_value *read;
} kinds[] = {
    {"budget=",  read_budget  },
    {"only=",    read_only    },
    {"seed=",    read_seed    },
    {"xcr0=",    read_xcr0    },
    {"rehearse", read_rehearse},
};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

/* @seen: bit n where kind n was there before. */
static int read_word(struct reading *reading, struct word word, unsigned *seen)
{
    for (unsigned i = 0; i < N_KINDS; i++) {
        size_t n;

        if (!starts_with(word, kinds[i].name, &n))
            continue;
        if (*seen >> i & 1)
            return refuse(reading, word, "this was said before");
        *seen |= 1u << i;
        reading->word = word;
        return kinds[i].read(reading, (struct word){word.text + n, word.length - n});
    }
    return refuse(reading, word,
                  "there is no such option;\naltpick: there are "
                  "budget=US only=GLOB[,GLOB] seed=N xcr0=all|as-is|HEX rehearse");
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

int altpick_front_options(const char *words, const struct altpick_question **questions,
                          struct altpick_boot_options *options, struct altpick_out *out)
{
    struct reading reading = {.options = *options, .questions = questions, .out = out};
    unsigned seen = 0;

    while (words && *words) {
        struct word word = {words, 0};

        while (word.text[word.length] && !is_space(word.text[word.length]))
            word.length++;
        if (word.length > 0) {
            int r = read_word(&reading, word, &seen);

            if (r < 0)
                return r;
        }
        words += word.length ? word.length : 1;
    }
    *options = reading.options;
    return ALTPICK_OK;
}
