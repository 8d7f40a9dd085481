/* SPDX-License-Identifier: MIT */
/* Functions of an image, named where anything in it or beside it names them. */
#ifndef ALTPICK_ELF_FUNCTIONS_H
#define ALTPICK_ELF_FUNCTIONS_H

#include "elf/image.h"
#include "elf/symbol_map.h"

struct altpick_function {
    uint64_t address; /* in a relocatable file the offset in its section */
    uint64_t bytes;   /* up to the next symbol or the end of the section, padding included; of ORC
                       * tables up to the padding.  Never 0. */
    const char *name; /* NULL: unknown */
    uint32_t section; /* number, of a relocatable file; 0 in a linked image */
};

/* Zeroed memory is none. */
struct altpick_functions {
    struct altpick_function *functions; /* by section and address, not overlapping */
    size_t n;
    const char *source; /* "System.map", "symbol table", "kallsyms", "ORC table"; NULL: none */
    struct altpick_symbol_map symbols; /* all names: several may be of one function */
};

/*
 * Find the functions of @image in the first of these that has any: the file @map_path (NULL: none),
 * of which see altpick_symbol_map_read(); .symtab; the table that a kernel keeps of itself; its ORC
 * tables.  None of them is success with n = 0.  Of several names at one address the first global
 * one is the function's, else the first weak, else the first.  @image must outlive *ret_functions.
 * A file given that is not of this image, or whose addresses were moved by KASLR, is refused:
 * ALTPICK_EFORMAT; else what the readers return.
 */
int altpick_functions_read(const struct altpick_image *image, const char *map_path,
                           struct altpick_functions *ret_functions, struct altpick_diag *diag);
void altpick_functions_fini(struct altpick_functions *functions);

/* The function that holds @address of a linked image, or NULL. */
const struct altpick_function *altpick_functions_at(const struct altpick_functions *functions,
                                                    uint64_t address);

/* The same at @offset in section number @section of a relocatable file. */
const struct altpick_function *altpick_functions_in(const struct altpick_functions *functions,
                                                    uint32_t section, uint64_t offset);

/*
 * The first function that has @name, be it as an alias, or NULL.  *@ret_count: how many have it;
 * static functions of several files often share one.
 */
const struct altpick_function *altpick_functions_find(const struct altpick_functions *functions,
                                                      const char *name, size_t *ret_count);

/* The next one of that name behind @after, or NULL.  @after NULL: the first. */
const struct altpick_function *
altpick_functions_find_next(const struct altpick_functions *functions, const char *name,
                            const struct altpick_function *after);

#endif
