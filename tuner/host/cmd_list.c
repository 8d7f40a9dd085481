/* SPDX-License-Identifier: MIT */
/* altpick list: what this version can ask, choose from and write. */
#include "command.h"
#include "diag.h"
#include "elf/layout.h"
#include "known.h"
#include "known_find.h"
#include "suggest.h"
#include "table.h"

#include "altpick/generator.h"
#include "altpick/item_code.h"
#include "altpick/question.h"

#include <stdlib.h>
#include <string.h>

static size_t conditions_text(uint32_t conditions, char *ret_text, size_t capacity)
{
    size_t n = 0;

    *ret_text = '\0';
    for (unsigned i = 0; i < ALTPICK_N_CONDITIONS; i++) {
        if (!(conditions >> i & 1))
            continue;
        strncat(ret_text, n++ ? ", " : "", capacity - 1 - strlen(ret_text));
        strncat(ret_text, altpick_condition_name(i), capacity - 1 - strlen(ret_text));
    }
    return n;
}

static int list_questions(struct altpick_command_io *io, const char *unused)
{
    struct altpick_table table;
    char conditions[512];

    (void) unused;
    altpick_table_init(&table, "lrl", 0);
    altpick_table_cell(&table, "QUESTION");
    altpick_table_cell(&table, "ITEMS");
    altpick_table_cell(&table, "WHAT, and below it the conditions");
    for (size_t i = 0; i < altpick_question_count; i++) {
        conditions_text(altpick_questions[i]->conditions, conditions, sizeof conditions);
        altpick_table_cell(&table, "%s", altpick_questions[i]->name);
        altpick_table_cell(&table, "%zu", altpick_questions[i]->n_items);
        altpick_table_cell(&table, "%s", altpick_questions[i]->title);
        altpick_table_line(&table, "    %s", conditions);
    }
    altpick_table_print(&table, &io->out);
    return ALTPICK_OK;
}

static void list_candidates_of(struct altpick_table *table, const struct altpick_question *question,
                               struct altpick_candidate *candidates)
{
    size_t n = question->candidates(question, candidates);

    for (size_t i = 0; i < n; i++) {
        const struct altpick_candidate *candidate = &candidates[i];

        altpick_table_cell(table, "%s", question->name);
        altpick_table_cell(table, "%s", candidate->name);
        if (candidate->code_bytes)
            altpick_table_cell(table, "%u", candidate->code_bytes);
        else
            altpick_table_cell(table, "-");
        if (candidate->code_bytes)
            altpick_table_cell(
                table, "%s", altpick_figure_code(candidate->code, candidate->code_bytes, 44).text);
        else
            altpick_table_cell(table, "made from the first costs");
    }
}

static int list_candidates(struct altpick_command_io *io, const char *name)
{
    const struct altpick_question *question = name ? altpick_question_find(name) : NULL;
    struct altpick_candidate *candidates;
    struct altpick_table table;

    if (name && !question) {
        struct altpick_suggestion suggestion = {.typed = name};

        for (size_t i = 0; i < altpick_question_count; i++)
            altpick_suggest(&suggestion, altpick_questions[i]->name);
        return altpick_fail(&io->diag, ALTPICK_EUSAGE,
                            "list candidates: there is no question '%s'%s%s%s", name,
                            suggestion.best ? "; did you mean '" : "",
                            suggestion.best ? suggestion.best : "", suggestion.best ? "'?" : "");
    }
    candidates = calloc(ALTPICK_CANDIDATES_MAX, sizeof *candidates);
    if (!candidates)
        return altpick_fail(&io->diag, ALTPICK_ENOMEM, "out of memory");

    altpick_table_init(&table, "llrl", 0);
    altpick_table_cell(&table, "QUESTION");
    altpick_table_cell(&table, "CANDIDATE");
    altpick_table_cell(&table, "BYTES");
    altpick_table_cell(&table, "CODE");
    for (size_t i = 0; i < altpick_question_count; i++) {
        if (!question || question == altpick_questions[i])
            list_candidates_of(&table, altpick_questions[i], candidates);
    }
    free(candidates);
    altpick_table_print(&table, &io->out);
    return ALTPICK_OK;
}

