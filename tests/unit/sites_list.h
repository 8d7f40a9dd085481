/* SPDX-License-Identifier: MIT */
/* A list of sites from a text in a test. */
#ifndef ALTPICK_TESTS_SITES_LIST_H
#define ALTPICK_TESTS_SITES_LIST_H

#include "altpick/generator.h"
#include "sites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Layout @name of format elf. */
static inline const struct altpick_site_layout *layout_of(const char *name)
{
    const struct altpick_site_layout *layout = altpick_generator_find("elf")->layouts;

    while (strcmp(layout->name, name) != 0)
        layout++;
    return layout;
}

/* Read @bytes of @text as a list; messages call it "sites". */
static inline int read_bytes(const char *layout, const char *text, size_t bytes,
                             struct altpick_site_list *ret_list, struct altpick_diag *diag)
{
    char path[] = "/tmp/altpick-sites-XXXXXX", *in_message;
    int fd = mkstemp(path), r;
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

    if (!file || fwrite(text, 1, bytes, file) != bytes || fclose(file) != 0)
        abort();
    r = altpick_site_list_read(path, layout_of(layout), ret_list, diag);
    unlink(path);
    if (r == ALTPICK_OK)
        ret_list->path = "sites"; /* the file's name ends here */
    in_message = r < 0 ? strstr(diag->text, path) : NULL;
    if (in_message) {
        memmove(in_message + 5, in_message + strlen(path), strlen(in_message + strlen(path)) + 1);
        memcpy(in_message, "sites", 5);
    }
    return r;
}

static inline int read_text(const char *layout, const char *text,
                            struct altpick_site_list *ret_list, struct altpick_diag *diag)
{
    return read_bytes(layout, text, strlen(text), ret_list, diag);
}

#endif
