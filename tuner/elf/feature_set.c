/* SPDX-License-Identifier: MIT */
/* Which CPU features a kernel would find, by its own numbers. */
#include "elf/feature_set.h"

#include "diag.h"
#include "number.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { ITEM_MAX = 128 };

bool altpick_features_has(const struct altpick_features *features, unsigned number)
{
    if (number == ALTPICK_FEATURE_ALWAYS)
        return true;
    return number < ALTPICK_FEATURE_WORDS * 32 &&
           (features->present[number / 32] >> number % 32 & 1);
}

bool altpick_features_is_told(const struct altpick_features *features, unsigned number)
{
    if (number == ALTPICK_FEATURE_ALWAYS)
        return true;
    return number < ALTPICK_FEATURE_WORDS * 32 && (features->told[number / 32] >> number % 32 & 1);
}

bool altpick_features_is_unknown(const struct altpick_features *features, unsigned number)
{
    return features->is_partial && !altpick_features_is_told(features, number);
}

void altpick_features_set(struct altpick_features *features, unsigned number, bool present)
{
    uint32_t bit = UINT32_C(1) << number % 32;

    if (number >= ALTPICK_FEATURE_WORDS * 32)
        return;
    features->told[number / 32] |= bit;
    if (present)
        features->present[number / 32] |= bit;
    else
        features->present[number / 32] &= ~bit;
}

bool altpick_feature_number(const char *text, unsigned *ret_number)
{
    uint32_t word, bit;

    if (altpick_number_parse(text, ALTPICK_FEATURE_WORDS * 32 - 1, &word)) {
        *ret_number = word;
        return true;
    }
    if (!altpick_number_take(&text, ALTPICK_FEATURE_WORDS - 1, &word) ||
        strncmp(text, "*32+", 4) != 0 || !altpick_number_parse(text + 4, 31, &bit))
        return false;
    *ret_number = word * 32 + bit;
    return true;
}

enum altpick_feature_item altpick_features_item(struct altpick_features *features,
                                                const struct altpick_feature_map *map,
                                                const char *item)
{
    const struct altpick_feature_name *name;
    bool present = item[0] != '!';
    unsigned number;

    item += !present;
    if (altpick_feature_number(item, &number)) {
        altpick_features_set(features, number, present);
        return ALTPICK_FEATURE_TAKEN;
    }
    if (isdigit((unsigned char) item[0]) &&
        (strchr(item, '*') || !item[strspn(item, "0123456789")]))
        return ALTPICK_FEATURE_NO_NUMBER;
    if (!map)
        return ALTPICK_FEATURE_NO_MAP;
    name = altpick_feature_map_find(map, item);
    if (!name)
        return ALTPICK_FEATURE_NO_NAME;
    altpick_features_set(features, name->number, present);
    return ALTPICK_FEATURE_TAKEN;
}

static int refuse_item(const char *name, unsigned line, const char *item,
                       enum altpick_feature_item why, struct altpick_diag *diag)
{
    static const char *const reasons[] = {
        [ALTPICK_FEATURE_NO_NUMBER] = "is neither W*32+B with W below 64 and B below 32 nor a "
                                      "number below 2048",
        [ALTPICK_FEATURE_NO_NAME] = "is no feature or bug of the map",
        [ALTPICK_FEATURE_NO_MAP] = "is a name, and names need --cpufeatures",
    };

    return altpick_fail(diag, ALTPICK_EFORMAT, "%s:%u: '%s' %s", name, line, item, reasons[why]);
}

/* The items of one line, up to a comment. */
static int list_line(struct altpick_features *features, const struct altpick_feature_map *map,
                     const char *name, unsigned line, const char *text, struct altpick_diag *diag)
{
    static const char separators[] = " \t\r\v\f,";

    for (text += strspn(text, separators); *text && *text != '\n' && *text != '#';
         text += strspn(text, separators)) {
        size_t n = strcspn(text, " \t\r\v\f,\n#");
        char item[ITEM_MAX];
        enum altpick_feature_item taken;

        snprintf(item, sizeof item, "%.*s", (int) (n < ITEM_MAX ? n : ITEM_MAX), text);
        taken = altpick_features_item(features, map, item);
        if (taken != ALTPICK_FEATURE_TAKEN)
            return refuse_item(name, line, item, taken, diag);
        text += n;
    }
    return ALTPICK_OK;
}

