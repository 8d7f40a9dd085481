/* SPDX-License-Identifier: MIT */
/* What commands share: where their text and warnings go. */
#include "command.h"

#include "diag.h"
#include "file.h"
#include "table.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void altpick_command_io_init(struct altpick_command_io *io)
{
    *io = (struct altpick_command_io){0};
    altpick_text_init(&io->text, &io->out);
    altpick_text_init(&io->notes, &io->notes_out);
}

void altpick_command_io_fini(struct altpick_command_io *io)
{
    altpick_text_fini(&io->text);
    altpick_text_fini(&io->notes);
}

void altpick_command_discard(struct altpick_command_io *io)
{
    altpick_text_fini(&io->text);
    altpick_text_init(&io->text, &io->out);
}

__attribute__((format(printf, 3, 0))) static void
add_note(struct altpick_command_io *io, const char *kind, const char *format, va_list args)
{
    struct altpick_diag line;
    char text[sizeof line.text];

    vsnprintf(text, sizeof text, format, args);
    altpick_fail(&line, 0, "%s", text);
    altpick_printf(&io->notes_out, "altpick: %s%s\n", kind, line.text);
}

void altpick_command_warn(struct altpick_command_io *io, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add_note(io, "warning: ", format, args);
    va_end(args);
}

void altpick_command_warn_long(struct altpick_command_io *io, const char *text)
{
    static const char start[] = "altpick: warning: ";
    char *plain = strdup(text);

    if (!plain) {
        io->notes_out.err = ALTPICK_ENOMEM;
        return;
    }
    altpick_plain(plain);
    altpick_out_text(&io->notes_out, start);
    altpick_wrapped(&io->notes_out, plain, strlen(start), 4);
    free(plain);
}

void altpick_command_complain(struct altpick_command_io *io, const char *format, ...)
{
    va_list args;

    io->has_complaints = true;
    va_start(args, format);
    add_note(io, "", format, args);
    va_end(args);
}

int altpick_command_check(struct altpick_command_io *io, const char *path)
{
    char folder[PATH_MAX] = ".";
    const char *slash = path ? strrchr(path, '/') : NULL;
    struct stat st;

    if (!path || strcmp(path, "-") == 0)
        return ALTPICK_OK;
    if (stat(path, &st) == 0) {
        if (S_ISDIR(st.st_mode))
            return altpick_fail(&io->diag, ALTPICK_EIO, "%s: %s", path, strerror(EISDIR));
        if (!S_ISREG(st.st_mode))
            return ALTPICK_OK;
    }
    if (slash)
        snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int) (slash - path), path);
    if (access(folder, W_OK | X_OK) != 0)
        return altpick_fail(&io->diag, ALTPICK_EIO, "%s: %s", path, strerror(errno));
    return ALTPICK_OK;
}

int altpick_command_output(struct altpick_command_io *io, const char *path,
                           const struct altpick_text *text)
{
    if (path && strcmp(path, "-") != 0)
        return altpick_file_write(path, text->data ? text->data : "", text->bytes, &io->diag);
    if (text->data && memchr(text->data, '\0', text->bytes) && isatty(STDOUT_FILENO))
        return altpick_fail(&io->diag, ALTPICK_EUSAGE,
                            "this is binary and not for a terminal; use -o FILE");
    altpick_out_bytes(&io->out, text->data ? text->data : "", text->bytes);
    return ALTPICK_OK;
}
