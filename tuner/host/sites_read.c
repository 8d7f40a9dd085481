/* SPDX-License-Identifier: MIT */
/* Turns a file into the lines of a list of sites. */
#include "sites.h"

#include "diag.h"
#include "file.h"

#include <stdlib.h>
#include <string.h>

enum { FILE_BYTES_MAX = 4 << 20, LINE_BYTES_MAX = 1000, DELETE = 0x7f };

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* What is wrong with the bytes of a line, or NULL. */
static const char *check_bytes(const char *text, size_t bytes)
{
    if (bytes > LINE_BYTES_MAX)
        return "longer than 1000 bytes";
    for (size_t i = 0; i < bytes; i++) {
        unsigned char c = (unsigned char) text[i];

        if (c == '\0')
            return "a NUL byte: this is no text";
        if (c == '\r')
            return "a carriage return: lines end in a line feed alone";
        if ((c < ' ' && c != '\t') || c == DELETE)
            return "a control character";
    }
    return NULL;
}

/* Cut @text, which is a line without its comment, into fields; false where there are too many. */
static bool split(char *text, struct altpick_site_fields *ret)
{
    static char empty[] = "";

    for (size_t i = 0; i < ALTPICK_SITE_FIELDS_MAX; i++)
        ret->text[i] = empty;
    ret->n = 0;
    for (;;) {
        while (is_blank(*text))
            text++;
        if (!*text)
            return true;
        if (ret->n == ALTPICK_SITE_FIELDS_MAX)
            return false;
        ret->text[ret->n++] = text;
        while (*text && !is_blank(*text))
            text++;
        if (*text)
            *text++ = '\0';
    }
}

/* A line of @bytes, which is NUL-terminated in its place; it may hold no site. */
static int take_line(struct altpick_site_list *list, char *text, size_t bytes, size_t number,
                     struct altpick_diag *diag)
{
    const char *wrong = check_bytes(text, bytes);
    struct altpick_site_line *line = &list->lines[list->n_lines];
    struct altpick_site_fields fields;
    int r;

    if (wrong)
        return altpick_site_fail(list, number, diag, "%s", wrong);
    text[strcspn(text, "#")] = '\0';
    if (!split(text, &fields))
        return altpick_site_fail(list, number, diag, "more than %d fields",
                                 ALTPICK_SITE_FIELDS_MAX);
    if (fields.n == 0)
        return ALTPICK_OK;
    *line = (struct altpick_site_line){.line = number};
    r = altpick_site_take_fields(list, &fields, line, diag);
    if (r == ALTPICK_OK)
        list->n_lines++;
    return r;
}

static int take_lines(struct altpick_site_list *list, size_t bytes, struct altpick_diag *diag)
{
    char *text = list->text, *end = text + bytes;
    size_t number = 0;

    while (text < end) {
        char *next = memchr(text, '\n', (size_t) (end - text));
        size_t length = (size_t) ((next ? next : end) - text);
        int r;

        text[length] = '\0'; /* the whole text ends in a NUL, too */
        r = take_line(list, text, length, ++number, diag);
        if (r < 0)
            return r;
        text += length + 1;
    }
    return list->n_lines
               ? ALTPICK_OK
               : altpick_fail(diag, ALTPICK_EFORMAT, "%s: there is no site in it", list->path);
}

static size_t count_lines(const char *text, size_t bytes)
{
    size_t n = 1;

    for (size_t i = 0; i < bytes; i++)
        n += text[i] == '\n';
    return n;
}

int altpick_site_list_read(const char *path, const struct altpick_site_layout *layout,
                           struct altpick_site_list *ret_list, struct altpick_diag *diag)
{
    struct altpick_site_list list = {.path = strcmp(path, "-") == 0 ? "<stdin>" : path,
                                     .layout = layout};
    size_t bytes;
    int r;

    r = altpick_file_read(path, FILE_BYTES_MAX, &list.text, &bytes, diag);
    if (r < 0)
        return r;
    list.lines = calloc(count_lines(list.text, bytes), sizeof *list.lines);
    r = list.lines ? take_lines(&list, bytes, diag)
                   : altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", list.path);
    if (r == ALTPICK_OK)
        r = altpick_site_list_order(&list, diag);
    if (r < 0)
        altpick_site_list_fini(&list);
    else
        *ret_list = list;
    return r;
}

void altpick_site_list_fini(struct altpick_site_list *list)
{
    free(list->lines);
    free(list->text);
}
