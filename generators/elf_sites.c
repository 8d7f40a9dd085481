/* SPDX-License-Identifier: MIT */
/* Turns sites and their code into a table that a consumer's engine finds when it is linked in. */
#include "elf_sites.h"

#include "altpick/err.h"
#include "elf/layout.h"
#include "elf/object.h"

#include <stdlib.h>
#include <string.h>

/*
 * Records are packed, and so are those of other objects beside them.  Assemblers give
 * .altinstructions an alignment of 1, and any other would put zeroes between two objects' tables.
 */
enum { PACKED = 1, SITES_ALIGN = 4 };

/* The object's sections: the records, and code or names that they refer to. */
enum { RECORDS, TARGETS, N_SECTIONS };

struct table {
    const struct altpick_layout *layout;
    bool is_32;
    bool names; /* records refer to the item's name, not to its code */
    uint8_t *records, *targets;
    size_t target_bytes;
    struct altpick_elf_reloc *relocs;
    struct altpick_elf_symbol *symbols;
    size_t n_symbols;
};

/* Room for all that @n sites can need. */
static bool allocate(struct table *table, size_t n)
{
    table->records = calloc(n, table->layout->record_bytes);
    table->targets = calloc(n, ALTPICK_CODE_MAX);
    table->relocs = calloc(2 * n, sizeof *table->relocs);
    table->symbols = calloc(n, sizeof *table->symbols);
    return table->records && table->targets && table->relocs && table->symbols;
}

static void fini(struct table *table)
{
    free(table->records);
    free(table->targets);
    free(table->relocs);
    free(table->symbols);
}

/* The index of @symbol, whose sites lie together. */
static size_t put_symbol(struct table *table, const char *symbol)
{
    struct altpick_elf_symbol *last = table->symbols + table->n_symbols;

    if (table->n_symbols == 0 || strcmp(last[-1].name, symbol) != 0) {
        *last = (struct altpick_elf_symbol){.name = symbol, .section = ALTPICK_ELF_UNDEFINED};
        table->n_symbols++;
    }
    return table->n_symbols - 1;
}

/* Where @bytes of @data are in the targets; a name that is there already is not put there again. */
static size_t put_target(struct table *table, const void *data, size_t bytes)
{
    size_t at = table->target_bytes;

    for (size_t i = 0; table->names && i < at; i += strlen((char *) table->targets + i) + 1) {
        if (strcmp((char *) table->targets + i, data) == 0)
            return i;
    }
    memcpy(table->targets + at, data, bytes);
    table->target_bytes += bytes;
    return at;
}

static void put(struct table *table, size_t index, const struct altpick_consumer_site *site)
{
    const struct altpick_layout *layout = table->layout;
    size_t at = index * layout->record_bytes, target;

    target = table->names ? put_target(table, site->item, strlen(site->item) + 1)
                          : put_target(table, site->code.code, site->code.bytes);
    table->relocs[2 * index] = (struct altpick_elf_reloc){
        .offset = at + layout->site.offset, .target = put_symbol(table, site->symbol)};
    table->relocs[2 * index + 1] = (struct altpick_elf_reloc){
        .offset = at + (table->names ? layout->item : layout->replacement).offset,
        .to_section = true,
        .target = TARGETS,
        .addend = (int32_t) target};
    altpick_elf_put_site(layout, site, table->is_32, table->records + at);
}

static int write_table(const struct table *table, size_t n, struct altpick_out *out)
{
    const struct altpick_elf_section sections[N_SECTIONS] = {
        [RECORDS] = {.name = table->layout->section,
                     .data = table->records,
                     .bytes = n * table->layout->record_bytes,
                     .align = table->names ? SITES_ALIGN : PACKED,
                     .is_kept = table->names,
                     .relocs = table->relocs,
                     .n_relocs = 2 * n},
        [TARGETS] = {.name = table->names ? "altpick_names" : ".altinstr_replacement",
                     .data = table->targets,
                     .bytes = table->target_bytes,
                     .align = PACKED,
                     .is_code = !table->names,
                     .is_strings = table->names},
    };
    const struct altpick_elf_object object = {
        .is_32 = table->is_32,
        .sections = sections,
        .n_sections = N_SECTIONS,
        .symbols = table->symbols,
        .n_symbols = table->n_symbols,
    };

    return altpick_elf_object_write(&object, out);
}

int altpick_elf_sites(const struct altpick_site_layout *layout, const char *flavour,
                      const struct altpick_consumer_site *sites, size_t n, struct altpick_out *out)
{
    struct table table = {.layout = altpick_layout_find(layout->name),
                          .is_32 = flavour && strcmp(flavour, "elf32") == 0};
    int r = ALTPICK_ENOMEM;

    table.names = table.layout->item.kind != ALTPICK_FIELD_NONE;
    if (allocate(&table, n)) {
        for (size_t i = 0; i < n; i++)
            put(&table, i, &sites[i]);
        r = write_table(&table, n, out);
    }
    fini(&table);
    return r;
}
