/* SPDX-License-Identifier: MIT */
/* Collects the bytes and symbols of an ELF object. */
#include "elf_draft.h"

#include <string.h>

enum { CODE_ALIGN = 16, BREAKPOINT = 0xcc };

/* What lies between code is never run. */
static void begin(struct altpick_draft *draft, struct altpick_draft_part *part, const char *name,
                  const char *suffix, size_t align)
{
    struct altpick_elf_symbol *symbol = &draft->symbols[draft->n_symbols];
    char *text = draft->names[draft->n_symbols++];

    draft->part = part;
    while (part->bytes % align)
        part->data[part->bytes++] = part == &draft->text ? BREAKPOINT : 0;
    strcpy(text, name);
    strcat(text, suffix);
    *symbol = (struct altpick_elf_symbol){.name = text,
                                          .section = part == &draft->text ? ALTPICK_DRAFT_TEXT
                                                                          : ALTPICK_DRAFT_RODATA,
                                          .offset = part->bytes};
}

void altpick_draft_begin(struct altpick_draft *draft, const char *name, const char *suffix,
                         size_t align)
{
    begin(draft, &draft->rodata, name, suffix, align);
}

void altpick_draft_begin_code(struct altpick_draft *draft, const char *name)
{
    begin(draft, &draft->text, name, "", CODE_ALIGN);
}

void altpick_draft_bytes(struct altpick_draft *draft, const void *bytes, size_t n)
{
    memcpy(draft->part->data + draft->part->bytes, bytes, n);
    draft->part->bytes += n;
}

/* Little-endian, as in every object for x86. */
void altpick_draft_u32(struct altpick_draft *draft, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        draft->part->data[draft->part->bytes++] = (uint8_t) (value >> (8 * i));
}

void altpick_draft_end(struct altpick_draft *draft)
{
    struct altpick_elf_symbol *symbol = &draft->symbols[draft->n_symbols - 1];

    symbol->bytes = draft->part->bytes - symbol->offset;
}
