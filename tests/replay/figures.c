/* SPDX-License-Identifier: MIT */
/* Turns lines of the published TSV into machines that code can be priced on. */
#include "figures.h"

#include "published.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_BEFORE_FIGURES = 6, LINE_MAX_BYTES = 4096 };

static const double absent_below_cycles = 0.0999; /* artefacts of the publisher's subtraction */

static void parse_machine(char *line, struct replay_machine *ret_machine)
{
    char *column[COLUMNS_BEFORE_FIGURES + REPLAY_FORMS];
    size_t n = 0;

    line[strcspn(line, "\n")] = '\0';
    for (char *cell; n < sizeof column / sizeof *column && (cell = strsep(&line, "\t"));)
        column[n++] = cell;
    if (n != sizeof column / sizeof *column) {
        fprintf(stderr, "replay: a line with %zu columns\n", n);
        exit(EXIT_FAILURE);
    }
    snprintf(ret_machine->name, sizeof ret_machine->name, "%s:%s:%s:%s", column[0], column[1],
             column[2], column[3]);
    for (size_t i = 0; i < REPLAY_FORMS; i++) {
        double cycles = strtod(column[COLUMNS_BEFORE_FIGURES + i], NULL);

        ret_machine->cycles[i] = cycles < absent_below_cycles ? 0 : cycles;
    }
}

size_t replay_machines_read(const char *path, struct replay_machine *ret_machines, size_t capacity)
{
    char line[LINE_MAX_BYTES];
    bool head = true;
    size_t n = 0;
    FILE *f = fopen(path, "r");

    if (!f) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    while (n < capacity && fgets(line, sizeof line, f)) {
        if (line[0] == '#')
            continue;
        if (!head)
            parse_machine(line, &ret_machines[n++]);
        head = false;
    }
    fclose(f);
    return n;
}

double replay_machine_cycles(const void *ctx, const struct altpick_candidate *candidate)
{
    const struct replay_machine *machine = ctx;
    struct altpick_nop nop;
    double cycles = 0;
    size_t n;

    for (size_t at = 0; at < candidate->code_bytes; at += n) {
        int form;

        n = altpick_nop_scan(candidate->code + at, candidate->code_bytes - at, &nop);
        form = n ? altpick_published_form(&nop) : -1;
        if (form < 0 || machine->cycles[form] <= 0)
            return 0;
        cycles += machine->cycles[form];
    }
    return cycles;
}
