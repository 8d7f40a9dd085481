/* SPDX-License-Identifier: MIT */
/* The images of vDSOs within a kernel, whose alternatives the kernel applies as well. */
#include "elf/embedded.h"

#include "diag.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 };

static int out_of_memory(const struct altpick_memory *memory, struct altpick_diag *diag)
{
    return altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", memory->image->path);
}

static int append(const struct altpick_memory *memory, struct altpick_all_entries *all,
                  const struct altpick_record *entries, size_t n, uint64_t base,
                  struct altpick_diag *diag)
{
    struct altpick_patch_table *table = &all->table;
    struct altpick_record *grown =
        realloc(table->entries, (table->n_entries + n + 1) * sizeof *grown);

    if (!grown)
        return out_of_memory(memory, diag);
    table->entries = grown;
    for (size_t i = 0; i < n; i++) {
        struct altpick_record *entry = &grown[table->n_entries + i];

        *entry = entries[i];
        if (!base)
            continue;
        entry->site = (struct altpick_place){.address = base + entry->site.address};
        entry->replacement = (struct altpick_place){.address = base + entry->replacement.address};
    }
    table->n_entries += n;
    return ALTPICK_OK;
}

/* Its functions, and its sections of code. */
static int read_code(struct altpick_image *image, uint64_t base, struct altpick_embedded *embedded,
                     struct altpick_diag *diag)
{
    struct altpick_functions *functions = &embedded->functions;
    int r = altpick_image_read_dynamic_symbols(image, diag);

    if (r == ALTPICK_OK) /* names stay in the kernel's bytes */
        r = altpick_functions_read(image, NULL, functions, diag);
    if (r < 0)
        return r;
    for (size_t i = 0; i < functions->n; i++)
        functions->functions[i].address += base;
    for (size_t i = 0; i < functions->symbols.n; i++)
        functions->symbols.symbols[i].address += base;
    for (size_t i = 1; i < image->n_sections; i++) {
        const struct altpick_section *section = &image->sections[i];

        if (!altpick_section_is_code(section))
            continue;
        if (embedded->n_code == ALTPICK_EMBEDDED_CODE_MAX)
            return altpick_fail(diag, ALTPICK_EUNSUPPORTED, "%s: more than %d sections of code",
                                image->path, ALTPICK_EMBEDDED_CODE_MAX);
        embedded->code[embedded->n_code++] =
            (struct altpick_embedded_code){base + section->address, section->bytes};
    }
    return ALTPICK_OK;
}

/* Linux's @table of @image, which is at @address. */
static int add_table(const struct altpick_memory *memory, struct altpick_image *image,
                     const struct altpick_patch_table *table, uint64_t address,
                     struct altpick_all_entries *all, struct altpick_diag *diag)
{
    struct altpick_embedded *embedded = &all->embedded[all->n_embedded];
    struct altpick_diag why;
    int r;

    if (all->n_embedded == ALTPICK_EMBEDDED_MAX)
        return altpick_fail(diag, ALTPICK_EUNSUPPORTED,
                            "%s: more than %d images within it have a patch table",
                            memory->image->path, ALTPICK_EMBEDDED_MAX);
    *embedded = (struct altpick_embedded){
        .address = address,
        .bytes = image->section_headers_end,
        .is_64 = image->code_is_64,
        .first = all->table.n_entries,
        .n_entries = table->n_entries,
    };
    all->n_embedded++;
    r = read_code(image, address, embedded, &why);
    if (r < 0)
        return altpick_fail(diag, r, "%s: %.900s", memory->image->path, why.text);
    return append(memory, all, table->entries, table->n_entries, address, diag);
}

/* The image at @address, of which @n bytes can be read; what is no shared object has none. */
static int add_embedded(const struct altpick_memory *memory, const uint8_t *data, size_t n,
                        uint64_t address, struct altpick_all_entries *all,
                        struct altpick_diag *diag)
{
    struct altpick_image image = {0};
    struct altpick_patch_tables tables = {0};
    struct altpick_diag why;
    char name[96];
    int r;

    snprintf(name, sizeof name, "the image at 0x%llx", (unsigned long long) address);
    if (altpick_image_view(name, data, n, &image, &why) < 0)
        return ALTPICK_OK; /* bytes that look like one */
    r = image.type == ET_DYN ? altpick_patch_tables_read(&image, NULL, &tables, &why) : ALTPICK_OK;
    if (r < 0)
        r = altpick_fail(diag, r, "%s: %.900s", memory->image->path, why.text);
    for (size_t i = 0; r == ALTPICK_OK && i < tables.n_tables; i++) {
        const struct altpick_patch_table *table = &tables.tables[i];

        if (table->layout->family != ALTPICK_FAMILY_LINUX)
            continue;
        r = add_table(memory, &image, table, address, all, diag);
    }
    altpick_patch_tables_fini(&tables);
    altpick_image_close(&image);
    return r;
}

static int search(const struct altpick_memory *memory, const struct altpick_memory_part *part,
                  struct altpick_all_entries *all, struct altpick_diag *diag)
{
    uint64_t skip = (PAGE - part->address % PAGE) % PAGE;

    for (uint64_t at = skip; at < part->bytes && part->bytes - at > PAGE / 2; at += PAGE) {
        int r;

        if (memcmp(part->data + at, ELFMAG, SELFMAG) != 0)
            continue;
        r = add_embedded(memory, part->data + at, (size_t) (part->bytes - at), part->address + at,
                         all, diag);
        if (r < 0)
            return r;
    }
    return ALTPICK_OK;
}

int altpick_all_entries_make(const struct altpick_memory *memory,
                             const struct altpick_patch_table *table,
                             struct altpick_all_entries *ret_all, struct altpick_diag *diag)
{
    struct altpick_all_entries all = {.table = *table};
    int r;

    all.table.entries = NULL;
    all.table.n_entries = 0;
    r = append(memory, &all, table->entries, table->n_entries, 0, diag);
    for (size_t i = 0; r == ALTPICK_OK && i < memory->n_parts; i++) {
        const struct altpick_memory_part *part = &memory->parts[i];

        if (!memory->image->is_relocatable && part->data && !altpick_section_is_code(part->section))
            r = search(memory, part, &all, diag);
    }
    if (r < 0) {
        altpick_all_entries_fini(&all);
        return r;
    }
    *ret_all = all;
    return ALTPICK_OK;
}

const struct altpick_embedded *altpick_embedded_at(const struct altpick_all_entries *all,
                                                   uint64_t address)
{
    for (size_t i = 0; i < all->n_embedded; i++) {
        if (address - all->embedded[i].address < all->embedded[i].bytes)
            return &all->embedded[i];
    }
    return NULL;
}

void altpick_all_entries_fini(struct altpick_all_entries *all)
{
    for (size_t i = 0; i < all->n_embedded; i++)
        altpick_functions_fini(&all->embedded[i].functions);
    free(all->table.entries);
    *all = (struct altpick_all_entries){0};
}
