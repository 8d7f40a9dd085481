/* SPDX-License-Identifier: MIT */
/* What --features and --cpufeatures say, from whatever they name. */
#include "view_features.h"

#include "diag.h"
#include "file.h"
#include "inputs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ITEM_MAX = 4096 };

/* What all items share. */
struct reading {
    const struct altpick_feature_map *map; /* NULL: none */
    const char *machine;
    struct altpick_view_list *list;
    struct altpick_diag *diag;
};

int altpick_view_map_read(const char *path, struct altpick_feature_map *ret_map,
                          struct altpick_diag *diag)
{
    char *text = NULL;
    size_t bytes;
    int r;

    if (!path) {
        *ret_map = (struct altpick_feature_map){.words = 0};
        return ALTPICK_OK;
    }
    r = altpick_file_read(path, ALTPICK_FEATURE_FILE_BYTES_MAX, &text, &bytes, diag);
    if (r < 0)
        return r;
    r = altpick_feature_map_parse(path, text, ret_map, diag);
    free(text);
    return r;
}

static int take_profile(const struct reading *reading, char *path)
{
    struct altpick_inputs inputs = {0};
    const struct altpick_machine *machine;
    int r = altpick_inputs_read(&path, 1, &inputs, reading->diag);

    if (r == ALTPICK_OK)
        r = altpick_inputs_machine(&inputs, reading->machine, &machine, reading->diag);
    if (r == ALTPICK_OK)
        altpick_features_cpu(&reading->list->features, &machine->cpu);
    reading->list->has_profile = true;
    altpick_inputs_fini(&inputs);
    return r;
}

/* A file is what its contents look like. */
static int take_file(const struct reading *reading, char *path)
{
    char *text = NULL;
    size_t bytes;
    int r = altpick_file_read(path, ALTPICK_FEATURE_FILE_BYTES_MAX, &text, &bytes, reading->diag);

    if (r < 0)
        return r;
    if (memchr(text, '\0', bytes))
        r = altpick_fail(reading->diag, ALTPICK_EFORMAT, "%s: it is not text", path);
    else if (text[strspn(text, " \t\r\n")] == '{')
        r = take_profile(reading, path);
    else if (altpick_features_is_cpuinfo(text))
        r = altpick_features_cpuinfo(&reading->list->features, reading->map, path, text,
                                     reading->diag);
    else
        r = altpick_features_list(&reading->list->features, reading->map, path, text,
                                  reading->diag);
    free(text);
    return r;
}

/* Why @item, which is no file, was not @taken. */
static int refuse(const struct reading *reading, const char *item, enum altpick_feature_item taken)
{
    const char *option = reading->list->option;

    if (taken == ALTPICK_FEATURE_NO_NUMBER)
        return altpick_fail(reading->diag, ALTPICK_EUSAGE,
                            "%s: '%s' is neither W*32+B with W below %d and B below 32 nor a "
                            "number below %d",
                            option, item, ALTPICK_FEATURE_WORDS, ALTPICK_FEATURE_WORDS * 32);
    if (taken == ALTPICK_FEATURE_NO_NAME)
        return altpick_fail(reading->diag, ALTPICK_EUSAGE,
                            "%s: '%s' is neither a number W*32+B, a name of the map nor a file",
                            option, item);
    return altpick_fail(reading->diag, ALTPICK_EUSAGE,
                        "%s: '%s' is neither a number W*32+B nor a file; names of features need "
                        "--cpufeatures, the kernel's cpufeatures.h",
                        option, item);
}

static int take_item(const struct reading *reading, char *item)
{
    static char cpuinfo[] = "/proc/cpuinfo";
    enum altpick_feature_item taken;

    if (strcmp(item, "this-cpu") == 0)
        return take_file(reading, cpuinfo);
    taken = altpick_features_item(&reading->list->features, reading->map, item);
    if (taken == ALTPICK_FEATURE_TAKEN)
        return ALTPICK_OK;
    if (taken != ALTPICK_FEATURE_NO_NUMBER && access(item, F_OK) == 0)
        return take_file(reading, item);
    return refuse(reading, item, taken);
}

int altpick_view_list_read(const char *option, const char *text,
                           const struct altpick_feature_map *map, const char *machine,
                           struct altpick_view_list *ret_list, struct altpick_diag *diag)
{
    struct altpick_view_list list = {.option = option, .text = text};
    const struct reading reading = {
        .map = map && map->n_names ? map : NULL,
        .machine = machine,
        .list = &list,
        .diag = diag,
    };

    for (const char *p = text; *p; p += *p == ',') {
        size_t n = strcspn(p, ",");
        char item[ITEM_MAX];
        int r;

        if (n >= sizeof item)
            return altpick_fail(diag, ALTPICK_EUSAGE, "%s: an item is too long", option);
        memcpy(item, p, n);
        item[n] = '\0';
        p += n;
        if (!n)
            continue;
        r = take_item(&reading, item);
        if (r < 0)
            return r;
    }
    *ret_list = list;
    return ALTPICK_OK;
}
