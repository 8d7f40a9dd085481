/* SPDX-License-Identifier: MIT */
/* Machine code put together from pieces, for candidates that share them. */
#ifndef ALTPICK_PROBES_CODE_BYTES_H
#define ALTPICK_PROBES_CODE_BYTES_H

#include "altpick/question.h"

#include <stddef.h>
#include <stdint.h>

#define FEATURE(id)   (UINT64_C(1) << ALTPICK_CPU_##id)
#define GUARANTEE(id) (UINT64_C(1) << ALTPICK_GUARANTEE_##id)

/* Append @n bytes to @candidate's code; they must fit. */
void altpick_code_append(struct altpick_candidate *candidate, const uint8_t *bytes, size_t n);

/* The same for bytes that are listed: CODE(candidate, 0xdb, 0xe3). */
#define CODE(candidate, ...)                                                                       \
    altpick_code_append(candidate, (const uint8_t[]){__VA_ARGS__},                                 \
                        sizeof((const uint8_t[]){__VA_ARGS__}))

/* Copy a table of @n candidates; returns @n. */
size_t altpick_code_copy(const struct altpick_candidate *table, size_t n,
                         struct altpick_candidate ret[ALTPICK_CANDIDATES_MAX]);

/* Start a candidate called @name, zeroed. */
void altpick_code_begin(struct altpick_candidate *candidate, const char *name);

#endif
