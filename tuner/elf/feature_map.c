/* SPDX-License-Identifier: MIT */
/* A kernel's own numbers of CPU features and bugs, from its arch/x86/include/asm/cpufeatures.h. */
#include "elf/feature_map.h"

#include "diag.h"
#include "number.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { WORDS_MAX = 64, QUOTED_MAX = ALTPICK_FEATURE_NAME_MAX };

/* The header while it is read. */
struct reading {
    const char *name;
    unsigned line;
    struct altpick_feature_map map;
    bool has_hidden; /* some comment begins with "": the older convention */
    size_t n_own;    /* quote what is their name anyway, which the newer convention needs */
    bool has_words;
    struct altpick_diag *diag;
};

/* What the comment of a definition says. */
enum quoting { NOT_QUOTED, QUOTED };

static int refuse(const struct reading *reading, const char *what, const char *name)
{
    return altpick_fail(reading->diag, ALTPICK_EFORMAT, "%s:%u: %s: %s", reading->name,
                        reading->line, name, what);
}

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

/* A number below 1000 at *@text, which moves behind it and blanks. */
static bool number(const char **text, uint32_t *ret_value)
{
    *text = skip_blanks(*text);
    if (!altpick_number_take(text, 999, ret_value))
        return false;
    *text = skip_blanks(*text);
    return true;
}

/* "W*32+B)" or "B)". */
static bool position(const char **text, unsigned *ret_number)
{
    unsigned word, thirty_two, bit;

    if (!number(text, &word))
        return false;
    if (**text == ')') {
        *ret_number = word;
        return word < 32;
    }
    if (*(*text)++ != '*' || !number(text, &thirty_two) || thirty_two != 32 || *(*text)++ != '+' ||
        !number(text, &bit) || **text != ')')
        return false;
    *ret_number = word * 32 + bit;
    return word < WORDS_MAX && bit < 32;
}

/* The quoted string at the start of the comment behind a definition. */
static enum quoting quoted(const char *text, char *ret_quoted)
{
    const char *start;
    size_t n;

    text = skip_blanks(text);
    if (strncmp(text, "/*", 2) != 0)
        return NOT_QUOTED;
    start = skip_blanks(text + 2);
    if (*start != '"')
        return NOT_QUOTED;
    n = strcspn(start + 1, "\"\n");
    if (start[1 + n] != '"' || n >= QUOTED_MAX)
        return NOT_QUOTED;
    memcpy(ret_quoted, start + 1, n);
    ret_quoted[n] = '\0';
    return QUOTED;
}

static int append(struct reading *reading, const struct altpick_feature_name *name)
{
    struct altpick_feature_map *map = &reading->map;

    for (size_t i = 0; i < map->n_names; i++) {
        if (map->names[i].is_bug == name->is_bug && strcmp(map->names[i].name, name->name) == 0 &&
            map->names[i].number != name->number)
            return refuse(reading, "has another number further up", name->name);
    }
    if ((map->n_names & (map->n_names + 1)) == 0) { /* room for 0, 1, 3, 7, ... doubles */
        struct altpick_feature_name *names =
            realloc(map->names, (2 * map->n_names + 2) * sizeof *names);

        if (!names)
            return altpick_fail(reading->diag, ALTPICK_ENOMEM, "%s: out of memory", reading->name);
        map->names = names;
    }
    map->names[map->n_names++] = *name;
    return ALTPICK_OK;
}

/* "#define X86_FEATURE_..." from its name on. */
static int read_name(struct reading *reading, const char *text, bool is_bug)
{
    struct altpick_feature_name name = {.is_bug = is_bug};
    size_t n = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
    char macro[ALTPICK_FEATURE_NAME_MAX];
    const char *p = skip_blanks(text + n);
    char comment[QUOTED_MAX] = "";

    snprintf(macro, sizeof macro, "%.*s", (int) n, text);
    if (text[n] == '(' && is_bug)
        return ALTPICK_OK; /* the definition of X86_BUG() itself */
    if (n == 0 || n >= sizeof macro)
        return refuse(reading, "no name, or too long a one", macro);
    for (size_t i = 0; i < n; i++)
        name.name[i] = (char) tolower((unsigned char) text[i]);
    if (is_bug && strncmp(p, "X86_BUG", 7) == 0)
        p = skip_blanks(p + 7);
    if (*p++ != '(' || !position(&p, &name.number))
        return refuse(reading, "its number is not (W*32+B)", macro);
    if (is_bug && !reading->has_words)
        return refuse(reading, "NCAPINTS is not defined above it", macro);
    if (is_bug)
        name.number += reading->map.words * 32;
    if (quoted(p + 1, comment) == QUOTED) {
        if (!*comment)
            reading->has_hidden = true;
        reading->n_own += strcmp(comment, name.name) == 0;
        strcpy(name.shown, *comment ? comment : "\"\"");
    }
    return append(reading, &name);
}

