/* SPDX-License-Identifier: MIT */
/* The table of output formats, from the list in meson.build. */
#include "altpick/generator.h"

#include <string.h>

#define GENERATOR(name) extern const struct altpick_generator altpick_generator_##name;
#include "generator_list.h"
#undef GENERATOR

const struct altpick_generator *const altpick_generators[] = {
#define GENERATOR(name) &altpick_generator_##name,
#include "generator_list.h"
#undef GENERATOR
    NULL,
};
const size_t altpick_generator_count = sizeof altpick_generators / sizeof *altpick_generators - 1;

const struct altpick_generator *altpick_generator_find(const char *name)
{
    for (size_t i = 0; i < altpick_generator_count; i++) {
        if (strcmp(altpick_generators[i]->name, name) == 0)
            return altpick_generators[i];
    }
    return NULL;
}
