/* SPDX-License-Identifier: MIT */
/* Takes the profile out of a serial log and makes sure that it is what was sent. */
#include "serial_log.h"

#include "crc32.h"
#include "diag.h"
#include "front.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A line of the log without its end. */
struct line {
    const char *text;
    size_t bytes;
    size_t number; /* from 1 */
    bool ended;    /* by LF: else the log ends here */
};

struct log {
    const char *name;
    const char *rest;
    size_t rest_bytes;
    size_t lines; /* before rest */
    struct altpick_diag *diag;
};

/* The next line; false at the end of the log.  CR before LF, however many, is of the line's end. */
static bool next_line(struct log *log, struct line *ret_line)
{
    const char *end = memchr(log->rest, '\n', log->rest_bytes);
    size_t bytes = end ? (size_t) (end - log->rest) : log->rest_bytes;
    size_t taken = bytes + (end ? 1 : 0);

    if (log->rest_bytes == 0)
        return false;
    *ret_line = (struct line){log->rest, bytes, ++log->lines, end != NULL};
    while (ret_line->bytes > 0 && ret_line->text[ret_line->bytes - 1] == '\r')
        ret_line->bytes--;
    log->rest += taken;
    log->rest_bytes -= taken;
    return true;
}

static bool starts_with(const struct line *line, const char *text)
{
    return line->bytes >= strlen(text) && memcmp(line->text, text, strlen(text)) == 0;
}

static bool has(const struct line *line, const char *text)
{
    return memmem(line->text, line->bytes, text, strlen(text)) != NULL;
}

static int refuse(const struct log *log, size_t line, const char *reason)
{
    return altpick_fail(log->diag, ALTPICK_EFORMAT, "%s:%zu: %s", log->name, line, reason);
}

/* Markers stand alone; what shares their line has got into the profile's lines, too. */
static int find_begin(struct log *log, struct line *ret_line)
{
    while (next_line(log, ret_line)) {
        if (has(ret_line, ALTPICK_FRONT_END))
            return refuse(log, ret_line->number, "a profile ends whose beginning is missing");
        if (!has(ret_line, ALTPICK_FRONT_BEGIN))
            continue;
        if (ret_line->bytes != strlen(ALTPICK_FRONT_BEGIN))
            return refuse(log, ret_line->number,
                          "something else is on the line on which a profile begins");
        return 1;
    }
    return 0;
}

/* @line against what was sent, in both number and kind. */
static int check_end(const struct log *log, const struct line *line, size_t begin,
                     const struct altpick_text *text)
{
    const char *data = text->data ? text->data : "";
    uint32_t crc = altpick_crc32(0, data, text->bytes), sent_crc;
    char numbers[64], again[64];
    size_t start = strlen(ALTPICK_FRONT_END), n = line->bytes - start;
    uint64_t sent;

    if (n >= sizeof numbers)
        return refuse(log, line->number, "the line on which the profile ends is damaged");
    memcpy(numbers, line->text + start, n);
    numbers[n] = '\0';
    if (sscanf(numbers, " %" SCNu64 " bytes, crc32 %" SCNx32, &sent, &sent_crc) != 2)
        return refuse(log, line->number, "the line on which the profile ends is damaged");
    snprintf(again, sizeof again, " %" PRIu64 " bytes, crc32 %08" PRIx32, sent, sent_crc);
    if (strcmp(numbers, again) != 0)
        return refuse(log, line->number, "the line on which the profile ends is damaged");
    if (sent == 0)
        return refuse(log, line->number, "the profile is empty");
    if (sent != text->bytes)
        return altpick_fail(log->diag, ALTPICK_EFORMAT,
                            "%s:%zu: %" PRIu64 " bytes were sent, but %zu arrived since line %zu",
                            log->name, line->number, sent, text->bytes, begin);
    if (sent_crc != crc)
        return altpick_fail(
            log->diag, ALTPICK_EFORMAT,
            "%s:%zu: the profile since line %zu is damaged: its CRC-32 was %08" PRIx32
            ", and is %08" PRIx32,
            log->name, line->number, begin, sent_crc, crc);
    return ALTPICK_OK;
}

/* The profile that begins after line @begin. */
static int read_one(struct log *log, size_t begin, struct altpick_text *text)
{
    struct altpick_out out;
    struct line line;

    altpick_text_init(text, &out);
    while (next_line(log, &line)) {
        if (starts_with(&line, ALTPICK_FRONT_END))
            return out.err < 0 ? altpick_fail(log->diag, out.err, "%s: out of memory", log->name)
                               : check_end(log, &line, begin, text);
        if (has(&line, ALTPICK_FRONT_BEGIN) || has(&line, ALTPICK_FRONT_END))
            break;
        altpick_out_bytes(&out, line.text, line.bytes);
        if (line.ended)
            altpick_out_bytes(&out, "\n", 1);
    }
    return altpick_fail(log->diag, ALTPICK_EFORMAT,
                        "%s:%zu: the profile that begins here is cut off in line %zu", log->name,
                        begin, log->lines);
}

static bool is_equal(const struct altpick_text *a, const struct altpick_text *b)
{
    return a->bytes == b->bytes && memcmp(a->data, b->data, a->bytes) == 0;
}

/* All profiles from @begin on, of which the first is kept. */
static int read_all(struct log *log, struct line *begin, struct altpick_serial_profile *first)
{
    int r = read_one(log, begin->number, &first->text);

    first->line = begin->number + 1;
    while (r == ALTPICK_OK && (r = find_begin(log, begin)) == 1) {
        struct altpick_text text;

        r = read_one(log, begin->number, &text);
        if (r == ALTPICK_OK && !is_equal(&first->text, &text))
            r = altpick_fail(log->diag, ALTPICK_EFORMAT,
                             "%s:%zu: another profile begins here, and differs from the one in "
                             "line %zu: keep one of them",
                             log->name, begin->number, first->line - 1);
        altpick_text_fini(&text);
    }
    return r;
}

int altpick_serial_log_extract(const char *name, const char *log, size_t bytes,
                               struct altpick_serial_profile *ret_profile,
                               struct altpick_diag *diag)
{
    struct log reading = {.name = name, .rest = log, .rest_bytes = bytes, .diag = diag};
    struct altpick_serial_profile profile = {0};
    struct line begin;
    int r = find_begin(&reading, &begin);

    if (r == 0)
        r = altpick_fail(diag, ALTPICK_EFORMAT, "%s:%zu: no profile: there is no line '%s'", name,
                         reading.lines + !reading.lines, ALTPICK_FRONT_BEGIN);
    else if (r == 1)
        r = read_all(&reading, &begin, &profile);
    if (r < 0)
        altpick_serial_profile_fini(&profile);
    else
        *ret_profile = profile;
    return r;
}

void altpick_serial_profile_fini(struct altpick_serial_profile *profile)
{
    altpick_text_fini(&profile->text);
}
