/* SPDX-License-Identifier: MIT */
/* The altpick program: finds the command, prints what it returns; nothing else prints. */
#include "command.h"
#include "elf/inflate.h"
#include "outputs.h"
#include "suggest.h"
#include "table.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum exit_status {
    EXIT_DONE = 0,
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_UNTRUSTED = 3, /* or undecided, where that was made an error */
    EXIT_NOFIT = 4,     /* or what was named is not there */
};

static const struct altpick_command *const commands[] = {
    &altpick_command_probe,   &altpick_command_show,   &altpick_command_why,
    &altpick_command_emit,    &altpick_command_tune,   &altpick_command_list,
    &altpick_command_known,   &altpick_command_claims, &altpick_command_doctor,
    &altpick_command_inspect, &altpick_command_patch,  &altpick_command_view,
};

enum { N_COMMANDS = sizeof commands / sizeof *commands };

static int exit_status(int r)
{
    switch (r) {
    case ALTPICK_OK:
        return EXIT_DONE;
    case ALTPICK_EUSAGE:
        return EXIT_USAGE;
    case ALTPICK_EUNTRUSTED:
    case ALTPICK_EUNDECIDED:
        return EXIT_UNTRUSTED;
    case ALTPICK_ENOFIT:
        return EXIT_NOFIT;
    default:
        return EXIT_FAILED;
    }
}

/* A line that is redrawn while a probe runs, and erased before anything else is written. */
struct progress {
    unsigned shown; /* percent and 1, 0: no line */
};

static void progress_show(void *ctx, const char *what, unsigned percent)
{
    struct progress *progress = ctx;

    if (progress->shown == percent + 1)
        return;
    progress->shown = percent + 1;
    fprintf(stderr, "\r\033[K%.60s %u %%", what, percent);
    fflush(stderr);
}

static void progress_erase(struct progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
    progress->shown = 0;
}

/* Standard output may be a full disk: say so instead of leaving half a file behind a success. */
static int print_text(const char *text, size_t bytes)
{
    bool written;

    if (bytes == 0)
        return 0;
    errno = 0;
    written = fwrite(text, 1, bytes, stdout) == bytes && fflush(stdout) == 0;
    if (written && fclose(stdout) == 0)
        return 0;
    fprintf(stderr, "altpick: standard output: %s\n", strerror(errno ? errno : EIO));
    return -1;
}

static void help_command(const struct altpick_command *command, struct altpick_out *out)
{
    altpick_printf(out, "usage: altpick %s [OPTION]...%s%s\n", command->name,
                   *command->operands ? " " : "", command->operands);
    altpick_printf(out, "%s\n\noptions\n", command->title);
    altpick_options_print(command->groups, out);
}

static void help_all(struct altpick_out *out)
{
    struct altpick_table table;

    altpick_printf(out, "usage: altpick COMMAND [OPTION]... [OPERAND]...\n"
                        "measure the alternatives of low-level x86 code, decide, and write the "
                        "choice for a build\n\ncommands\n");
    altpick_table_init(&table, "ll", 2);
    for (size_t i = 0; i < N_COMMANDS; i++) {
        altpick_table_cell(&table, "%s", commands[i]->name);
        altpick_table_cell(&table, "%s", commands[i]->title);
    }
    altpick_table_print(&table, out);
    altpick_printf(
        out, "\nExit status: 0 done, 1 failed, 2 wrong usage, 3 not trustworthy, or undecided "
             "with\n--strict, 4 the profile or the image does not fit, or has not what was "
             "asked for.\nOptions of a command: altpick COMMAND --help\n");
}

