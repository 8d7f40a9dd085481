/* SPDX-License-Identifier: MIT */
/* Runs one check by replay: replay CHECK COUNT [SEEDS NOPS.tsv TRUTH.tsv]. */
#include "checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    bool (*run)(size_t runs);
    bool (*compare)(const struct replay_truth_args *args);
} checks[] = {
    {"truth",          NULL,                replay_check_truth         },
    {"truth-32",       NULL,                replay_check_truth_32      },
    {"default-mutant", NULL,                replay_check_default_mutant},
    {"shuffle",        NULL,                replay_check_shuffle       },
    {"same",           replay_check_same,   NULL                       },
    {"power",          replay_check_power,  NULL                       },
    {"shared",         replay_check_shared, NULL                       },
};

static int usage(void)
{
    fputs("usage: replay same|power|shared RUNS\n"
          "       replay truth|truth-32|default-mutant|shuffle EVERY SEEDS NOPS.tsv TRUTH.tsv\n",
          stderr);
    return 2;
}

int main(int argc, char **argv)
{
    size_t count = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

    for (size_t i = 0; count && i < sizeof checks / sizeof *checks; i++) {
        if (strcmp(argv[1], checks[i].name) != 0)
            continue;
        if (checks[i].run)
            return checks[i].run(count) ? EXIT_SUCCESS : EXIT_FAILURE;
        if (argc == 6) {
            struct replay_truth_args args = {
                .every = count,
                .seeds = strtoul(argv[3], NULL, 10),
                .nops_tsv = argv[4],
                .truth_tsv = argv[5],
            };

            return checks[i].compare(&args) ? EXIT_SUCCESS : EXIT_FAILURE;
        }
    }
    return usage();
}