static int list_formats(struct altpick_command_io *io, const char *unused)
{
    struct altpick_table table;

    (void) unused;
    altpick_table_init(&table, "lll", 0);
    altpick_table_cell(&table, "FORMAT");
    altpick_table_cell(&table, "FLAVOURS");
    altpick_table_cell(&table, "WHAT");
    for (size_t i = 0; i < altpick_generator_count; i++) {
        const struct altpick_generator *generator = altpick_generators[i];
        char flavours[128] = "";

        for (size_t k = 0; generator->flavours && generator->flavours[k]; k++) {
            strncat(flavours, k ? ", " : "", sizeof flavours - 1 - strlen(flavours));
            strncat(flavours, generator->flavours[k], sizeof flavours - 1 - strlen(flavours));
        }
        altpick_table_cell(&table, "%s", generator->name);
        altpick_table_cell(&table, "%s", flavours[0] ? flavours : "-");
        altpick_table_cell(&table, "%s", generator->title);
    }
    altpick_table_print(&table, &io->out);
    return ALTPICK_OK;
}

/* For which kinds of code the default output has @item. */
static const char *kinds_of(const struct altpick_output *output, const char *item)
{
    struct altpick_item_code code;
    uint32_t bytes = altpick_item_code_shortest(item);
    bool has_64 = altpick_item_code(output, item, 64, bytes, &code) == ALTPICK_ITEM_FOUND;
    bool has_32 = altpick_item_code(output, item, 32, bytes, &code) == ALTPICK_ITEM_FOUND;

    return has_64 && has_32 ? "64, 32" : has_64 ? "64" : "32";
}

/* The items that a site or a line of --sites may name. */
static int list_items(struct altpick_command_io *io, const char *unused)
{
    struct altpick_output *output = calloc(1, sizeof *output);
    struct altpick_table table;
    const char *name;

    (void) unused;
    if (!output)
        return altpick_fail(&io->diag, ALTPICK_ENOMEM, "list items: out of memory");
    altpick_output_default(0, output);
    altpick_table_init(&table, "lll", 0);
    altpick_table_cell(&table, "ITEM");
    altpick_table_cell(&table, "BITS");
    altpick_table_cell(&table, "WHAT");
    for (size_t i = 0; (name = altpick_item_code_name(i)) != NULL; i++) {
        struct altpick_item_code code;
        enum altpick_item_answer answer = altpick_item_code(
            output, name, *kinds_of(output, name) == '6' ? 64 : 32, ALTPICK_ITEM_PLACE_MAX, &code);

        altpick_table_cell(&table, "%s", name);
        altpick_table_cell(&table, "%s", kinds_of(output, name));
        if (answer == ALTPICK_ITEM_FOUND && code.body)
            altpick_table_cell(&table, "%u bytes by default", code.bytes);
        else
            altpick_table_cell(&table, "%s",
                               answer == ALTPICK_ITEM_FOUND ? "fills a gap" : "one NOP");
    }
    altpick_table_print(&table, &io->out);
    free(output);
    return ALTPICK_OK;
}

/* Whether @name finds the machine at @index and no other. */
static bool is_found_by(const char *name, size_t index)
{
    struct altpick_diag unused = {{0}};
    size_t found;

    return altpick_known_find(name, &found, &unused) == ALTPICK_OK && found == index;
}

static void signature_cell(struct altpick_table *table, const struct altpick_known *known,
                           const struct altpick_cpu *cpu)
{
    if (known->full_signature)
        altpick_table_cell(table, "%08x", cpu->signature);
    else if (cpu->family)
        altpick_table_cell(table, "family %02xh", cpu->family);
    else
        altpick_table_cell(table, "-");
}

