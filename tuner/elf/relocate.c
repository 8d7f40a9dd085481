/* SPDX-License-Identifier: MIT */
/* Applies the relocations of a relocatable file to copies of its sections. */
#include "elf/relocate.h"

#include "diag.h"
#include "elf/bytes.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* A type of relocation that a kernel's loader of modules knows. */
struct kind {
    uint32_t type;
    uint8_t bytes;
    bool is_relative;
};

static const struct kind kinds_64[] = {
    {R_X86_64_NONE,  0, false},
    {R_X86_64_64,    8, false},
    {R_X86_64_PC32,  4, true },
    {R_X86_64_PLT32, 4, true },
    {R_X86_64_32,    4, false},
    {R_X86_64_32S,   4, false},
    {R_X86_64_PC64,  8, true },
};

static const struct kind kinds_32[] = {
    {R_386_NONE,  0, false},
    {R_386_32,    4, false},
    {R_386_PC32,  4, true },
    {R_386_PLT32, 4, true },
};

static const struct kind *kind_of(bool is_64, uint32_t type)
{
    const struct kind *kinds = is_64 ? kinds_64 : kinds_32;
    size_t n = is_64 ? sizeof kinds_64 / sizeof *kinds_64 : sizeof kinds_32 / sizeof *kinds_32;

    for (size_t i = 0; i < n; i++) {
        if (kinds[i].type == type)
            return &kinds[i];
    }
    return NULL;
}

static int by_symbol(const void *key, const void *element)
{
    uint32_t symbol = *(const uint32_t *) key;
    const struct altpick_memory_extern *e = element;

    return symbol < e->symbol ? -1 : symbol > e->symbol;
}

/* Where symbol @index lies. */
static int symbol_address(const struct altpick_memory *memory, uint32_t index,
                          uint64_t *ret_address, struct altpick_diag *diag)
{
    const struct altpick_memory_extern *e;
    struct altpick_symbol symbol;

    if (altpick_image_symbol(memory->image, index, &symbol) < 0)
        return altpick_fail(diag, ALTPICK_EFORMAT, "%s: symbol %u is malformed",
                            memory->image->path, index);
    if (symbol.section == SHN_UNDEF || symbol.section == SHN_COMMON) {
        e = bsearch(&index, memory->externs, memory->n_externs, sizeof *e, by_symbol);
        *ret_address = e ? e->address : 0; /* number 0 is no symbol */
        return ALTPICK_OK;
    }
    if (symbol.section == SHN_ABS) {
        *ret_address = symbol.value;
        return ALTPICK_OK;
    }
    *ret_address = altpick_memory_address(
        memory, &(struct altpick_place){.section = symbol.section, .offset = symbol.value});
    return ALTPICK_OK;
}

static int apply(const struct altpick_memory *memory, struct altpick_memory_part *part,
                 const struct altpick_relocation *relocation, struct altpick_diag *diag)
{
    const struct kind *kind = kind_of(memory->image->code_is_64, relocation->type);
    uint64_t value = 0;
    int r;

    if (!kind)
        return altpick_fail(diag, ALTPICK_EUNSUPPORTED,
                            "%s: %s: relocation of type %u at offset 0x%llx, which no loader of "
                            "kernel modules knows",
                            memory->image->path, part->section->name, relocation->type,
                            (unsigned long long) relocation->offset);
    if (kind->bytes > part->bytes || relocation->offset > part->bytes - kind->bytes)
        return altpick_fail(
            diag, ALTPICK_EFORMAT, "%s: %s: a relocation at offset 0x%llx is not in the section",
            memory->image->path, part->section->name, (unsigned long long) relocation->offset);
    r = symbol_address(memory, relocation->symbol, &value, diag);
    if (r < 0)
        return r;
    value += (uint64_t) relocation->addend;
    if (kind->is_relative)
        value -= part->address + relocation->offset;
    altpick_put_number(part->copy + relocation->offset, kind->bytes, value);
    return ALTPICK_OK;
}

static int relocate_part(const struct altpick_memory *memory, struct altpick_memory_part *part,
                         struct altpick_diag *diag)
{
    struct altpick_relocation *relocations = NULL;
    size_t n = 0;
    int r = altpick_image_relocations(memory->image, part->number, &relocations, &n, diag);

    if (r < 0 || n == 0 || !part->data)
        goto out;
    part->copy = malloc((size_t) part->bytes);
    if (!part->copy) {
        r = altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", memory->image->path);
        goto out;
    }
    memcpy(part->copy, part->data, (size_t) part->bytes);
    part->data = part->copy;
    for (size_t i = 0; r == ALTPICK_OK && i < n; i++)
        r = apply(memory, part, &relocations[i], diag);
out:
    free(relocations);
    return r;
}

int altpick_memory_relocate(struct altpick_memory *memory, struct altpick_diag *diag)
{
    for (size_t i = 0; i < memory->n_parts; i++) {
        int r = relocate_part(memory, &memory->parts[i], diag);

        if (r < 0)
            return r;
    }
    return ALTPICK_OK;
}
