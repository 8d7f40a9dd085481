/* SPDX-License-Identifier: MIT */
/* Format header: C, in flavours that differ by the names that a consumer's code already uses. */
#include "altpick/err.h"
#include "altpick/generator.h"
#include "c_text.h"

#include <string.h>

static const struct altpick_c_flavour *const table[] = {
    &altpick_c_plain,
    &altpick_c_linux,
    &altpick_c_linux_legacy,
    &altpick_c_elf,
};
static const char *const flavours[] = {"c", "linux", "linux-legacy", "elf", NULL};

static int emit(const struct altpick_output *output, const char *flavour, struct altpick_out *out)
{
    for (size_t i = 0; flavour && i < sizeof table / sizeof *table; i++) {
        if (strcmp(table[i]->name, flavour) == 0) {
            table[i]->put(out, output);
            return out->err;
        }
    }
    return ALTPICK_EUSAGE;
}

const struct altpick_generator altpick_generator_header = {
    .name = "header",
    .title = "C header: NOPs as macros, a table and a fill function",
    .flavours = flavours,
    .emit = emit,
};
