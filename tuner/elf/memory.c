/* SPDX-License-Identifier: MIT */
/* The sections of an image as they lie in memory: a relocatable file is given addresses. */
#include "elf/memory.h"

#include "diag.h"
#include "elf/bytes.h"
#include "elf/relocate.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Far more apart than a short jump reaches, and aligned as any section wants it. */
#define STEP     UINT64_C(0x10000)
#define START_64 UINT64_C(0xffffffffc0000000)
#define START_32 UINT64_C(0xf8000000)

static bool is_in_memory(const struct altpick_section *section)
{
    return (section->flags & SHF_ALLOC) && section->bytes;
}

static int by_address(const void *a, const void *b)
{
    const struct altpick_memory_part *x = a, *y = b;

    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static uint64_t behind(uint64_t address, uint64_t bytes)
{
    return (address + bytes + 2 * STEP - 1) & ~(STEP - 1);
}

/* All parts, at the addresses of the file or of ours; *ret_end is behind the last of ours. */
static int place_parts(struct altpick_memory *memory, uint64_t *ret_end, struct altpick_diag *diag)
{
    const struct altpick_image *image = memory->image;
    uint64_t next = image->code_is_64 ? START_64 : START_32;

    memory->parts = calloc(image->n_sections + 1, sizeof *memory->parts);
    if (!memory->parts)
        return altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", image->path);
    for (size_t i = 0; i < image->n_sections; i++) {
        const struct altpick_section *section = &image->sections[i];
        struct altpick_memory_part *part = &memory->parts[memory->n_parts];

        if (!is_in_memory(section))
            continue;
        *part = (struct altpick_memory_part){
            .section = section,
            .number = (uint32_t) i,
            .address = image->is_relocatable ? next : section->address,
            .bytes = section->bytes,
            .data = section->data,
        };
        next = behind(next, section->bytes);
        memory->n_parts++;
    }
    qsort(memory->parts, memory->n_parts, sizeof *memory->parts, by_address);
    for (size_t i = 1; i < memory->n_parts; i++) {
        const struct altpick_memory_part *before = &memory->parts[memory->parts[i - 1].reaches];
        struct altpick_memory_part *part = &memory->parts[i];

        part->reaches = part->address + part->bytes > before->address + before->bytes
                            ? i
                            : memory->parts[i - 1].reaches;
    }
    *ret_end = next;
    return ALTPICK_OK;
}

static int place_externs(struct altpick_memory *memory, uint64_t next, struct altpick_diag *diag)
{
    size_t n = altpick_image_symbol_count(memory->image);

    memory->externs = calloc(n + 1, sizeof *memory->externs);
    if (!memory->externs)
        return altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", memory->image->path);
    for (size_t i = 1; i < n; i++) {
        struct altpick_symbol symbol;

        if (altpick_image_symbol(memory->image, i, &symbol) < 0)
            return altpick_fail(diag, ALTPICK_EFORMAT, "%s: symbol %zu is malformed",
                                memory->image->path, i);
        if (symbol.section != SHN_UNDEF && symbol.section != SHN_COMMON)
            continue;
        memory->externs[memory->n_externs++] =
            (struct altpick_memory_extern){symbol.name, (uint32_t) i, next};
        next = behind(next, 1);
    }
    return ALTPICK_OK;
}

int altpick_memory_load(const struct altpick_image *image, struct altpick_memory *ret_memory,
                        struct altpick_diag *diag)
{
    struct altpick_memory memory = {.image = image};
    uint64_t end = 0;
    int r = place_parts(&memory, &end, diag);

    if (r == ALTPICK_OK && image->is_relocatable)
        r = place_externs(&memory, end, diag);
    if (r == ALTPICK_OK && image->is_relocatable)
        r = altpick_memory_relocate(&memory, diag);
    if (r < 0) {
        altpick_memory_fini(&memory);
        return r;
    }
    *ret_memory = memory;
    return ALTPICK_OK;
}

void altpick_memory_fini(struct altpick_memory *memory)
{
    for (size_t i = 0; i < memory->n_parts; i++)
        free(memory->parts[i].copy);
    free(memory->parts);
    free(memory->externs);
    *memory = (struct altpick_memory){0};
}

const struct altpick_memory_part *altpick_memory_part(const struct altpick_memory *memory,
                                                      uint64_t address)
{
    const struct altpick_memory_part *part;
    size_t low = 0, high = memory->n_parts;

    while (low < high) { /* the last part that does not start behind @address */
        size_t middle = low + (high - low) / 2;

        if (memory->parts[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return NULL;
    part = &memory->parts[low - 1];
    if (address - part->address >= part->bytes)
        part = &memory->parts[part->reaches];
    return address - part->address < part->bytes ? part : NULL;
}

const struct altpick_memory_part *altpick_memory_named(const struct altpick_memory *memory,
                                                       const char *section)
{
    for (size_t i = 0; i < memory->n_parts; i++) {
        if (strcmp(memory->parts[i].section->name, section) == 0)
            return &memory->parts[i];
    }
    return NULL;
}

const uint8_t *altpick_memory_at(const struct altpick_memory *memory, uint64_t address,
                                 size_t *ret_bytes)
{
    const struct altpick_memory_part *part = altpick_memory_part(memory, address);

    if (!part || !part->data)
        return NULL;
    *ret_bytes = (size_t) (part->bytes - (address - part->address));
    return part->data + (address - part->address);
}

bool altpick_memory_number(const struct altpick_memory *memory, uint64_t address, unsigned bytes,
                           uint64_t *ret_number)
{
    size_t there = 0;
    const uint8_t *data = altpick_memory_at(memory, address, &there);

    if (!data || there < bytes)
        return false;
    *ret_number = altpick_number(data, bytes);
    return true;
}

/* Of a relocatable file, whose parts are in the order of the file. */
static int by_number(const void *key, const void *element)
{
    uint32_t number = *(const uint32_t *) key;
    const struct altpick_memory_part *part = element;

    return number < part->number ? -1 : number > part->number;
}

uint64_t altpick_memory_address(const struct altpick_memory *memory,
                                const struct altpick_place *place)
{
    const struct altpick_memory_part *part;

    if (!memory->image->is_relocatable)
        return place->address;
    part = place->section
               ? bsearch(&place->section, memory->parts, memory->n_parts, sizeof *part, by_number)
               : NULL;
    if (part)
        return part->address + place->offset;
    for (size_t i = 0; place->symbol && i < memory->n_externs; i++) {
        if (strcmp(memory->externs[i].name, place->symbol) == 0)
            return memory->externs[i].address + place->offset;
    }
    return 0;
}

void altpick_memory_where(const struct altpick_memory *memory, uint64_t address, char *ret_where)
{
    const struct altpick_memory_part *part = altpick_memory_part(memory, address);

    if (part && memory->image->is_relocatable) {
        snprintf(ret_where, ALTPICK_WHERE_BYTES, "%.120s+0x%" PRIx64, part->section->name,
                 address - part->address);
        return;
    }
    for (size_t i = 0; i < memory->n_externs; i++) {
        const struct altpick_memory_extern *e = &memory->externs[i];

        if (address - e->address + STEP / 2 >= STEP) /* a small offset, to either side */
            continue;
        if (address == e->address)
            snprintf(ret_where, ALTPICK_WHERE_BYTES, "%.140s", e->name);
        else
            snprintf(ret_where, ALTPICK_WHERE_BYTES, "%.120s%+" PRId64, e->name,
                     (int64_t) (address - e->address));
        return;
    }
    snprintf(ret_where, ALTPICK_WHERE_BYTES, "0x%" PRIx64, address);
}
