/* SPDX-License-Identifier: MIT */
/* Turns the fields of one line of a list of sites into numbers and flags, each of them checked. */
#include "sites.h"

#include "diag.h"
#include "number.h"

#include "altpick/cpu.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SYMBOL_BYTES_MAX = 255, FIELDS_MIN = 4 /* symbol, length, item, feature */ };

int altpick_site_fail(const struct altpick_site_list *list, size_t line, struct altpick_diag *diag,
                      const char *format, ...)
{
    char reason[sizeof diag->text];
    va_list args;

    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return altpick_fail(diag, ALTPICK_EFORMAT, "%s:%zu: %s", list->path, line, reason);
}

/* What an assembler calls a symbol that other objects can see. */
static const char *check_symbol(const char *name)
{
    static const char first[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_.$";

    if (!strchr(first, name[0]) ||
        name[1 + strspn(name + 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                  "_.$")])
        return "is no name of a symbol";
    if (strncmp(name, ".L", 2) == 0)
        return "is local to its file, as all symbols with .L";
    return strlen(name) > SYMBOL_BYTES_MAX ? "is longer than 255 bytes" : NULL;
}

/* "W*32+B" or a number. */
static bool parse_feature(const char *text, uint32_t *ret_feature)
{
    uint32_t word, bit;

    if (!strchr(text, '*'))
        return altpick_number_parse(text, UINT32_MAX, ret_feature);
    if (!altpick_number_take(&text, UINT16_MAX, &word) || strncmp(text, "*32+", 4) != 0 ||
        !altpick_number_parse(text + 4, 31, &bit))
        return false;
    *ret_feature = word * 32 + bit;
    return true;
}

static int take_feature(const struct altpick_site_list *list, struct altpick_site_line *line,
                        const char *text, struct altpick_diag *diag)
{
    const struct altpick_site_layout *layout = list->layout;

    if (!layout->has_feature)
        return strcmp(text, "-") == 0
                   ? ALTPICK_OK
                   : altpick_site_fail(list, line->line, diag,
                                       "'%s': records of layout %s have no feature: write -", text,
                                       layout->name);
    if (strcmp(text, "always") == 0)
        line->site.feature = layout->feature_always;
    else if (!parse_feature(text, &line->site.feature))
        return altpick_site_fail(list, line->line, diag,
                                 "'%s' is no feature: W*32+B with B up to 31, a number, or always",
                                 text);
    if (line->site.feature > layout->feature_max)
        return altpick_site_fail(list, line->line, diag,
                                 "feature %s is out of range: layout %s has 0 to %u", text,
                                 layout->name, layout->feature_max);
    line->always = line->site.feature == layout->feature_always;
    return ALTPICK_OK;
}

/* Names of features between commas. */
static int take_implied(const struct altpick_site_list *list, struct altpick_site_line *line,
                        char *names, struct altpick_diag *diag)
{
    for (char *name = names, *comma; name; name = comma ? comma + 1 : NULL) {
        unsigned f = 0;

        comma = strchr(name, ',');
        if (comma)
            *comma = '\0';
        while (f < ALTPICK_N_CPU_FEATURES && strcmp(altpick_cpu_feature_name(f), name) != 0)
            f++;
        if (f == ALTPICK_N_CPU_FEATURES)
            return altpick_site_fail(list, line->line, diag,
                                     "implies: '%s' is no feature that altpick knows", name);
        line->implied |= UINT64_C(1) << f;
    }
    line->implies = true;
    return ALTPICK_OK;
}

static bool parse_mask(const char *text, uint64_t *ret_mask)
{
    size_t digits;

    if (strncmp(text, "0x", 2) != 0)
        return false;
    text += 2;
    digits = strspn(text, "0123456789abcdefABCDEF");
    if (digits == 0 || digits > 16 || text[digits])
        return false;
    *ret_mask = strtoull(text, NULL, 16);
    return true;
}

static int take_padding(const struct altpick_site_list *list, struct altpick_site_line *line,
                        const char *text, struct altpick_diag *diag)
{
    struct altpick_consumer_site *site = &line->site;

    if (!list->layout->has_padding)
        return altpick_site_fail(list, line->line, diag,
                                 "pad: records of layout %s do not tell of padding",
                                 list->layout->name);
    if (!altpick_number_parse(text, site->bytes, &site->padding_bytes))
        return altpick_site_fail(list, line->line, diag,
                                 "pad: '%s' is no number from 0 to the site's %u bytes", text,
                                 site->bytes);
    return ALTPICK_OK;
}

/* The rest of @text behind @key and '='; NULL where it begins otherwise. */
static char *value_of(char *text, const char *key)
{
    size_t n = strlen(key);

    return strncmp(text, key, n) == 0 && text[n] == '=' ? text + n + 1 : NULL;
}

static int take_flag(const struct altpick_site_list *list, struct altpick_site_line *line,
                     char *text, struct altpick_diag *diag)
{
    const struct altpick_site_layout *layout = list->layout;
    bool is_not = strcmp(text, "not") == 0 || strcmp(text, "inverted") == 0;
    char *value;

    if (is_not || strcmp(text, "direct-call") == 0) {
        if (!(is_not ? layout->has_not : layout->has_direct_call))
            return altpick_site_fail(list, line->line, diag, "%s: layout %s has no such records",
                                     text, layout->name);
        *(is_not ? &line->site.inverted : &line->site.direct_call) = true;
        return ALTPICK_OK;
    }
    if ((value = value_of(text, "pad")))
        return take_padding(list, line, value, diag);
    if ((value = value_of(text, "implies")))
        return take_implied(list, line, value, diag);
    if ((value = value_of(text, "xcr0"))) {
        line->limits_xcr0 = true;
        return parse_mask(value, &line->xcr0)
                   ? ALTPICK_OK
                   : altpick_site_fail(list, line->line, diag,
                                       "xcr0: '%s' is no mask of 64 bits such as 0x7", value);
    }
    return altpick_site_fail(list, line->line, diag, "unknown flag '%s'", text);
}

/* What flags mean together. */
static int check_flags(const struct altpick_site_list *list, const struct altpick_site_line *line,
                       struct altpick_diag *diag)
{
    const char *promise = line->implies ? "implies" : "xcr0";

    if (line->always && line->site.inverted)
        return altpick_site_fail(list, line->line, diag,
                                 "every CPU has this feature, so this would never be applied");
    if (!line->implies && !line->limits_xcr0)
        return ALTPICK_OK;
    if (!list->layout->has_feature)
        return altpick_site_fail(list, line->line, diag,
                                 "%s: in layout %s the table tells what is needed", promise,
                                 list->layout->name);
    if (line->always || line->site.inverted)
        return altpick_site_fail(list, line->line, diag,
                                 "%s: speaks of CPUs that have a feature, and this is for %s",
                                 promise, line->always ? "all" : "those without");
    return ALTPICK_OK;
}

/* Whether field @index has the key of one before it. */
static bool is_repeated(const struct altpick_site_fields *fields, size_t index)
{
    size_t n = strcspn(fields->text[index], "=");

    for (size_t i = FIELDS_MIN; i < index; i++) {
        if (strcspn(fields->text[i], "=") == n &&
            strncmp(fields->text[index], fields->text[i], n) == 0)
            return true;
    }
    return false;
}

static int take_flags(const struct altpick_site_list *list, struct altpick_site_line *line,
                      const struct altpick_site_fields *fields, struct altpick_diag *diag)
{
    for (size_t i = FIELDS_MIN; i < fields->n; i++) {
        int r = is_repeated(fields, i) ? altpick_site_fail(list, line->line, diag,
                                                           "'%s' is given twice", fields->text[i])
                                       : take_flag(list, line, fields->text[i], diag);
        if (r < 0)
            return r;
    }
    return check_flags(list, line, diag);
}

int altpick_site_take_fields(const struct altpick_site_list *list,
                             const struct altpick_site_fields *fields,
                             struct altpick_site_line *line, struct altpick_diag *diag)
{
    struct altpick_consumer_site *site = &line->site;
    const char *wrong = check_symbol(fields->text[0]), *bytes = fields->text[1];
    int r;

    if (wrong)
        return altpick_site_fail(list, line->line, diag, "'%s' %s", fields->text[0], wrong);
    if (fields->n < FIELDS_MIN)
        return altpick_site_fail(list, line->line, diag,
                                 "a site is its symbol, length, item and feature; here are %zu of "
                                 "four",
                                 fields->n);
    if (!altpick_number_parse(bytes, list->layout->site_bytes_max, &site->bytes) ||
        site->bytes == 0)
        return altpick_site_fail(list, line->line, diag,
                                 "'%s' is no length from 1 to %u, as layout %s has them", bytes,
                                 list->layout->site_bytes_max, list->layout->name);
    site->symbol = fields->text[0];
    site->item = fields->text[2];
    r = take_feature(list, line, fields->text[3], diag);
    return r == ALTPICK_OK ? take_flags(list, line, fields, diag) : r;
}
