/* SPDX-License-Identifier: MIT */
/* Symbols by address, whatever they were read from, and the text form that tools print them in. */
#ifndef ALTPICK_ELF_SYMBOL_MAP_H
#define ALTPICK_ELF_SYMBOL_MAP_H

#include "altpick/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct altpick_map_symbol {
    uint64_t address; /* in a relocatable file the offset in its section */
    const char *name; /* NULL: something begins here, and nobody says what */
    uint32_t section; /* of a relocatable file; else 0 */
    uint32_t order;   /* in what it was read from */
    char type;        /* as nm prints it: 'T' global, 't' local, 'W' and 'w' weak code; or an end */
};

/* A type that nm does not have: no function goes on from here. */
#define ALTPICK_MAP_END '.'

/* Zeroed memory is an empty map. */
struct altpick_symbol_map {
    struct altpick_map_symbol *symbols; /* in order of reading */
    size_t n, capacity;
    char *text; /* what the names are in; NULL: in the image that they were read from */
};

/* Whether @type is one of code. */
bool altpick_map_type_is_code(char type);

/* Append a symbol; @name is not copied.  0, or ALTPICK_ENOMEM without a diagnosis. */
int altpick_symbol_map_add(struct altpick_symbol_map *map, uint64_t address, uint32_t section,
                           char type, const char *name);

/*
 * Read the symbols of code from the file @path: System.map, what `nm` prints, or /proc/kallsyms.
 * Each line is "ADDRESS TYPE NAME"; lines of undefined symbols and of modules ("NAME [MODULE]") are
 * of no image and passed over.  Anything else is ALTPICK_EFORMAT with file, line and what is there;
 * so are a file without a symbol of code and one whose addresses are all 0, which is what
 * /proc/kallsyms shows to those who may not see them.  ALTPICK_EIO, ALTPICK_ENOMEM.
 */
int altpick_symbol_map_read(const char *path, struct altpick_symbol_map *ret_map,
                            struct altpick_diag *diag);
void altpick_symbol_map_fini(struct altpick_symbol_map *map);

#endif
