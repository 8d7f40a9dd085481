/* SPDX-License-Identifier: MIT */
/* What a command is given and gives back.  Commands do not print: main.c does. */
#ifndef ALTPICK_HOST_COMMAND_H
#define ALTPICK_HOST_COMMAND_H

#include "options.h"
#include "text.h"

#include "altpick/err.h"

#include <stdbool.h>
#include <stddef.h>

struct altpick_command_io {
    struct altpick_text text; /* for standard output, printed whatever the command returns */
    struct altpick_out out;
    struct altpick_text notes; /* lines for standard error */
    struct altpick_out notes_out;
    bool has_complaints;
    struct altpick_diag diag;      /* set on failure */
    const char *source_date_epoch; /* of the environment, or NULL */
    /* Shows progress; NULL where nobody watches. */
    void (*progress)(void *ctx, const char *what, unsigned percent);
    void *progress_ctx;
};

struct altpick_command {
    const char *name;
    const char *operands; /* as in the usage line */
    const char *title;    /* one line for people */
    unsigned groups;      /* of options it takes: enum altpick_option_group */
    size_t min_operands, max_operands;
    bool operands_are_names; /* else files, which no output may replace */

    /* Returns 0, or a negative altpick_err with io->diag filled: main.c gives the exit status. */
    int (*run)(struct altpick_command_io *io, const struct altpick_options *options);
};

extern const struct altpick_command altpick_command_probe;
extern const struct altpick_command altpick_command_show;
extern const struct altpick_command altpick_command_why;
extern const struct altpick_command altpick_command_emit;
extern const struct altpick_command altpick_command_tune;
extern const struct altpick_command altpick_command_list;
extern const struct altpick_command altpick_command_known;
extern const struct altpick_command altpick_command_claims;
extern const struct altpick_command altpick_command_doctor;
extern const struct altpick_command altpick_command_inspect;
extern const struct altpick_command altpick_command_patch;
extern const struct altpick_command altpick_command_view;

void altpick_command_io_init(struct altpick_command_io *io);
void altpick_command_io_fini(struct altpick_command_io *io);

/* Add "altpick: warning: ..." to the lines for standard error; control characters are replaced. */
__attribute__((format(printf, 2, 3))) void altpick_command_warn(struct altpick_command_io *io,
                                                                const char *format, ...);

/* The same of a text of any length, such as a list, wrapped at 100 columns. */
void altpick_command_warn_long(struct altpick_command_io *io, const char *text);

/* Add "altpick: ..." to these lines: a failure besides the one that the command returns, so that
 * all lines are printed with it. */
__attribute__((format(printf, 2, 3))) void altpick_command_complain(struct altpick_command_io *io,
                                                                    const char *format, ...);

/* Drop what is to go to standard output. */
void altpick_command_discard(struct altpick_command_io *io);

/*
 * Whether @path (NULL or "-": standard output) looks as if it could be written, asked before
 * minutes of measuring.  ALTPICK_EIO and a message when it does not.
 */
int altpick_command_check(struct altpick_command_io *io, const char *path);

/* Write @text to @path, or to standard output where @path is NULL or "-". */
int altpick_command_output(struct altpick_command_io *io, const char *path,
                           const struct altpick_text *text);

#endif
