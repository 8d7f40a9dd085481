/* SPDX-License-Identifier: MIT */
/* Prints what altpick_functions_read() finds: every function, or every name, in a line. */
#include "elf/functions.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void print_functions(const struct altpick_functions *functions)
{
    for (size_t i = 0; i < functions->n; i++) {
        const struct altpick_function *f = &functions->functions[i];

        printf("%016" PRIx64 " %" PRIu64 " %" PRIu32 " %s\n", f->address, f->bytes, f->section,
               f->name ? f->name : "-");
    }
}

static void print_names(const struct altpick_functions *functions)
{
    for (size_t i = 0; i < functions->symbols.n; i++) {
        const struct altpick_map_symbol *symbol = &functions->symbols.symbols[i];

        printf("%016" PRIx64 " %c %s\n", symbol->address, symbol->type,
               symbol->name ? symbol->name : "-");
    }
}

int main(int argc, char **argv)
{
    struct altpick_functions functions = {0};
    struct altpick_image image = {0};
    struct altpick_diag diag = {""};
    int r;

    if (argc < 3) {
        fprintf(stderr, "usage: dump_functions functions|names|source IMAGE [MAP]\n");
        return 2;
    }
    r = altpick_image_open(argv[2], &image, &diag);
    if (r == 0)
        r = altpick_functions_read(&image, argc > 3 ? argv[3] : NULL, &functions, &diag);
    if (r < 0)
        fprintf(stderr, "%s\n", diag.text);
    else if (strcmp(argv[1], "functions") == 0)
        print_functions(&functions);
    else if (strcmp(argv[1], "names") == 0)
        print_names(&functions);
    else
        printf("%s %zu\n", functions.source ? functions.source : "none", functions.n);
    altpick_functions_fini(&functions);
    altpick_image_close(&image);
    return r < 0;
}
