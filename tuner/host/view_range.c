/* SPDX-License-Identifier: MIT */
/* Functions and ranges that a user names, into addresses. */
#include "view_report.h"

#include "diag.h"
#include "suggest.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int add(struct altpick_view_ranges *ranges, uint64_t address, uint64_t bytes,
               struct altpick_diag *diag)
{
    struct altpick_view_range *grown =
        realloc(ranges->ranges, (ranges->n + 1) * sizeof *ranges->ranges);

    if (!grown)
        return altpick_fail(diag, ALTPICK_ENOMEM, "out of memory");
    ranges->ranges = grown;
    grown[ranges->n++] = (struct altpick_view_range){.address = address, .bytes = bytes};
    return ALTPICK_OK;
}

/* The functions of the kernel (@i is 0) and of its vDSOs; NULL: no more. */
static const struct altpick_functions *functions_of(const struct altpick_view *view, size_t i)
{
    if (i == 0)
        return &view->functions;
    return i <= view->all.n_embedded ? &view->all.embedded[i - 1].functions : NULL;
}

static int no_such_function(const struct altpick_view *view, const char *name,
                            struct altpick_diag *diag)
{
    struct altpick_suggestion suggestion = {.typed = name};
    const struct altpick_functions *functions;
    bool has_names = false;

    for (size_t k = 0; (functions = functions_of(view, k)); k++) {
        for (size_t i = 0; i < functions->n; i++) {
            if (!functions->functions[i].name)
                continue;
            has_names |= k == 0;
            altpick_suggest(&suggestion, functions->functions[i].name);
        }
    }
    if (!has_names)
        return altpick_fail(diag, ALTPICK_ENOFIT,
                            "%s: no names of functions; give a System.map with --symbols, or "
                            "addresses with --range",
                            view->image.path);
    return altpick_fail(diag, ALTPICK_ENOFIT, "%s: no function '%s' in its %s%s%s%s%s",
                        view->image.path, name, view->functions.source,
                        view->all.n_embedded ? " or its vDSOs" : "",
                        suggestion.best ? "; did you mean '" : "",
                        suggestion.best ? suggestion.best : "", suggestion.best ? "'?" : "");
}

static int find_functions(const struct altpick_view *view, const char *name,
                          struct altpick_view_ranges *ranges, struct altpick_diag *diag)
{
    const struct altpick_functions *functions;
    int r = ALTPICK_OK;

    for (size_t k = 0; (functions = functions_of(view, k)); k++) {
        const struct altpick_function *f = NULL;

        while (r == ALTPICK_OK && (f = altpick_functions_find_next(functions, name, f)))
            r = add(ranges, altpick_view_function_address(view, f), f->bytes, diag);
    }
    return r == ALTPICK_OK && !ranges->n ? no_such_function(view, name, diag) : r;
}

/* Hexadecimal, 0x or not, at *@text, which moves behind it. */
static bool parse_hex(const char **text, uint64_t *ret_value)
{
    char *end;

    if (!isxdigit((unsigned char) **text))
        return false;
    errno = 0;
    *ret_value = strtoull(*text, &end, 16);
    *text = end;
    return errno == 0;
}

/* The section before the last '+' of @text, whose addresses follow it. */
static const struct altpick_memory_part *parse_section(const struct altpick_view *view,
                                                       const char **text)
{
    const char *plus = strrchr(*text, '+');
    size_t n = plus ? (size_t) (plus - *text) : 0;

    for (size_t i = 0; plus && i < view->memory.n_parts; i++) {
        const char *name = view->memory.parts[i].section->name;

        if (strncmp(name, *text, n) == 0 && name[n] == '\0') {
            *text = plus + 1;
            return &view->memory.parts[i];
        }
    }
    return NULL;
}

/* Whether [@from, @to) is within one section of code of @embedded. */
static bool is_embedded_code(const struct altpick_embedded *embedded, uint64_t from, uint64_t to)
{
    for (size_t i = 0; i < embedded->n_code; i++) {
        const struct altpick_embedded_code *code = &embedded->code[i];

        if (from - code->address < code->bytes && to - code->address <= code->bytes)
            return true;
    }
    return false;
}

/* Refuse what is not within one section of code, of the image or of a vDSO, which lies in data. */
static int check_code(const struct altpick_view *view, const char *range, uint64_t from,
                      uint64_t to, struct altpick_diag *diag)
{
    const struct altpick_memory_part *part = altpick_memory_part(&view->memory, from);
    const struct altpick_embedded *embedded = altpick_embedded_at(&view->all, from);

    if (embedded && is_embedded_code(embedded, from, to))
        return ALTPICK_OK;
    if (embedded && embedded->n_code)
        return altpick_fail(
            diag, ALTPICK_ENOFIT,
            "%s: %s is not within the code of the vDSO that is there: 0x%llx to "
            "0x%llx is",
            view->image.path, range, (unsigned long long) embedded->code[0].address,
            (unsigned long long) (embedded->code[0].address + embedded->code[0].bytes));
    if (part && part->data && to - part->address <= part->bytes &&
        altpick_section_is_code(part->section))
        return ALTPICK_OK;
    return altpick_fail(diag, ALTPICK_ENOFIT, "%s: %s is not within one section of code",
                        view->image.path, range);
}

static int parse_range(const struct altpick_view *view, const char *range,
                       struct altpick_view_ranges *ranges, struct altpick_diag *diag)
{
    bool by_section = view->image.is_relocatable;
    const char *text = range;
    const struct altpick_memory_part *part = by_section ? parse_section(view, &text) : NULL;
    uint64_t from = 0, to = 0;
    int r;

    if (by_section && !part)
        return altpick_fail(diag, ALTPICK_EUSAGE,
                            "--range: '%s' is not SECTION+A-B of a section in memory; the file is "
                            "relocatable",
                            range);
    if (!parse_hex(&text, &from) || *text++ != '-' || !parse_hex(&text, &to) || *text || from >= to)
        return altpick_fail(diag, ALTPICK_EUSAGE,
                            "--range: '%s' is not %sA-B in hexadecimal, A < B", range,
                            by_section ? "SECTION+" : "");
    if (by_section) {
        from += part->address;
        to += part->address;
    }
    r = check_code(view, range, from, to, diag);
    return r < 0 ? r : add(ranges, from, to - from, diag);
}

int altpick_view_ranges_find(const struct altpick_view *view, const char *name, const char *text,
                             struct altpick_view_ranges *ret_ranges, struct altpick_diag *diag)
{
    struct altpick_view_ranges ranges = {.n = 0};
    int r =
        name ? find_functions(view, name, &ranges, diag) : parse_range(view, text, &ranges, diag);

    if (r < 0) {
        free(ranges.ranges);
        return r;
    }
    *ret_ranges = ranges;
    return ALTPICK_OK;
}

void altpick_view_ranges_check(const struct altpick_running_decoder *decoder,
                               struct altpick_view_ranges *ranges)
{
    for (size_t i = 0; i < ranges->n; i++) {
        struct altpick_view_range *range = &ranges->ranges[i];
        const struct altpick_function *function =
            altpick_view_function(decoder->view, range->address);
        uint64_t at =
            function ? altpick_view_function_address(decoder->view, function) : range->address;
        struct altpick_running_instruction in = {.address = at};

        for (; at < range->address; at += in.bytes) {
            if (!altpick_running_decode(decoder, at, ALTPICK_RUNNING_BYTES_MAX, &in) || in.is_bad)
                break;
        }
        range->is_inside = at > range->address;
        range->inside = in.address;
    }
}
