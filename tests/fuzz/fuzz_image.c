/* SPDX-License-Identifier: MIT */
/* Fuzz target: any bytes as an ELF file, and everything that can be asked of it. */
#include "fuzz.h"

#include "elf/image.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

static volatile uint8_t sink;

/* Every byte that the image says is in the file. */
static void read_section(const struct altpick_section *section)
{
    sink = (uint8_t) strlen(section->name); /* reads it to its end */
    for (uint64_t i = 0; section->data && i < section->bytes; i += 1 + section->bytes / 64)
        sink = section->data[i];
    if (section->data && section->bytes)
        sink = section->data[section->bytes - 1];
}

static void read_relocations(const struct altpick_image *image, uint32_t number)
{
    struct altpick_relocation *relocations = NULL;
    struct altpick_diag diag;
    size_t n = 0;

    if (altpick_image_relocations(image, number, &relocations, &n, &diag) < 0) {
        FUZZ_CHECK(!relocations && diag.text[0]);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        FUZZ_CHECK(relocations[i].offset < image->sections[number].bytes);
        FUZZ_CHECK(i == 0 || relocations[i - 1].offset <= relocations[i].offset);
    }
    free(relocations);
}

static void read_symbols(const struct altpick_image *image)
{
    for (size_t i = 0; i < altpick_image_symbol_count(image) && i < 4096; i++) {
        struct altpick_symbol symbol;

        if (altpick_image_symbol(image, i, &symbol) == ALTPICK_OK)
            FUZZ_CHECK(strlen(symbol.name) < image->symbol_text_bytes);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct altpick_image image = {.path = NULL};
    struct altpick_diag diag = {.text = ""};

    if (altpick_image_view("input", data, n, &image, &diag) < 0) {
        FUZZ_CHECK(!image.elf && diag.text[0]);
        return 0;
    }
    for (uint32_t i = 1; i < image.n_sections; i++) {
        read_section(&image.sections[i]);
        if (i < 64)
            read_relocations(&image, i);
        if (image.sections[i].bytes && image.sections[i].flags & SHF_ALLOC)
            altpick_image_bytes(&image, image.sections[i].address, image.sections[i].bytes);
    }
    read_symbols(&image);
    altpick_image_close(&image);
    return 0;
}
