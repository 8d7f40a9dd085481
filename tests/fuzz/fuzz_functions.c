/* SPDX-License-Identifier: MIT */
/* Fuzz target: an ELF file with symbols, a kernel's own table of them, or ORC tables. */
#include "fuzz.h"

#include "elf/functions.h"

static void check(const struct altpick_image *image, const struct altpick_functions *functions)
{
    for (size_t i = 0; i < functions->n; i++) {
        const struct altpick_function *f = &functions->functions[i];
        size_t count = 1;

        FUZZ_CHECK(f->bytes > 0 && f->address + (f->bytes - 1) >= f->address);
        FUZZ_CHECK(i == 0 || f->section > f[-1].section ||
                   f->address - f[-1].address >= f[-1].bytes);
        FUZZ_CHECK(image->is_relocatable || altpick_functions_at(functions, f->address) == f);
        FUZZ_CHECK(i > 0 || !f->name || altpick_functions_find(functions, f->name, &count) == f);
        FUZZ_CHECK(count > 0);
    }
    FUZZ_CHECK(!functions->source == (functions->n == 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct altpick_functions functions = {.n = 0};
    struct altpick_image image = {.path = NULL};
    struct altpick_diag diag = {.text = ""};

    if (altpick_image_view("input", data, n, &image, &diag) < 0)
        return 0;
    if (altpick_functions_read(&image, NULL, &functions, &diag) < 0)
        FUZZ_CHECK(!functions.functions && diag.text[0]);
    else
        check(&image, &functions);
    altpick_functions_fini(&functions);
    altpick_image_close(&image);
    return 0;
}
