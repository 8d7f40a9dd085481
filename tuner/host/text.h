/* SPDX-License-Identifier: MIT */
/* A text sink in growing memory, and printf onto any sink. */
#ifndef ALTPICK_HOST_TEXT_H
#define ALTPICK_HOST_TEXT_H

#include "altpick/out.h"

#include <stddef.h>

/* NUL-terminated; data is NULL until something is written.  Zeroed memory is an empty text. */
struct altpick_text {
    char *data;
    size_t bytes;
    size_t capacity;
};

/* Make *ret_out write into @text, which altpick_text_fini() frees. */
void altpick_text_init(struct altpick_text *text, struct altpick_out *ret_out);
void altpick_text_fini(struct altpick_text *text);

/* printf onto @out. */
__attribute__((format(printf, 2, 3))) void altpick_printf(struct altpick_out *out,
                                                          const char *format, ...);

#endif
