/* SPDX-License-Identifier: MIT */
/* An ELF file of an x86 CPU, mapped, validated once, and looked into without copying. */
#ifndef ALTPICK_ELF_IMAGE_H
#define ALTPICK_ELF_IMAGE_H

#include "altpick/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct altpick_section {
    const char *name;
    uint32_t type;    /* SHT_* */
    uint64_t flags;   /* SHF_* */
    uint64_t address; /* 0 in a relocatable file */
    uint64_t offset;  /* in the file */
    uint64_t bytes;
    uint32_t link, info;
    uint64_t entry_bytes;
    const uint8_t *data; /* in the map; NULL where the file holds nothing of it (SHT_NOBITS) */
};

struct altpick_section_order {
    uint32_t section, reaches;
};

/* Zeroed memory is a closed image.  Pointers live until altpick_image_close(). */
struct altpick_image {
    const char *path;    /* the caller's */
    const char *packing; /* "xz", what it was inflated from; NULL: it was plain */
    const uint8_t *map;  /* all of the plain file */
    size_t map_bytes;
    bool is_64;          /* ELFCLASS64 */
    bool code_is_64;     /* its machine is x86-64, or it is Xen in its 32-bit wrapping */
    bool is_xen;         /* an executable with Xen's banner */
    bool is_relocatable; /* ET_REL: a place is a section and an offset */
    uint16_t type;       /* ET_* */
    uint16_t machine;    /* EM_X86_64 or EM_386 */
    uint64_t load_base;  /* lowest address of any PT_LOAD; 0 without program headers */
    /* By their number; [0] is the empty one.  A file without section headers gets one made of each
     * PT_LOAD, named "segment". */
    struct altpick_section *sections;
    size_t n_sections;
    /* Numbers of the sections that are in memory, by address, and of the one up to there that ends
     * last: sections may overlap. */
    struct altpick_section_order *in_memory;
    size_t n_in_memory;
    bool has_section_headers;
    uint64_t section_headers_end; /* offset behind the section headers, 0 without */
    /* How the functions below find what they need. */
    void *elf;               /* libelf's handle */
    void *symbols;           /* its Elf_Data of .symtab, or NULL */
    size_t n_symbols;        /* 0: stripped */
    const char *symbol_text; /* names of symbols, symbol_text_bytes with a NUL at the end */
    size_t symbol_text_bytes;
    bool is_mapped; /* by altpick_image_open() */
};

/*
 * Open @path, which may be packed (a Linux bzImage, or gzip, xz, zstd, lz4 around an ELF file), map
 * it and validate all headers, section bounds and names.  What fails is said in @diag with @path
 * and place: ALTPICK_EIO, ALTPICK_EFORMAT, ALTPICK_EUNSUPPORTED (another machine, or a packing that
 * this build cannot read) or ALTPICK_ENOMEM.  altpick_image_close() accepts a zeroed image.
 */
int altpick_image_open(const char *path, struct altpick_image *ret_image,
                       struct altpick_diag *diag);
/* The same of bytes in memory, which the caller keeps; nothing is inflated.  For tests. */
int altpick_image_view(const char *name, const uint8_t *bytes, size_t n,
                       struct altpick_image *ret_image, struct altpick_diag *diag);
void altpick_image_close(struct altpick_image *image);

/* The first section of that name, or NULL. */
const struct altpick_section *altpick_image_section(const struct altpick_image *image,
                                                    const char *name);

/* The section that holds [@address, @address + @bytes) in memory, of a linked image; or NULL. Where
 * sections overlap it is the one that starts last. */
const struct altpick_section *altpick_image_at(const struct altpick_image *image, uint64_t address,
                                               uint64_t bytes);

/* The bytes of the file at [@address, @address + @bytes) of a linked image; NULL where it has none.
 */
const uint8_t *altpick_image_bytes(const struct altpick_image *image, uint64_t address,
                                   uint64_t bytes);

/* Whether code can run there: allocated, executable, with bytes in the file. */
bool altpick_section_is_code(const struct altpick_section *section);

/* For altpick_image_open(): put the sections in order of their addresses. */
int altpick_image_order_sections(struct altpick_image *image, struct altpick_diag *diag);

/* For altpick_image_open(): find and validate the symbol table, if there is one. */
int altpick_image_read_symbols(struct altpick_image *image, struct altpick_diag *diag);

/* Take the symbols that a loader would see where there are no others, as in a vDSO.  No table of
 * them is no failure; ALTPICK_EFORMAT. */
int altpick_image_read_dynamic_symbols(struct altpick_image *image, struct altpick_diag *diag);

struct altpick_symbol {
    const char *name;
    uint64_t value, bytes;
    uint32_t section; /* SHN_UNDEF, SHN_ABS or the number of its section */
    uint8_t type;     /* STT_* */
    uint8_t binding;  /* STB_* */
};

/* Number of symbols of .symtab (0: none, stripped), the empty one included. */
size_t altpick_image_symbol_count(const struct altpick_image *image);

/* Symbol @index of .symtab.  ALTPICK_EFORMAT where it is malformed. */
int altpick_image_symbol(const struct altpick_image *image, size_t index,
                         struct altpick_symbol *ret_symbol);

/* The first symbol of that name that is defined; ALTPICK_ENOFIT where there is none. */
int altpick_image_symbol_find(const struct altpick_image *image, const char *name,
                              struct altpick_symbol *ret_symbol);

struct altpick_relocation {
    uint64_t offset; /* in the section that it applies to */
    uint32_t type;   /* R_X86_64_* or R_386_* */
    uint32_t symbol;
    int64_t addend; /* of REL, too: read from the place, sign-extended from 32 bits */
};

/*
 * All relocations of section number @section of a relocatable file, in order of offset, allocated
 * for the caller to free(); none is success with NULL.  Offsets are within the section.
 */
int altpick_image_relocations(const struct altpick_image *image, uint32_t section,
                              struct altpick_relocation **ret_relocations, size_t *ret_n,
                              struct altpick_diag *diag);

/* The first of these at @offset, or NULL. */
const struct altpick_relocation *altpick_relocation_at(const struct altpick_relocation *relocations,
                                                       size_t n, uint64_t offset);

#endif
