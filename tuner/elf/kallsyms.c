/* SPDX-License-Identifier: MIT */
/* Expands the names of a kernel's own symbol table into symbols of code. */
#include "elf/kallsyms.h"

#include "elf/kallsyms_tables.h"

#include "diag.h"
#include "elf/bytes.h"

#include <stdlib.h>
#include <string.h>

/* Write @name without its type to @to, with NUL, and return what is behind. */
static char *expand(const struct altpick_kallsyms *k, const struct altpick_kallsyms_name *name,
                    char *to)
{
    for (size_t i = 0; i < name->n_tokens; i++) {
        unsigned token = name->tokens[i], skip = i == 0;
        uint16_t at = altpick_u16(k->data + k->token_index + 2 * (size_t) token);

        memcpy(to, k->data + k->token_table + at + skip, k->token_bytes[token] - skip);
        to += k->token_bytes[token] - skip;
    }
    *to++ = '\0';
    return to;
}

/* How much the names of code take, with NUL, and how many there are. */
static size_t measure(const struct altpick_kallsyms *k, size_t *ret_n)
{
    size_t at = k->names, bytes = 0;
    struct altpick_kallsyms_name name;

    *ret_n = 0;
    for (uint32_t i = 0; i < k->n && altpick_kallsyms_name_read(k, &at, k->markers, &name); i++) {
        if (altpick_map_type_is_code(name.type)) {
            bytes += name.bytes; /* NUL takes the place of the type */
            ++*ret_n;
        }
    }
    return bytes;
}

int altpick_kallsyms_read(const struct altpick_image *image, struct altpick_symbol_map *ret_map,
                          struct altpick_diag *diag)
{
    struct altpick_symbol_map map = {0};
    struct altpick_kallsyms_name name;
    struct altpick_kallsyms k;
    size_t at, bytes;
    char *to;

    if (!altpick_kallsyms_find(image, &k))
        return altpick_fail(diag, ALTPICK_ENOFIT, "%s: no kallsyms", image->path);
    bytes = measure(&k, &map.capacity);
    map.symbols = calloc(map.capacity + 1, sizeof *map.symbols);
    map.text = to = malloc(bytes + 1);
    if (!map.symbols || !map.text) {
        altpick_symbol_map_fini(&map);
        return altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", image->path);
    }
    at = k.names;
    for (uint32_t i = 0; i < k.n && altpick_kallsyms_name_read(&k, &at, k.markers, &name); i++) {
        if (!altpick_map_type_is_code(name.type))
            continue;
        /* There is room for all that were counted, so that this cannot fail. */
        altpick_symbol_map_add(&map, altpick_kallsyms_address(&k, i), 0, name.type, to);
        to = expand(&k, &name, to);
    }
    *ret_map = map;
    return ALTPICK_OK;
}