static int read_line(struct reading *reading, const char *line)
{
    const char *p = skip_blanks(line);

    if (*p++ != '#')
        return ALTPICK_OK;
    p = skip_blanks(p);
    if (strncmp(p, "define", 6) != 0 || !isblank((unsigned char) p[6]))
        return ALTPICK_OK;
    p = skip_blanks(p + 6);
    if (strncmp(p, "NCAPINTS", 8) == 0 && isblank((unsigned char) p[8])) {
        p += 8;
        if (!number(&p, &reading->map.words) || reading->map.words > WORDS_MAX)
            return refuse(reading, "is no number of words", "NCAPINTS");
        reading->has_words = true;
        return ALTPICK_OK;
    }
    if (strncmp(p, "X86_FEATURE_", 12) == 0)
        return read_name(reading, p + 12, false);
    if (strncmp(p, "X86_BUG_", 8) == 0)
        return read_name(reading, p + 8, true);
    return ALTPICK_OK;
}

/* What is shown of those whose comment quotes nothing, or nothing between quotes. */
static void settle_shown(struct reading *reading)
{
    if (reading->has_hidden)
        reading->map.convention = ALTPICK_SHOWN_UNLESS_EMPTY;
    else if (reading->n_own > reading->map.n_names / 2)
        reading->map.convention = ALTPICK_SHOWN_IF_QUOTED;
    for (size_t i = 0; i < reading->map.n_names; i++) {
        struct altpick_feature_name *name = &reading->map.names[i];

        if (strcmp(name->shown, "\"\"") == 0)
            name->shown[0] = '\0';
        else if (!name->shown[0] && reading->has_hidden)
            strcpy(name->shown, name->name);
    }
}

int altpick_feature_map_parse(const char *name, const char *text,
                              struct altpick_feature_map *ret_map, struct altpick_diag *diag)
{
    struct reading reading = {.name = name, .diag = diag};
    int r = ALTPICK_OK;

    while (r == ALTPICK_OK && *text) {
        reading.line++;
        r = read_line(&reading, text);
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    if (r == ALTPICK_OK && !reading.map.n_names)
        r = altpick_fail(diag, ALTPICK_EFORMAT,
                         "%s: no #define X86_FEATURE_ in it; this is not a kernel's "
                         "arch/x86/include/asm/cpufeatures.h",
                         name);
    if (r < 0) {
        altpick_feature_map_fini(&reading.map);
        return r;
    }
    settle_shown(&reading);
    *ret_map = reading.map;
    return ALTPICK_OK;
}

void altpick_feature_map_fini(struct altpick_feature_map *map)
{
    free(map->names);
    *map = (struct altpick_feature_map){0};
}

const struct altpick_feature_name *altpick_feature_map_shown(const struct altpick_feature_map *map,
                                                             const char *shown, bool is_bug)
{
    for (size_t i = 0; i < map->n_names; i++) {
        if (map->names[i].is_bug == is_bug && map->names[i].shown[0] &&
            strcasecmp(map->names[i].shown, shown) == 0)
            return &map->names[i];
    }
    return NULL;
}

static const struct altpick_feature_name *named(const struct altpick_feature_map *map,
                                                const char *name, bool is_bug)
{
    for (size_t i = 0; i < map->n_names; i++) {
        if (map->names[i].is_bug == is_bug && strcasecmp(map->names[i].name, name) == 0)
            return &map->names[i];
    }
    return altpick_feature_map_shown(map, name, is_bug);
}

const struct altpick_feature_name *altpick_feature_map_find(const struct altpick_feature_map *map,
                                                            const char *name)
{
    const struct altpick_feature_name *found;

    if (strncasecmp(name, "X86_FEATURE_", 12) == 0)
        return named(map, name + 12, false);
    if (strncasecmp(name, "X86_BUG_", 8) == 0)
        return named(map, name + 8, true);
    found = named(map, name, false);
    return found ? found : named(map, name, true);
}

const struct altpick_feature_name *altpick_feature_map_name(const struct altpick_feature_map *map,
                                                            unsigned number)
{
    for (size_t i = 0; map && i < map->n_names; i++) {
        if (map->names[i].number == number)
            return &map->names[i];
    }
    return NULL;
}
