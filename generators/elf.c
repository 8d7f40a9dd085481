/* SPDX-License-Identifier: MIT */
/* Format elf: a relocatable object whose symbols are the tables, the numbers and the code. */
#include "altpick/err.h"
#include "altpick/generator.h"
#include "altpick/patches.h"
#include "elf/fixup.h"
#include "elf_draft.h"
#include "elf_sites.h"

#include <string.h>

enum { FORMAT_VERSION = 1, GAP_ENTRY_BYTES = 4 + ALTPICK_NOP_GAP_MAX, TABLE_ALIGN = 16 };

static const char *const flavours[] = {"elf64", "elf32", NULL};

static void put_number(struct altpick_draft *draft, const char *name, const char *suffix,
                       uint32_t value)
{
    altpick_draft_begin(draft, name, suffix, 4);
    altpick_draft_u32(draft, value);
    altpick_draft_end(draft);
}

static void put_text(struct altpick_draft *draft, const char *name, const char *text)
{
    altpick_draft_begin(draft, name, "", 1);
    altpick_draft_bytes(draft, text, strlen(text));
    altpick_draft_bytes(draft, "", 1);
    altpick_draft_end(draft);
}

static void put_poke(struct altpick_draft *draft, const char *name, const char *suffix,
                     const struct altpick_string *string)
{
    altpick_draft_begin(draft, name, suffix, 1);
    altpick_draft_bytes(draft, string->code, string->bytes);
    altpick_draft_end(draft);
}

static void put_tables(struct altpick_draft *draft, const char *suffix,
                       const struct altpick_nop_tables *tables)
{
    altpick_draft_begin(draft, "altpick_nops", suffix, TABLE_ALIGN);
    for (size_t n = 0; n <= ALTPICK_NOP_BYTES_MAX; n++)
        altpick_draft_bytes(draft, tables->nop[n].code, ALTPICK_NOP_BYTES_MAX);
    altpick_draft_end(draft);
    put_number(draft, "altpick_nop_longest", suffix, tables->longest_nop_bytes);
    put_number(draft, "altpick_nop_prefix_limit", suffix, tables->prefix_limit);
    put_number(draft, "altpick_nop_jump_from", suffix, tables->jump_from_bytes);
    altpick_draft_begin(draft, "altpick_nop_gaps", suffix, 4);
    for (size_t i = 0; i < tables->n_gaps; i++) {
        altpick_draft_u32(draft, tables->gap[i].bytes);
        altpick_draft_bytes(draft, tables->gap[i].code, ALTPICK_NOP_GAP_MAX);
    }
    draft->rodata.bytes += GAP_ENTRY_BYTES; /* zeroes end the list */
    altpick_draft_end(draft);
    put_poke(draft, "altpick_two_byte_poke", suffix, &tables->text_poke2);
    put_poke(draft, "altpick_five_byte_poke", suffix, &tables->text_poke5);
}

/* Name what symbols [@first..@last) name, without their @suffix. */
static void put_aliases(struct altpick_draft *draft, size_t first, size_t last, const char *suffix)
{
    for (size_t i = first; i < last; i++) {
        struct altpick_elf_symbol *symbol = &draft->symbols[draft->n_symbols];
        char *text = draft->names[draft->n_symbols++];

        *symbol = draft->symbols[i];
        strcpy(text, symbol->name);
        text[strlen(text) - strlen(suffix)] = '\0';
        symbol->name = text;
    }
}

/* The same table for both kinds of object: it has code of both. */
static int put_patches(struct altpick_draft *draft, const struct altpick_output *output)
{
    struct altpick_patches table;
    int r = altpick_patches_build(output, altpick_fixups_find, &table);

    if (r < 0)
        return r;
    altpick_draft_begin(draft, "altpick_patch_table", "", ALTPICK_PATCHES_ALIGN);
    altpick_draft_bytes(draft, table.data, table.bytes);
    altpick_draft_end(draft);
    put_number(draft, "altpick_patch_table_bytes", "", (uint32_t) table.bytes);
    return ALTPICK_OK;
}

static int build(const struct altpick_output *output, bool is_32, struct altpick_draft *ret)
{
    size_t first64, first32;

    put_number(ret, "altpick_nops_version", "", FORMAT_VERSION);
    put_text(ret, "altpick_nops_machine", output->machine ? output->machine->name : "");
    put_text(ret, "altpick_nops_target", altpick_target_name(output->target));
    first64 = ret->n_symbols;
    put_tables(ret, "64", &output->nop64);
    first32 = ret->n_symbols;
    put_tables(ret, "32", &output->nop32);
    put_aliases(ret, is_32 ? first32 : first64, is_32 ? ret->n_symbols : first32,
                is_32 ? "32" : "64");
    altpick_draft_bodies(ret, &output->bodies, is_32 ? 32 : 64);
    return put_patches(ret, output);
}

static bool is_32(const char *flavour)
{
    return strcmp(flavour, "elf32") == 0;
}

static int emit(const struct altpick_output *output, const char *flavour, struct altpick_out *out)
{
    struct altpick_draft draft = {.n_symbols = 0};
    struct altpick_elf_section sections[ALTPICK_DRAFT_SECTIONS] = {
        [ALTPICK_DRAFT_TEXT] = {.name = ".text",
                                .data = draft.text.data,
                                .align = ALTPICK_ELF_TEXT_ALIGN,
                                .is_code = true},
        [ALTPICK_DRAFT_RODATA] = {.name = ".rodata",
                                .data = draft.rodata.data,
                                .align = ALTPICK_ELF_RODATA_ALIGN      },
    };
    struct altpick_elf_object object = {
        .sections = sections, .n_sections = ALTPICK_DRAFT_SECTIONS, .symbols = draft.symbols};
    int r;

    if (!flavour || (strcmp(flavour, "elf64") != 0 && !is_32(flavour)))
        return ALTPICK_EUSAGE;
    object.is_32 = is_32(flavour);
    r = build(output, object.is_32, &draft);
    if (r < 0)
        return r;
    sections[ALTPICK_DRAFT_TEXT].bytes = draft.text.bytes;
    sections[ALTPICK_DRAFT_RODATA].bytes = draft.rodata.bytes;
    object.n_symbols = draft.n_symbols;
    return altpick_elf_object_write(&object, out);
}

const struct altpick_generator altpick_generator_elf = {
    .name = "elf",
    .title = "relocatable object: tables, numbers and code as symbols",
    .flavours = flavours,
    .emit = emit,
    .layouts = altpick_elf_layouts,
    .emit_sites = altpick_elf_sites,
};
