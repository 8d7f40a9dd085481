/* SPDX-License-Identifier: MIT */
/* Streaming JSON writer: one canonical form (two-space indent, fixed number formats) everywhere. */
#ifndef ALTPICK_JSON_H
#define ALTPICK_JSON_H

#include "altpick/out.h"

#include <stdbool.h>
#include <stdint.h>

enum { ALTPICK_JSON_DEPTH_MAX = 16 };

/* State of one document being written; caller's memory, initialised by altpick_json_init(). */
struct altpick_json {
    struct altpick_out *out;
    unsigned depth;
    bool in_array[ALTPICK_JSON_DEPTH_MAX];
    bool has_member[ALTPICK_JSON_DEPTH_MAX];
};

/* Start a document on @out, which the caller keeps alive until altpick_json_finish(). */
void altpick_json_init(struct altpick_json *json, struct altpick_out *out);

/*
 * Values.  @key names the member inside an object and is NULL inside an array and at the top.  Text
 * is UTF-8; quote, backslash and control characters are escaped.  Nesting beyond
 * ALTPICK_JSON_DEPTH_MAX sets out->err to ALTPICK_ENOSPACE.
 */
void altpick_json_object(struct altpick_json *json, const char *key);
void altpick_json_array(struct altpick_json *json, const char *key);
void altpick_json_end(struct altpick_json *json); /* closes the innermost object or array */
void altpick_json_text(struct altpick_json *json, const char *key, const char *text);
void altpick_json_u64(struct altpick_json *json, const char *key, uint64_t value);
void altpick_json_i64(struct altpick_json *json, const char *key, int64_t value);
void altpick_json_bool(struct altpick_json *json, const char *key, bool value);
/* A string "0x...", for registers and masks whose natural form is hexadecimal. */
void altpick_json_hex(struct altpick_json *json, const char *key, uint64_t value);
/* A string of two lower-case digits a byte, for machine code. */
void altpick_json_code(struct altpick_json *json, const char *key, const uint8_t *code,
                       size_t bytes);
/* A number with exactly six decimals, from millionths. */
void altpick_json_micro(struct altpick_json *json, const char *key, uint64_t micro);

/* Close the document with a newline.  Returns the sink's first error or 0. */
int altpick_json_finish(struct altpick_json *json);

#endif