__attribute__((format(printf, 2, 3))) static int usage(const char *where, const char *format, ...)
{
    va_list args;

    fputs("altpick: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "\nsee altpick %s%s--help\n", where, *where ? " " : "");
    return EXIT_USAGE;
}

/* Run @command on its own arguments; what it says is left in @io. */
static int run(const struct altpick_command *command, int argc, char **argv,
               struct altpick_command_io *io)
{
    struct altpick_options options;
    struct altpick_diag diag;
    int r = altpick_options_parse(argc, argv, command->groups, &options, &diag);

    if (r < 0) {
        snprintf(io->diag.text, sizeof io->diag.text, "%s: %.900s", command->name, diag.text);
        return r;
    }
    if (options.help) {
        help_command(command, &io->out);
        return ALTPICK_OK;
    }
    if (options.n_operands < command->min_operands || options.n_operands > command->max_operands) {
        snprintf(io->diag.text, sizeof io->diag.text, "%s: %s; usage: altpick %s [OPTION]...%s%s",
                 command->name,
                 options.n_operands < command->min_operands ? "an operand is missing"
                                                            : "too many operands",
                 command->name, *command->operands ? " " : "", command->operands);
        return ALTPICK_EUSAGE;
    }
    r = altpick_outputs_check(&options, !command->operands_are_names, &diag);
    if (r < 0) {
        snprintf(io->diag.text, sizeof io->diag.text, "%s: %.900s", command->name, diag.text);
        return r;
    }
    return command->run(io, &options);
}

/* Warnings are about what was done; where nothing was, the reason stands alone. */
static void print_notes(const struct altpick_command *command, int r,
                        const struct altpick_command_io *io)
{
    int status = exit_status(r);

    if (io->notes.data && (status == EXIT_DONE || status == EXIT_UNTRUSTED || io->has_complaints))
        fputs(io->notes.data, stderr);
    if (r == ALTPICK_EUSAGE)
        usage(command->name, "%s", io->diag.text);
    else if (r < 0)
        fprintf(stderr, "altpick: %s\n", io->diag.text[0] ? io->diag.text : altpick_err_text(r));
}

static int run_and_print(const struct altpick_command *command, int argc, char **argv)
{
    struct altpick_command_io io;
    struct progress progress = {0};
    int r, status;

    altpick_command_io_init(&io);
    io.source_date_epoch = getenv("SOURCE_DATE_EPOCH");
    if (isatty(STDERR_FILENO)) {
        io.progress = progress_show;
        io.progress_ctx = &progress;
    }
    r = run(command, argc, argv, &io);
    progress_erase(&progress);

    if (r == ALTPICK_OK)
        r = io.out.err ? io.out.err : io.notes_out.err;
    status = exit_status(r);
    if (print_text(io.text.data, io.text.bytes) < 0)
        status = EXIT_FAILED;
    else
        print_notes(command, r, &io);
    altpick_command_io_fini(&io);
    return status;
}

static int run_global(const char *word)
{
    struct altpick_suggestion suggestion = {.typed = word + strspn(word, "-")};
    struct altpick_text text;
    struct altpick_out out;
    int r;

    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "--version") == 0) {
        altpick_text_init(&text, &out);
        if (strcmp(word, "--version") == 0)
            altpick_printf(&out, "altpick %s\npacked images: %s\n", ALTPICK_VERSION,
                           altpick_inflate_built_in());
        else
            help_all(&out);
        r = out.err ? -1 : print_text(text.data, text.bytes);
        altpick_text_fini(&text);
        return r < 0 ? EXIT_FAILED : EXIT_DONE;
    }
    if (word[0] == '-') {
        altpick_suggest(&suggestion, "help");
        altpick_suggest(&suggestion, "version");
        return usage("", "unknown option '%s'%s%s%s", word,
                     suggestion.best ? "; did you mean '--" : "",
                     suggestion.best ? suggestion.best : "", suggestion.best ? "'?" : "");
    }
    for (size_t i = 0; i < N_COMMANDS; i++)
        altpick_suggest(&suggestion, commands[i]->name);
    return usage("", "unknown command '%s'%s%s%s", word, suggestion.best ? "; did you mean '" : "",
                 suggestion.best ? suggestion.best : "", suggestion.best ? "'?" : "");
}

int main(int argc, char **argv)
{
    /* A limit on the size of files then fails a write(), which says more than the signal. */
    signal(SIGXFSZ, SIG_IGN);
    if (argc < 2)
        return usage("", "a command is needed");
    for (size_t i = 0; i < N_COMMANDS; i++) {
        if (strcmp(argv[1], commands[i]->name) == 0)
            return run_and_print(commands[i], argc - 1, argv + 1);
    }
    return run_global(argv[1]);
}
