/* SPDX-License-Identifier: MIT */
/* Turns symbols, wherever they come from, into functions that do not overlap. */
#include "elf/functions.h"

#include "elf/kallsyms.h"
#include "elf/orc.h"

#include "diag.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* --- sources ------------------------------------------------------------------------------------
 */

/* As nm would print the type of a symbol of code; 0 for all others. */
static char type_of(const struct altpick_image *image, const struct altpick_symbol *symbol)
{
    if (symbol->section == SHN_UNDEF || symbol->section >= image->n_sections ||
        !altpick_section_is_code(&image->sections[symbol->section]) || symbol->name[0] == '\0' ||
        (symbol->type != STT_FUNC && symbol->type != STT_NOTYPE && symbol->type != STT_GNU_IFUNC))
        return 0;
    if (symbol->binding == STB_LOCAL)
        return 't';
    return symbol->binding == STB_WEAK ? 'W' : 'T';
}

static int read_symtab(const struct altpick_image *image, struct altpick_symbol_map *ret_map,
                       struct altpick_diag *diag)
{
    size_t n = altpick_image_symbol_count(image);
    struct altpick_symbol_map map = {0};
    int r = ALTPICK_OK;

    for (size_t i = 1; r == ALTPICK_OK && i < n; i++) {
        struct altpick_symbol symbol;
        char type;

        r = altpick_image_symbol(image, i, &symbol);
        if (r < 0) {
            altpick_fail(diag, r, "%s: symbol %zu is malformed", image->path, i);
            break;
        }
        type = type_of(image, &symbol);
        if (!type)
            continue;
        r = altpick_symbol_map_add(&map, symbol.value, image->is_relocatable ? symbol.section : 0,
                                   type, symbol.name);
        if (r < 0)
            altpick_fail(diag, r, "%s: out of memory", image->path);
    }
    if (r == ALTPICK_OK && map.n == 0)
        r = altpick_fail(diag, ALTPICK_ENOFIT, "%s: no symbol of code", image->path);
    if (r == ALTPICK_OK)
        *ret_map = map;
    else
        altpick_symbol_map_fini(&map);
    return r;
}

static const struct source {
    const char *name;
    int (*read)(const struct altpick_image *image, struct altpick_symbol_map *ret_map,
                struct altpick_diag *diag);
} sources[] = {
    {"symbol table", read_symtab          },
    {"kallsyms",     altpick_kallsyms_read},
    {"ORC table",    altpick_orc_read     },
};

/* --- order --------------------------------------------------------------------------------------
 */

/* The section of code that @symbol is in, or NULL. */
static const struct altpick_section *section_of(const struct altpick_image *image,
                                                const struct altpick_map_symbol *symbol,
                                                const struct altpick_section *last)
{
    if (image->is_relocatable) {
        last = symbol->section < image->n_sections ? &image->sections[symbol->section] : NULL;
        return last && symbol->address < last->bytes ? last : NULL;
    }
    if (last && symbol->address >= last->address && symbol->address - last->address < last->bytes)
        return last;
    last = altpick_image_at(image, symbol->address, 1);
    return last && altpick_section_is_code(last) ? last : NULL;
}

/* Leave only symbols in code: those at the end of a section, for one, are of no function. */
static void keep_code(const struct altpick_image *image, struct altpick_symbol_map *map)
{
    const struct altpick_section *section = NULL;
    size_t n = 0;

    for (size_t i = 0; i < map->n; i++) {
        const struct altpick_section *found = section_of(image, &map->symbols[i], section);

        if (!found)
            continue;
        section = found;
        map->symbols[n++] = map->symbols[i];
    }
    map->n = n;
}

