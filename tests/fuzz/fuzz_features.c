/* SPDX-License-Identifier: MIT */
/* Fuzz target: a kernel's cpufeatures.h, and behind a NUL byte a list of features or a
 * /proc/cpuinfo. */
#include "fuzz.h"

#include "elf/feature_set.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct altpick_feature_map map = {.words = 0};
    struct altpick_features features = {.is_partial = false};
    struct altpick_diag diag = {.text = ""};
    char *text = malloc(n + 2), *list;

    if (!text)
        return 0;
    memcpy(text, data, n);
    text[n] = text[n + 1] = '\0';
    list = text + strlen(text) + 1;
    if (altpick_feature_map_parse("map", text, &map, &diag) < 0) {
        FUZZ_CHECK(!map.names && diag.text[0]);
    } else {
        for (size_t i = 0; i < map.n_names; i++)
            FUZZ_CHECK(altpick_feature_map_name(&map, map.names[i].number));
    }
    if (altpick_features_is_cpuinfo(list))
        altpick_features_cpuinfo(&features, &map, "cpuinfo", list, &diag);
    else
        altpick_features_list(&features, map.n_names ? &map : NULL, "list", list, &diag);
    for (unsigned i = 0; i < ALTPICK_FEATURE_WORDS * 32; i++)
        FUZZ_CHECK(!altpick_features_has(&features, i) || altpick_features_is_told(&features, i));
    altpick_feature_map_fini(&map);
    free(text);
    return 0;
}
