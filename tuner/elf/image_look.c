/* SPDX-License-Identifier: MIT */
/* Finds sections, bytes, symbols and relocations in an image that is open. */
#include "elf/image.h"

#include "diag.h"
#include "elf/bytes.h"

#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

const struct altpick_section *altpick_image_section(const struct altpick_image *image,
                                                    const char *name)
{
    for (size_t i = 1; i < image->n_sections; i++) {
        if (strcmp(image->sections[i].name, name) == 0)
            return &image->sections[i];
    }
    return NULL;
}

/* --- by address ---------------------------------------------------------------------------------
 */

static int by_address(const void *a, const void *b, void *ctx)
{
    const struct altpick_section_order *x = a, *y = b;
    const struct altpick_section *sections = ctx;

    if (sections[x->section].address != sections[y->section].address)
        return sections[x->section].address < sections[y->section].address ? -1 : 1;
    return x->section < y->section ? -1 : x->section > y->section;
}

static uint64_t end_of(const struct altpick_image *image, uint32_t section)
{
    return image->sections[section].address + image->sections[section].bytes;
}

int altpick_image_order_sections(struct altpick_image *image, struct altpick_diag *diag)
{
    uint32_t reaches = 0;

    if (image->is_relocatable)
        return ALTPICK_OK;
    image->in_memory = calloc(image->n_sections + 1, sizeof *image->in_memory);
    if (!image->in_memory)
        return altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", image->path);
    for (uint32_t i = 1; i < image->n_sections; i++) {
        if (image->sections[i].flags & SHF_ALLOC && image->sections[i].bytes)
            image->in_memory[image->n_in_memory++].section = i;
    }
    qsort_r(image->in_memory, image->n_in_memory, sizeof *image->in_memory, by_address,
            image->sections);
    for (size_t i = 0; i < image->n_in_memory; i++) {
        uint32_t section = image->in_memory[i].section;

        reaches = !i || end_of(image, section) > end_of(image, reaches) ? section : reaches;
        image->in_memory[i].reaches = reaches;
    }
    return ALTPICK_OK;
}

static bool holds(const struct altpick_section *section, uint64_t address, uint64_t bytes)
{
    return address - section->address < section->bytes &&
           bytes <= section->bytes - (address - section->address);
}

