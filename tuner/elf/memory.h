/* SPDX-License-Identifier: MIT */
/* The sections of an image as they lie in memory: a relocatable file is given addresses. */
#ifndef ALTPICK_ELF_MEMORY_H
#define ALTPICK_ELF_MEMORY_H

#include "elf/image.h"
#include "elf/table.h"

enum { ALTPICK_WHERE_BYTES = 160 };

/* A section that is in memory. */
struct altpick_memory_part {
    const struct altpick_section *section;
    uint32_t number;
    uint64_t address, bytes;
    const uint8_t *data; /* NULL: the file holds nothing of it */
    uint8_t *copy;       /* of a relocatable file, relocated; owned */
    size_t reaches;      /* index of the part up to this one that ends last */
};

/* An undefined symbol of a relocatable file, at an address of its own that holds nothing. */
struct altpick_memory_extern {
    const char *name;
    uint32_t symbol; /* its number */
    uint64_t address;
};

/* Zeroed memory is none. */
struct altpick_memory {
    const struct altpick_image *image; /* the caller's, which must live as long */
    struct altpick_memory_part *parts; /* by address */
    size_t n_parts;
    struct altpick_memory_extern *externs; /* by address and by number */
    size_t n_externs;
};

/*
 * Lay out @image.  A linked one stays where it is and nothing is copied.  The sections of a
 * relocatable file get addresses far apart, in the order of the file, its undefined symbols others
 * behind them, and all relocations are applied; so what is relative between two sections is not
 * what it will be when a loader has placed them, but their targets are.  ALTPICK_EFORMAT,
 * ALTPICK_EUNSUPPORTED (a type of relocation that kernels' loaders do not know) or ALTPICK_ENOMEM.
 */
int altpick_memory_load(const struct altpick_image *image, struct altpick_memory *ret_memory,
                        struct altpick_diag *diag);
void altpick_memory_fini(struct altpick_memory *memory);

/* The part that holds @address, or NULL; of several the one that starts last. */
const struct altpick_memory_part *altpick_memory_part(const struct altpick_memory *memory,
                                                      uint64_t address);

/* The part made of a section of that name, or NULL. */
const struct altpick_memory_part *altpick_memory_named(const struct altpick_memory *memory,
                                                       const char *section);

/* The bytes at @address, and in *ret_bytes how many follow in that part; NULL: none. */
const uint8_t *altpick_memory_at(const struct altpick_memory *memory, uint64_t address,
                                 size_t *ret_bytes);

/* The number of @bytes, 1 to 8, little-endian at @address.  False: the file has none there. */
bool altpick_memory_number(const struct altpick_memory *memory, uint64_t address, unsigned bytes,
                           uint64_t *ret_number);

/* The address of @place. */
uint64_t altpick_memory_address(const struct altpick_memory *memory,
                                const struct altpick_place *place);

/* Where @address is, for people: "0xffffffff81000000", ".text+0x12" or the name of a symbol that
 * is not in the file.  @ret_where has ALTPICK_WHERE_BYTES. */
void altpick_memory_where(const struct altpick_memory *memory, uint64_t address, char *ret_where);

#endif
