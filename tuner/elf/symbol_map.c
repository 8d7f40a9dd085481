/* SPDX-License-Identifier: MIT */
/* Turns the lines of System.map, nm or /proc/kallsyms into symbols of code. */
#include "elf/symbol_map.h"

#include "diag.h"
#include "file.h"

#include <stdlib.h>
#include <string.h>

/* A map of a kernel with all symbols has 8 MB; debugging ones of large programs have more. */
enum { MAP_MAX_BYTES = 256 << 20 };

bool altpick_map_type_is_code(char type)
{
    return type == 'T' || type == 't' || type == 'W' || type == 'w';
}

int altpick_symbol_map_add(struct altpick_symbol_map *map, uint64_t address, uint32_t section,
                           char type, const char *name)
{
    if (map->n == map->capacity) {
        size_t capacity = map->capacity ? 2 * map->capacity : 1024;
        struct altpick_map_symbol *symbols = realloc(map->symbols, capacity * sizeof *map->symbols);

        if (!symbols)
            return ALTPICK_ENOMEM;
        map->symbols = symbols;
        map->capacity = capacity;
    }
    map->symbols[map->n] = (struct altpick_map_symbol){
        .address = address,
        .name = name,
        .section = section,
        .order = (uint32_t) map->n,
        .type = type,
    };
    map->n++;
    return ALTPICK_OK;
}

void altpick_symbol_map_fini(struct altpick_symbol_map *map)
{
    free(map->symbols);
    free(map->text);
    *map = (struct altpick_symbol_map){0};
}

/* --- lines --------------------------------------------------------------------------------------
 */

enum line_kind { LINE_BAD, LINE_SYMBOL, LINE_UNDEFINED, LINE_MODULE };

struct line {
    uint64_t address;
    char type;
    char *name, *name_end;
};

/* Up to 16 hexadecimal digits at *@at, which moves behind them. */
static bool read_address(char **at, uint64_t *ret_address)
{
    static const char digits[] = "0123456789abcdef";
    uint64_t address = 0;
    size_t n = 0;

    for (;; n++, (*at)++) {
        char c = **at >= 'A' && **at <= 'F' ? (char) (**at - 'A' + 'a') : **at;
        const char *digit = c ? strchr(digits, c) : NULL;

        if (!digit)
            break;
        address = address << 4 | (uint64_t) (digit - digits);
    }
    *ret_address = address;
    return n >= 1 && n <= 16;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Printable without blanks; bytes of UTF-8 are as good as any. */
static char *skip_name(char *at)
{
    while ((unsigned char) *at > ' ' && *at != 0x7f)
        at++;
    return at;
}

/* Understand the line at @at, which ends with NUL. */
static enum line_kind read_line(char *at, struct line *ret_line)
{
    bool has_address = *at != ' ';

    if (has_address && !read_address(&at, &ret_line->address))
        return LINE_BAD;
    while (!has_address && at[0] == ' ' && at[1] == ' ') /* nm leaves the column empty */
        at++;
    if (at[0] != ' ' || !(is_letter(at[1]) || at[1] == '?' || at[1] == '-') || at[2] != ' ')
        return LINE_BAD;
    ret_line->type = at[1];
    ret_line->name = at + 3;
    ret_line->name_end = skip_name(ret_line->name);
    if (ret_line->name_end == ret_line->name)
        return LINE_BAD;
    at = ret_line->name_end;
    if (*at == '\0') {
        if (has_address)
            return LINE_SYMBOL;
        return ret_line->type && strchr("Uwv", ret_line->type) ? LINE_UNDEFINED : LINE_BAD;
    }
    if (!has_address || *at != '\t' || at[1] != '[')
        return LINE_BAD;
    at = skip_name(at + 1);
    return *at == '\0' && at[-1] == ']' ? LINE_MODULE : LINE_BAD;
}

/* --- the file -----------------------------------------------------------------------------------
 */

static int read_lines(const char *path, size_t bytes, struct altpick_symbol_map *map,
                      bool *ret_any_address, struct altpick_diag *diag)
{
    char *end = map->text + bytes;
    size_t number = 1;

    *ret_any_address = false;
    for (char *at = map->text; at < end; number++) {
        char *newline = memchr(at, '\n', (size_t) (end - at));
        char *stop = newline ? newline : end;
        struct line line = {0};
        enum line_kind kind;

        *stop = '\0'; /* the file's last byte is followed by one that is ours */
        kind = memchr(at, '\0', (size_t) (stop - at)) ? LINE_BAD : read_line(at, &line);
        if (kind == LINE_BAD)
            return altpick_fail(diag, ALTPICK_EFORMAT,
                                "%s:%zu: not a symbol as in \"ffffffff81000000 T _text\": %.100s",
                                path, number, at);
        if (kind == LINE_SYMBOL && line.address != 0)
            *ret_any_address = true;
        if (kind == LINE_SYMBOL && altpick_map_type_is_code(line.type) &&
            altpick_symbol_map_add(map, line.address, 0, line.type, line.name) < 0)
            return altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", path);
        at = stop + 1;
    }
    return ALTPICK_OK;
}

int altpick_symbol_map_read(const char *path, struct altpick_symbol_map *ret_map,
                            struct altpick_diag *diag)
{
    struct altpick_symbol_map map = {0};
    bool any_address;
    size_t bytes;
    int r;

    r = altpick_file_read(path, MAP_MAX_BYTES, &map.text, &bytes, diag);
    if (r < 0)
        return r;
    r = read_lines(path, bytes, &map, &any_address, diag);
    if (r < 0)
        goto out;
    if (map.n == 0) {
        r = altpick_fail(diag, ALTPICK_EFORMAT, "%s: no symbol of code", path);
        goto out;
    }
    if (!any_address) {
        r = altpick_fail(diag, ALTPICK_EFORMAT,
                         "%s: all addresses are 0; the kernel shows them to root", path);
        goto out;
    }
    *ret_map = map;
    map = (struct altpick_symbol_map){0};
out:
    altpick_symbol_map_fini(&map);
    return r;
}