int altpick_features_list(struct altpick_features *features, const struct altpick_feature_map *map,
                          const char *name, const char *text, struct altpick_diag *diag)
{
    for (unsigned line = 1; *text; line++) {
        int r = list_line(features, map, name, line, text, diag);

        if (r < 0)
            return r;
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return ALTPICK_OK;
}

/* --- /proc/cpuinfo ------------------------------------------------------------------------------
 */

/* What follows the colon of the first line that starts with @key, or NULL. */
static const char *value_of(const char *text, const char *key)
{
    size_t n = strlen(key);

    while (*text) {
        if (strncmp(text, key, n) == 0) {
            const char *p = text + n;

            p += strspn(p, " \t");
            if (*p == ':')
                return p + 1;
        }
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return NULL;
}

bool altpick_features_is_cpuinfo(const char *text)
{
    return value_of(text, "flags") || value_of(text, "processor") || value_of(text, "vendor_id");
}

static void add_stranger(struct altpick_features *features, const char *word, bool is_bug)
{
    if (features->n_strangers < ALTPICK_FEATURE_STRANGERS_MAX) {
        struct altpick_stranger *stranger = &features->strangers[features->n_strangers];

        snprintf(stranger->name, sizeof stranger->name, "%.40s", word);
        stranger->is_bug = is_bug;
    }
    features->n_strangers++;
}

/* The words of one line. */
static void take_shown(struct altpick_features *features, const struct altpick_feature_map *map,
                       const char *text, bool is_bug)
{
    for (text += strspn(text, " \t"); *text && *text != '\n'; text += strspn(text, " \t")) {
        size_t n = strcspn(text, " \t\r\n");
        const struct altpick_feature_name *name;
        char word[ITEM_MAX];

        if (n == 0)
            break;
        snprintf(word, sizeof word, "%.*s", (int) (n < ITEM_MAX ? n : ITEM_MAX), text);
        name = altpick_feature_map_shown(map, word, is_bug);
        if (name)
            altpick_features_set(features, name->number, true);
        else
            add_stranger(features, word, is_bug);
        text += n;
    }
}

int altpick_features_cpuinfo(struct altpick_features *features,
                             const struct altpick_feature_map *map, const char *name,
                             const char *text, struct altpick_diag *diag)
{
    const char *flags = value_of(text, "flags"), *bugs = value_of(text, "bugs");

    if (!flags)
        return altpick_fail(diag, ALTPICK_EFORMAT,
                            "%s: it looks like /proc/cpuinfo and has no line 'flags : ...'", name);
    if (!map)
        return altpick_fail(diag, ALTPICK_EUSAGE,
                            "%s: its flags are names, and names need --cpufeatures", name);
    for (size_t i = 0; i < map->n_names; i++) {
        if (map->names[i].shown[0] && (bugs || !map->names[i].is_bug))
            altpick_features_set(features, map->names[i].number, false);
    }
    take_shown(features, map, flags, false);
    if (bugs)
        take_shown(features, map, bugs, true);
    features->is_partial = true;
    return ALTPICK_OK;
}

/* --- a profile's CPU ----------------------------------------------------------------------------
 */

/* A register of CPUID that is a word of Linux, the same in all releases that are modelled. */
struct cpuid_word {
    uint32_t leaf, subleaf;
    unsigned reg, word;
};

static const struct cpuid_word cpuid_words[] = {
    {1,          0, ALTPICK_CPU_EDX, 0 },
    {0x80000001, 0, ALTPICK_CPU_EDX, 1 },
    {1,          0, ALTPICK_CPU_ECX, 4 },
    {0x80000001, 0, ALTPICK_CPU_ECX, 6 },
    {7,          0, ALTPICK_CPU_EBX, 9 },
    {0xd,        1, ALTPICK_CPU_EAX, 10},
    {7,          0, ALTPICK_CPU_ECX, 16},
    {7,          0, ALTPICK_CPU_EDX, 18},
};

static void take_bit(struct altpick_features *features, uint32_t leaf, uint32_t subleaf,
                     unsigned reg, unsigned bit, bool present)
{
    for (size_t i = 0; i < sizeof cpuid_words / sizeof *cpuid_words; i++) {
        const struct cpuid_word *w = &cpuid_words[i];

        if (w->leaf == leaf && w->subleaf == subleaf && w->reg == reg)
            altpick_features_set(features, w->word * 32 + bit, present);
    }
}

void altpick_features_cpu(struct altpick_features *features, const struct altpick_cpu *cpu)
{
#define X(id, name, leaf, subleaf, reg, bit, xcr0)                                                 \
    take_bit(features, leaf, subleaf, reg, bit, altpick_cpu_has(cpu, ALTPICK_CPU_##id));
    ALTPICK_CPU_FEATURES(X)
#undef X
    features->is_partial = true;
}