static int compare_symbols(const void *a, const void *b)
{
    const struct altpick_map_symbol *x = a, *y = b;

    if (x->section != y->section)
        return x->section < y->section ? -1 : 1;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static void sort(struct altpick_symbol_map *map)
{
    size_t i = 1;

    while (i < map->n && compare_symbols(&map->symbols[i - 1], &map->symbols[i]) <= 0)
        i++;
    if (i < map->n) /* kernels' own tables never get here */
        qsort(map->symbols, map->n, sizeof *map->symbols, compare_symbols);
}

/* --- functions ----------------------------------------------------------------------------------
 */

/* How well a symbol names its function; 0: not at all, something ends there. */
static int rank(char type)
{
    if (type == ALTPICK_MAP_END)
        return 0;
    if (type == 'T')
        return 3;
    return type == 'W' || type == 'w' ? 2 : 1;
}

/* The index behind all symbols that are where symbol @first is; *@ret_best names them. */
static size_t group(const struct altpick_symbol_map *map, size_t first, size_t *ret_best)
{
    const struct altpick_map_symbol *symbols = map->symbols;
    size_t i = first;

    *ret_best = first;
    for (; i < map->n && symbols[i].address == symbols[first].address &&
           symbols[i].section == symbols[first].section;
         i++) {
        if (rank(symbols[i].type) > rank(symbols[*ret_best].type))
            *ret_best = i;
    }
    return i;
}

static int build(const struct altpick_image *image, struct altpick_functions *functions,
                 struct altpick_diag *diag)
{
    const struct altpick_symbol_map *map = &functions->symbols;
    const struct altpick_section *section = NULL;

    functions->functions = calloc(map->n + 1, sizeof *functions->functions);
    if (!functions->functions)
        return altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", image->path);
    for (size_t i = 0, next, best; i < map->n; i = next) {
        const struct altpick_map_symbol *symbol;
        uint64_t end;

        next = group(map, i, &best);
        symbol = &map->symbols[best];
        section = section_of(image, symbol, section);
        if (!section || rank(symbol->type) == 0)
            continue;
        end = (image->is_relocatable ? 0 : section->address) + section->bytes;
        if (next < map->n && map->symbols[next].section == symbol->section &&
            map->symbols[next].address < end)
            end = map->symbols[next].address;
        functions->functions[functions->n++] = (struct altpick_function){
            .address = symbol->address,
            .bytes = end - symbol->address,
            .name = symbol->name,
            .section = symbol->section,
        };
    }
    return ALTPICK_OK;
}

/* --- a map from outside -------------------------------------------------------------------------
 */

/* Symbols that the kernel's linker script puts at the edges of sections of code; some scripts align
 * the ends. */
enum { EDGE_ALIGN = 4096 };
static const struct edge {
    const char *name;
    bool is_end;
} edges[] = {
    {"_text",      false},
    {"_etext",     true },
    {"_sinittext", false},
    {"_einittext", true }
};

static bool is_edge(const struct altpick_image *image, uint64_t address, bool is_end)
{
    for (size_t i = 1; i < image->n_sections; i++) {
        const struct altpick_section *section = &image->sections[i];

        if (altpick_section_is_code(section) &&
            (is_end ? address - section->address - section->bytes < EDGE_ALIGN
                    : address == section->address))
            return true;
    }
    return false;
}

static bool has_text(const struct altpick_symbol_map *map)
{
    size_t i = 0;

    while (i < map->n && strcmp(map->symbols[i].name, "_text") != 0)
        i++;
    return i < map->n;
}

/* Refuse a map of another kernel, or of this one after KASLR moved it: a part of its symbols would
 * be in code of @image, with wrong names. */
static int check_map(const struct altpick_image *image, const char *path,
                     const struct altpick_symbol_map *map, struct altpick_diag *diag)
{
    if (!image->has_section_headers || !has_text(map))
        return ALTPICK_OK;
    for (size_t i = 0; i < map->n; i++) {
        const struct altpick_map_symbol *symbol = &map->symbols[i];

        for (size_t at = 0; at < sizeof edges / sizeof edges[0]; at++) {
            if (strcmp(symbol->name, edges[at].name) == 0 &&
                !is_edge(image, symbol->address, edges[at].is_end))
                return altpick_fail(diag, ALTPICK_EFORMAT,
                                    "%s: %s is at %#llx, where no code of %s %s: of another "
                                    "kernel, or moved by KASLR",
                                    path, symbol->name, (unsigned long long) symbol->address,
                                    image->path, edges[at].is_end ? "ends" : "begins");
        }
    }
    return ALTPICK_OK;
}

static int read_map(const struct altpick_image *image, const char *path,
                    struct altpick_symbol_map *ret_map, struct altpick_diag *diag)
{
    struct altpick_symbol_map map = {0};
    int r;

    if (image->is_relocatable)
        return altpick_fail(diag, ALTPICK_EUNSUPPORTED,
                            "%s: a list of symbols by address; %s is relocatable and has none",
                            path, image->path);
    r = altpick_symbol_map_read(path, &map, diag);
    if (r == ALTPICK_OK)
        r = check_map(image, path, &map, diag);
    if (r == ALTPICK_OK) {
        keep_code(image, &map);
        if (map.n == 0)
            r = altpick_fail(diag, ALTPICK_EFORMAT, "%s: none of its symbols is in code of %s",
                             path, image->path);
    }
    if (r == ALTPICK_OK)
        *ret_map = map;
    else
        altpick_symbol_map_fini(&map);
    return r;
}

/* --- all ----------------------------------------------------------------------------------------
 */

/* Fill @functions->symbols from the first source that has any in code. */
static int read_symbols(const struct altpick_image *image, const char *map_path,
                        struct altpick_functions *functions, struct altpick_diag *diag)
{
    struct altpick_symbol_map *map = &functions->symbols;

    if (map_path) {
        functions->source = "System.map";
        return read_map(image, map_path, map, diag);
    }
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        int r = sources[i].read(image, map, diag);

        if (r < 0 && r != ALTPICK_ENOFIT)
            return r;
        keep_code(image, map);
        if (map->n > 0) {
            functions->source = sources[i].name;
            return ALTPICK_OK;
        }
        altpick_symbol_map_fini(map);
    }
    return ALTPICK_OK;
}

int altpick_functions_read(const struct altpick_image *image, const char *map_path,
                           struct altpick_functions *ret_functions, struct altpick_diag *diag)
{
    struct altpick_functions functions = {0};
    int r;

    r = read_symbols(image, map_path, &functions, diag);
    if (r == ALTPICK_OK) {
        sort(&functions.symbols);
        r = build(image, &functions, diag);
    }
    if (r == ALTPICK_OK)
        *ret_functions = functions;
    else
        altpick_functions_fini(&functions);
    return r;
}

void altpick_functions_fini(struct altpick_functions *functions)
{
    free(functions->functions);
    altpick_symbol_map_fini(&functions->symbols);
    *functions = (struct altpick_functions){0};
}
