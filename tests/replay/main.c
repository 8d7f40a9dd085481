/* SPDX-License-Identifier: MIT */
/* Runs one check by replay: replay CHECK RUNS. */
#include "checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    bool (*run)(size_t runs);
} checks[] = {
    {"same",  replay_check_same },
    {"power", replay_check_power},
};

int main(int argc, char **argv)
{
    size_t count = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

    for (size_t i = 0; count && i < sizeof checks / sizeof *checks; i++) {
        if (strcmp(argv[1], checks[i].name) == 0)
            return checks[i].run(count) ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    fputs("usage: replay same|power RUNS\n", stderr);
    return 2;
}