/* Every name that is printed is one that finds its machine. */
static int list_machines(struct altpick_command_io *io, const char *unused)
{
    static const char *const heads[] = {"NAME", "VENDOR", "SIGNATURE", "DUMPS", "FIGURES", "BRAND"};
    struct altpick_table table;

    (void) unused;
    altpick_table_init(&table, "lllrrl", 0);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        altpick_table_cell(&table, "%s", heads[i]);
    for (size_t i = 0; i < altpick_known_count(); i++) {
        struct altpick_known known;
        struct altpick_machine machine;

        altpick_known_identify(i, &known, &machine);
        altpick_table_cell(&table, "%s", is_found_by(known.name, i) ? known.name : machine.name);
        altpick_table_cell(&table, "%s", machine.cpu.vendor[0] ? machine.cpu.vendor : "-");
        signature_cell(&table, &known, &machine.cpu);
        altpick_table_cell(&table, "%u", known.sources);
        altpick_table_cell(&table, "%u", known.figures);
        altpick_table_cell(&table, "%s", machine.cpu.brand[0] ? machine.cpu.brand : "-");
    }
    altpick_table_print(&table, &io->out);
    return ALTPICK_OK;
}

/* The format that writes tables of @layout, or "-". */
static const char *written_by(const char *layout)
{
    for (size_t i = 0; i < altpick_generator_count; i++) {
        const struct altpick_site_layout *written = altpick_generators[i]->layouts;

        for (; written && written->name; written++) {
            if (strcmp(written->name, layout) == 0)
                return altpick_generators[i]->name;
        }
    }
    return "-";
}

static int list_layouts(struct altpick_command_io *io, const char *unused)
{
    static const char *const heads[] = {"NAME", "BYTES", "SECTION", "EMIT", "OF"};
    struct altpick_table table;

    (void) unused;
    altpick_table_init(&table, "lrlll", 0);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        altpick_table_cell(&table, "%s", heads[i]);
    for (size_t i = 0; i < altpick_layout_count; i++) {
        altpick_table_cell(&table, "%s", altpick_layouts[i]->name);
        altpick_table_cell(&table, "%u", altpick_layouts[i]->record_bytes);
        altpick_table_cell(&table, "%s", altpick_layouts[i]->section);
        altpick_table_cell(&table, "%s", written_by(altpick_layouts[i]->name));
        altpick_table_cell(&table, "%s", altpick_layouts[i]->era);
    }
    altpick_table_print(&table, &io->out);
    return ALTPICK_OK;
}

static const struct list {
    const char *name;
    size_t max_operands;
    int (*run)(struct altpick_command_io *io, const char *name);
} lists[] = {
    {"questions",  1, list_questions },
    {"candidates", 2, list_candidates},
    {"formats",    1, list_formats   },
    {"layouts",    1, list_layouts   },
    {"items",      1, list_items     },
    {"machines",   1, list_machines  },
};

static int list(struct altpick_command_io *io, const struct altpick_options *options)
{
    struct altpick_suggestion suggestion = {.typed = options->operands[0]};

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (strcmp(options->operands[0], lists[i].name) == 0) {
            if (options->n_operands > lists[i].max_operands)
                return altpick_fail(&io->diag, ALTPICK_EUSAGE, "list %s: '%s' is one too many",
                                    lists[i].name, options->operands[lists[i].max_operands]);
            return lists[i].run(io, options->n_operands > 1 ? options->operands[1] : NULL);
        }
        altpick_suggest(&suggestion, lists[i].name);
    }
    if (suggestion.best)
        return altpick_fail(&io->diag, ALTPICK_EUSAGE,
                            "list: there are no '%s'; did you mean '%s'?", options->operands[0],
                            suggestion.best);
    return altpick_fail(&io->diag, ALTPICK_EUSAGE,
                        "list: there are no '%s'; there are questions, candidates, formats, "
                        "layouts, items and machines",
                        options->operands[0]);
}

const struct altpick_command altpick_command_list = {
    .name = "list",
    .operands = "questions|candidates|formats|layouts|items|machines [QUESTION]",
    .title = "list what this version can ask, choose from and write",
    .min_operands = 1,
    .max_operands = 2,
    .run = list,
};
