/* SPDX-License-Identifier: MIT */
/* Machine code put together from pieces, for candidates that share them, and tables of code. */
#ifndef ALTPICK_PROBES_CODE_BYTES_H
#define ALTPICK_PROBES_CODE_BYTES_H

#include "altpick/question.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FEATURE(id)   (UINT64_C(1) << ALTPICK_CPU_##id)
#define GUARANTEE(id) (UINT64_C(1) << ALTPICK_GUARANTEE_##id)

/* A built-in candidate in as few bytes as it needs, members as of struct altpick_candidate. */
struct altpick_code {
    const char *name;
    const uint8_t *code;
    uint64_t guarantees;
    uint32_t needs;
    uint8_t code_bytes;
    uint8_t data; /* enum altpick_data */
    uint8_t traps;
    bool branches : 1, ring0 : 1, compacted : 1;
};

_Static_assert(ALTPICK_N_CPU_FEATURES <= 32, "needs of struct altpick_code");

/* Its machine code: {.name = "both", BYTES(0xdb, 0xe3, 0x0f, 0xae, 0x17)}. */
#define BYTES(...)                                                                                 \
    .code = (const uint8_t[]){__VA_ARGS__}, .code_bytes = sizeof((const uint8_t[]){__VA_ARGS__})

/* Write all of @table's @n candidates; returns @n. */
size_t altpick_code_copy(const struct altpick_code *table, size_t n,
                         struct altpick_candidate ret[ALTPICK_CANDIDATES_MAX]);

/* Write candidate @index of @table's @n; false beyond the last. */
bool altpick_code_copy_one(const struct altpick_code *table, size_t n, size_t index,
                           struct altpick_candidate *ret);

/* Whether @candidate has the bytes of @code. */
bool altpick_code_is(const struct altpick_code *code, const struct altpick_candidate *candidate);

/* Append @n bytes to @candidate's code; they must fit. */
void altpick_code_append(struct altpick_candidate *candidate, const uint8_t *bytes, size_t n);

/* The same for bytes that are listed: CODE(candidate, 0xdb, 0xe3). */
#define CODE(candidate, ...)                                                                       \
    altpick_code_append(candidate, (const uint8_t[]){__VA_ARGS__},                                 \
                        sizeof((const uint8_t[]){__VA_ARGS__}))

/* Start a candidate called @name, zeroed. */
void altpick_code_begin(struct altpick_candidate *candidate, const char *name);

#endif
