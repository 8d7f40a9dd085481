/* SPDX-License-Identifier: MIT */
/* Finds functions by address and by name. */
#include "elf/functions.h"

#include <string.h>

const struct altpick_function *altpick_functions_in(const struct altpick_functions *functions,
                                                    uint32_t section, uint64_t offset)
{
    size_t low = 0, high = functions->n; /* the first that begins behind is in [low, high] */
    const struct altpick_function *function;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        function = &functions->functions[middle];
        if (function->section > section ||
            (function->section == section && function->address > offset))
            high = middle;
        else
            low = middle + 1;
    }
    if (low == 0)
        return NULL;
    function = &functions->functions[low - 1];
    return function->section == section && offset - function->address < function->bytes ? function
                                                                                        : NULL;
}

const struct altpick_function *altpick_functions_at(const struct altpick_functions *functions,
                                                    uint64_t address)
{
    return altpick_functions_in(functions, 0, address);
}

/* Whether @a lies behind @b. */
static bool is_behind(const struct altpick_map_symbol *a, const struct altpick_function *b)
{
    return !b || a->section > b->section || (a->section == b->section && a->address > b->address);
}

const struct altpick_function *
altpick_functions_find_next(const struct altpick_functions *functions, const char *name,
                            const struct altpick_function *after)
{
    const struct altpick_symbol_map *map = &functions->symbols;

    for (size_t i = 0; i < map->n; i++) {
        const struct altpick_map_symbol *symbol = &map->symbols[i];

        if (symbol->name && is_behind(symbol, after) && strcmp(symbol->name, name) == 0)
            return altpick_functions_in(functions, symbol->section, symbol->address);
    }
    return NULL;
}

const struct altpick_function *altpick_functions_find(const struct altpick_functions *functions,
                                                      const char *name, size_t *ret_count)
{
    const struct altpick_function *first = altpick_functions_find_next(functions, name, NULL);

    *ret_count = 0;
    for (const struct altpick_function *f = first; f;
         f = altpick_functions_find_next(functions, name, f))
        ++*ret_count;
    return first;
}
