/* SPDX-License-Identifier: MIT */
/* Format elf: a relocatable object whose symbols are the tables and numbers. */
#include "altpick/err.h"
#include "altpick/generator.h"
#include "elf/object.h"

#include <string.h>

enum { FORMAT_VERSION = 1, GAP_ENTRY_BYTES = 4 + ALTPICK_NOP_GAP_MAX };
enum { DATA_MAX = 8192, SYMBOLS_MAX = 32, NAME_MAX_BYTES = 40 };

static const char *const flavours[] = {"elf64", "elf32", NULL};

/* The object in the making. */
struct draft {
    uint8_t data[DATA_MAX];
    size_t bytes;
    struct altpick_elf_symbol symbols[SYMBOLS_MAX];
    char names[SYMBOLS_MAX][NAME_MAX_BYTES];
    size_t n_symbols;
};

/* Begin the symbol "@name@suffix" at the next multiple of @align bytes. */
static void begin(struct draft *draft, const char *name, const char *suffix, size_t align)
{
    struct altpick_elf_symbol *symbol = &draft->symbols[draft->n_symbols];
    char *text = draft->names[draft->n_symbols++];

    draft->bytes = (draft->bytes + align - 1) / align * align;
    strcpy(text, name);
    strcat(text, suffix);
    *symbol = (struct altpick_elf_symbol){.name = text, .offset = draft->bytes};
}

static void end(struct draft *draft)
{
    struct altpick_elf_symbol *symbol = &draft->symbols[draft->n_symbols - 1];

    symbol->bytes = draft->bytes - symbol->offset;
}

static void put_bytes(struct draft *draft, const void *bytes, size_t n)
{
    memcpy(draft->data + draft->bytes, bytes, n);
    draft->bytes += n;
}

/* Little-endian, as in every object for x86. */
static void put_u32(struct draft *draft, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        draft->data[draft->bytes++] = (uint8_t) (value >> (8 * i));
}

static void put_number(struct draft *draft, const char *name, const char *suffix, uint32_t value)
{
    begin(draft, name, suffix, 4);
    put_u32(draft, value);
    end(draft);
}

static void put_text(struct draft *draft, const char *name, const char *text)
{
    begin(draft, name, "", 1);
    put_bytes(draft, text, strlen(text));
    put_bytes(draft, "", 1);
    end(draft);
}

static void put_poke(struct draft *draft, const char *name, const char *suffix,
                     const struct altpick_string *string)
{
    begin(draft, name, suffix, 1);
    put_bytes(draft, string->code, string->bytes);
    end(draft);
}

static void put_tables(struct draft *draft, const char *suffix,
                       const struct altpick_nop_tables *tables)
{
    begin(draft, "altpick_nops", suffix, ALTPICK_ELF_RODATA_ALIGN);
    for (size_t n = 0; n <= ALTPICK_NOP_BYTES_MAX; n++)
        put_bytes(draft, tables->nop[n].code, ALTPICK_NOP_BYTES_MAX);
    end(draft);
    put_number(draft, "altpick_nop_longest", suffix, tables->longest_nop_bytes);
    put_number(draft, "altpick_nop_prefix_limit", suffix, tables->prefix_limit);
    put_number(draft, "altpick_nop_jump_from", suffix, tables->jump_from_bytes);
    begin(draft, "altpick_nop_gaps", suffix, 4);
    for (size_t i = 0; i < tables->n_gaps; i++) {
        put_u32(draft, tables->gap[i].bytes);
        put_bytes(draft, tables->gap[i].code, ALTPICK_NOP_GAP_MAX);
    }
    draft->bytes += GAP_ENTRY_BYTES; /* zeroes end the list */
    end(draft);
    put_poke(draft, "altpick_two_byte_poke", suffix, &tables->text_poke2);
    put_poke(draft, "altpick_five_byte_poke", suffix, &tables->text_poke5);
}

/* Name what symbols [@first..@last) name, without their @suffix. */
static void put_aliases(struct draft *draft, size_t first, size_t last, const char *suffix)
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

static void build(const struct altpick_output *output, bool is_32, struct draft *ret)
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
}

static int emit(const struct altpick_output *output, const char *flavour, struct altpick_out *out)
{
    struct draft draft = {.bytes = 0};
    struct altpick_elf_object object = {.rodata = draft.data, .symbols = draft.symbols};

    if (!flavour || (strcmp(flavour, "elf64") != 0 && strcmp(flavour, "elf32") != 0))
        return ALTPICK_EUSAGE;
    object.is_32 = strcmp(flavour, "elf32") == 0;
    build(output, object.is_32, &draft);
    object.rodata_bytes = draft.bytes;
    object.n_symbols = draft.n_symbols;
    return altpick_elf_object_write(&object, out);
}

const struct altpick_generator altpick_generator_elf = {
    .name = "elf",
    .title = "relocatable object: tables and numbers as symbols",
    .flavours = flavours,
    .emit = emit,
};
