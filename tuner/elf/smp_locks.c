/* SPDX-License-Identifier: MIT */
/* The lock prefixes that Linux removes on one CPU, validated and counted. */
#include "elf/smp_locks.h"

#include "diag.h"
#include "elf/bytes.h"

#include <elf.h>
#include <stdlib.h>

enum { LOCK_BYTES = 4, LOCK_PREFIX = 0xf0, DS_PREFIX = 0x3e };

static int no_lock(const struct altpick_image *image, uint64_t offset, const char *why,
                   struct altpick_diag *diag)
{
    return altpick_fail(diag, ALTPICK_EFORMAT, "%s: .smp_locks: record %llu at offset %#llx: %s",
                        image->path, (unsigned long long) offset / LOCK_BYTES,
                        (unsigned long long) offset, why);
}

/* The record at @offset is about the byte at @at of @section. */
static int count_lock(const struct altpick_image *image, uint64_t offset,
                      const struct altpick_section *section, uint64_t at,
                      struct altpick_smp_locks *locks, struct altpick_diag *diag)
{
    if (!section || !altpick_section_is_code(section) || at >= section->bytes)
        return no_lock(image, offset, "its place is not in code", diag);
    locks->n++;
    locks->removed += section->data[at] == DS_PREFIX;
    locks->other += section->data[at] != DS_PREFIX && section->data[at] != LOCK_PREFIX;
    return ALTPICK_OK;
}

static int read_linked(const struct altpick_image *image, const struct altpick_section *records,
                       struct altpick_smp_locks *locks, struct altpick_diag *diag)
{
    int r = ALTPICK_OK;

    for (uint64_t offset = 0; r == ALTPICK_OK && offset + LOCK_BYTES <= records->bytes;
         offset += LOCK_BYTES) {
        int32_t value = (int32_t) altpick_u32(records->data + offset);
        uint64_t address = records->address + offset + (uint64_t) (int64_t) value;
        const struct altpick_section *section;

        if (value == 0) {
            locks->padding++;
            continue;
        }
        if (!image->is_64)
            address = (uint32_t) address;
        section = altpick_image_at(image, address, 1);
        r = count_lock(image, offset, section, section ? address - section->address : 0, locks,
                       diag);
    }
    return r;
}

static int read_relocated(const struct altpick_image *image, const struct altpick_section *records,
                          struct altpick_smp_locks *locks, struct altpick_diag *diag)
{
    uint32_t type = image->machine == EM_X86_64 ? R_X86_64_PC32 : R_386_PC32;
    struct altpick_relocation *relocations = NULL;
    size_t n;
    int r = altpick_image_relocations(image, (uint32_t) (records - image->sections), &relocations,
                                      &n, diag);

    for (size_t i = 0; r == ALTPICK_OK && i < n; i++) {
        uint64_t offset = relocations[i].offset;
        struct altpick_symbol symbol;

        if (i && offset == relocations[i - 1].offset)
            r = no_lock(image, offset, "two relocations fill it", diag);
        else if (relocations[i].type != type || offset % LOCK_BYTES != 0 ||
                 altpick_image_symbol(image, relocations[i].symbol, &symbol) < 0 ||
                 symbol.section >= image->n_sections)
            r = no_lock(image, offset, "its relocation is of another kind", diag);
        else
            r = count_lock(image, offset, &image->sections[symbol.section],
                           symbol.value + (uint64_t) relocations[i].addend, locks, diag);
    }
    locks->padding = (size_t) (records->bytes / LOCK_BYTES) - locks->n;
    free(relocations);
    return r;
}

int altpick_smp_locks_read(const struct altpick_image *image, struct altpick_smp_locks *ret_locks,
                           struct altpick_diag *diag)
{
    const struct altpick_section *records = altpick_image_section(image, ".smp_locks");
    struct altpick_smp_locks locks = {.present = records != NULL};
    int r = ALTPICK_OK;

    if (records && (records->bytes % LOCK_BYTES != 0 || (records->bytes > 0 && !records->data)))
        r = altpick_fail(diag, ALTPICK_EFORMAT,
                         "%s: .smp_locks: %llu bytes are no whole number of places in the file",
                         image->path, (unsigned long long) records->bytes);
    else if (records)
        r = image->is_relocatable ? read_relocated(image, records, &locks, diag)
                                  : read_linked(image, records, &locks, diag);
    if (r == ALTPICK_OK)
        *ret_locks = locks;
    return r;
}