const struct altpick_section *altpick_image_at(const struct altpick_image *image, uint64_t address,
                                               uint64_t bytes)
{
    size_t low = 0, high = image->n_in_memory;
    const struct altpick_section *last, *reaches;

    while (low < high) { /* behind the last one that does not start behind @address */
        size_t middle = low + (high - low) / 2;

        if (image->sections[image->in_memory[middle].section].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return NULL;
    last = &image->sections[image->in_memory[low - 1].section];
    reaches = &image->sections[image->in_memory[low - 1].reaches];
    return holds(last, address, bytes) ? last : holds(reaches, address, bytes) ? reaches : NULL;
}

const uint8_t *altpick_image_bytes(const struct altpick_image *image, uint64_t address,
                                   uint64_t bytes)
{
    const struct altpick_section *section = altpick_image_at(image, address, bytes);

    return section && section->data ? section->data + (address - section->address) : NULL;
}

bool altpick_section_is_code(const struct altpick_section *section)
{
    return section->flags & SHF_ALLOC && section->flags & SHF_EXECINSTR &&
           section->type == SHT_PROGBITS && section->data;
}

/* --- symbols ------------------------------------------------------------------------------------
 */

/* Those of the first section of @type. */
static int read_symbols(struct altpick_image *image, uint32_t type, struct altpick_diag *diag)
{
    size_t entry = image->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
    const struct altpick_section *strings;
    size_t at = 1;

    while (at < image->n_sections && image->sections[at].type != type)
        at++;
    if (at >= image->n_sections)
        return ALTPICK_OK;
    if (image->sections[at].entry_bytes != entry || image->sections[at].bytes % entry != 0)
        return altpick_fail(diag, ALTPICK_EFORMAT, "%s: section %zu (%s): wrong size of a symbol",
                            image->path, at, image->sections[at].name);
    if (image->sections[at].link >= image->n_sections)
        return altpick_fail(diag, ALTPICK_EFORMAT, "%s: section %zu (%s): no section %u for names",
                            image->path, at, image->sections[at].name, image->sections[at].link);
    strings = &image->sections[image->sections[at].link];
    if (strings->type != SHT_STRTAB || strings->bytes == 0 ||
        strings->data[strings->bytes - 1] != '\0')
        return altpick_fail(diag, ALTPICK_EFORMAT, "%s: section %u (%s) does not hold names",
                            image->path, image->sections[at].link, strings->name);
    image->symbols = elf_getdata(elf_getscn(image->elf, at), NULL);
    if (!image->symbols)
        return altpick_fail(diag, ALTPICK_EFORMAT, "%s: symbols: %s", image->path, elf_errmsg(-1));
    image->n_symbols = (size_t) (image->sections[at].bytes / entry);
    image->symbol_text = (const char *) strings->data;
    image->symbol_text_bytes = (size_t) strings->bytes;
    return ALTPICK_OK;
}

int altpick_image_read_symbols(struct altpick_image *image, struct altpick_diag *diag)
{
    return read_symbols(image, SHT_SYMTAB, diag);
}

int altpick_image_read_dynamic_symbols(struct altpick_image *image, struct altpick_diag *diag)
{
    return image->n_symbols ? ALTPICK_OK : read_symbols(image, SHT_DYNSYM, diag);
}

size_t altpick_image_symbol_count(const struct altpick_image *image)
{
    return image->n_symbols;
}

int altpick_image_symbol(const struct altpick_image *image, size_t index,
                         struct altpick_symbol *ret_symbol)
{
    GElf_Sym symbol;

    if (index >= image->n_symbols || !gelf_getsym(image->symbols, (int) index, &symbol) ||
        symbol.st_name >= image->symbol_text_bytes)
        return ALTPICK_EFORMAT;
    *ret_symbol = (struct altpick_symbol){
        .name = image->symbol_text + symbol.st_name,
        .value = symbol.st_value,
        .bytes = symbol.st_size,
        .section = symbol.st_shndx,
        .type = GELF_ST_TYPE(symbol.st_info),
        .binding = GELF_ST_BIND(symbol.st_info),
    };
    return ALTPICK_OK;
}

int altpick_image_symbol_find(const struct altpick_image *image, const char *name,
                              struct altpick_symbol *ret_symbol)
{
    for (size_t i = 1; i < image->n_symbols; i++) {
        struct altpick_symbol symbol;

        if (altpick_image_symbol(image, i, &symbol) == ALTPICK_OK && symbol.section != SHN_UNDEF &&
            strcmp(symbol.name, name) == 0) {
            *ret_symbol = symbol;
            return ALTPICK_OK;
        }
    }
    return ALTPICK_ENOFIT;
}

/* --- relocations --------------------------------------------------------------------------------
 */

struct list {
    struct altpick_relocation *items;
    size_t n;
};

/* What REL keeps in the place itself: 32 bits, the only size that tables and i386 code have. */
static int read_addend(const struct altpick_section *target, uint64_t offset, int64_t *ret_addend)
{
    if (!target->data || offset > target->bytes || target->bytes - offset < 4)
        return ALTPICK_EFORMAT;
    *ret_addend = altpick_s32(target->data + offset);
    return ALTPICK_OK;
}

static int read_one(const struct altpick_section *target, Elf_Data *data, int index,
                    bool has_addend, struct altpick_relocation *ret)
{
    GElf_Rela rela;
    GElf_Rel rel;

    if (has_addend) {
        if (!gelf_getrela(data, index, &rela))
            return ALTPICK_EFORMAT;
    } else {
        if (!gelf_getrel(data, index, &rel))
            return ALTPICK_EFORMAT;
        rela = (GElf_Rela){.r_offset = rel.r_offset, .r_info = rel.r_info};
    }
    if (rela.r_offset >= target->bytes)
        return ALTPICK_EFORMAT;
    *ret = (struct altpick_relocation){
        .offset = rela.r_offset,
        .type = (uint32_t) GELF_R_TYPE(rela.r_info),
        .symbol = (uint32_t) GELF_R_SYM(rela.r_info),
        .addend = rela.r_addend,
    };
    return has_addend ? ALTPICK_OK : read_addend(target, rela.r_offset, &ret->addend);
}

/* Append what section number @number says of @target. */
static int read_all(const struct altpick_image *image, const struct altpick_section *target,
                    size_t number, struct list *list, struct altpick_diag *diag)
{
    const struct altpick_section *section = &image->sections[number];
    bool has_addend = section->type == SHT_RELA;
    size_t entry = image->is_64 ? (has_addend ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel))
                                : (has_addend ? sizeof(Elf32_Rela) : sizeof(Elf32_Rel));
    size_t n = (size_t) (section->bytes / entry);
    struct altpick_relocation *items;
    Elf_Data *data = elf_getdata(elf_getscn(image->elf, number), NULL);

    if (section->entry_bytes != entry || section->bytes % entry != 0 || (n && !data))
        return altpick_fail(diag, ALTPICK_EFORMAT, "%s: section %zu (%s): wrong size of a record",
                            image->path, number, section->name);
    items = realloc(list->items, (list->n + n + 1) * sizeof *items);
    if (!items)
        return altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", image->path);
    list->items = items;
    for (size_t i = 0; i < n; i++) {
        if (read_one(target, data, (int) i, has_addend, &items[list->n]) < 0 ||
            items[list->n].symbol >= (image->n_symbols ? image->n_symbols : 1))
            return altpick_fail(diag, ALTPICK_EFORMAT,
                                "%s: section %zu (%s): relocation %zu: "
                                "its place or its symbol does not exist",
                                image->path, number, section->name, i);
        list->n++;
    }
    return ALTPICK_OK;
}

static int by_offset(const void *a, const void *b)
{
    const struct altpick_relocation *left = a, *right = b;

    return left->offset < right->offset ? -1 : left->offset > right->offset;
}

int altpick_image_relocations(const struct altpick_image *image, uint32_t section,
                              struct altpick_relocation **ret_relocations, size_t *ret_n,
                              struct altpick_diag *diag)
{
    struct list list = {.items = NULL};
    int r = ALTPICK_OK;

    for (size_t i = 1; r == ALTPICK_OK && image->is_relocatable && i < image->n_sections; i++) {
        const struct altpick_section *candidate = &image->sections[i];

        if ((candidate->type == SHT_RELA || candidate->type == SHT_REL) &&
            candidate->info == section)
            r = read_all(image, &image->sections[section], i, &list, diag);
    }
    if (r < 0) {
        free(list.items);
        return r;
    }
    if (list.n)
        qsort(list.items, list.n, sizeof *list.items, by_offset);
    *ret_relocations = list.items;
    *ret_n = list.n;
    return ALTPICK_OK;
}

const struct altpick_relocation *altpick_relocation_at(const struct altpick_relocation *relocations,
                                                       size_t n, uint64_t offset)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (relocations[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && relocations[low].offset == offset ? &relocations[low] : NULL;
}
