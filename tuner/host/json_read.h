/* SPDX-License-Identifier: MIT */
/* Typed access to JSON documents, with messages that say where. */
#ifndef ALTPICK_HOST_JSON_READ_H
#define ALTPICK_HOST_JSON_READ_H

#include "altpick/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ALTPICK_DOCUMENT_BYTES_MAX = 16 << 20 };

/*
 * A value and the way to it from the top.  Everything is borrowed: a value must not outlive the one
 * it was taken from, nor the document.
 */
struct altpick_value {
    json_t *json;                   /* NULL: the member is missing */
    const struct altpick_value *up; /* NULL: the top */
    const char *key;                /* of a member; NULL: an element */
    size_t index;
    const char *name; /* of the file, for messages */
    struct altpick_diag *diag;
};

/*
 * Parse @text and check its "format" and "version" members.  The caller owns *ret_json.
 * ALTPICK_EFORMAT and "name:line:column: reason" for syntax (duplicate keys, NUL bytes, bad UTF-8
 * and numbers out of range among it), ALTPICK_EVERSION for a version above @version.
 */
int altpick_document_parse(const char *name, const char *text, size_t bytes, const char *format,
                           unsigned version, struct altpick_diag *diag, json_t **ret_json);

struct altpick_value altpick_value_top(const char *name, json_t *json, struct altpick_diag *diag);
struct altpick_value altpick_value_of(const struct altpick_value *object, const char *key,
                                      json_t *json); /* while iterating */
struct altpick_value altpick_value_member(const struct altpick_value *object, const char *key);
struct altpick_value altpick_value_element(const struct altpick_value *array, size_t index);

/* "name: /json/pointer: reason" into the value's diag; returns @err. */
__attribute__((format(printf, 3, 4))) int altpick_value_fail(const struct altpick_value *value,
                                                             int err, const char *format, ...);

/* The value as something, or ALTPICK_EFORMAT and a message.  ret_x is untouched on failure. */
int altpick_value_object(const struct altpick_value *value);
int altpick_value_array(const struct altpick_value *value);
int altpick_value_bool(const struct altpick_value *value, bool *ret_bool);
int altpick_value_count(const struct altpick_value *value, uint64_t max, uint64_t *ret_count);
int altpick_value_hex(const struct altpick_value *value, uint64_t max, uint64_t *ret_hex);
/* A number of at least 0 in units of 1/@scale, rounded. */
int altpick_value_scaled(const struct altpick_value *value, uint64_t scale, uint64_t max,
                         uint64_t *ret_scaled);
/* Text without control characters that fits @capacity bytes with its NUL, into @ret_text. */
int altpick_value_text(const struct altpick_value *value, size_t capacity, char *ret_text);
/* Text that is a name: see altpick_name_fault(). */
int altpick_value_name(const struct altpick_value *value, size_t capacity, char *ret_name);
/* The enumerator whose name it is. */
int altpick_value_enum(const struct altpick_value *value, const char *(*name)(unsigned),
                       unsigned *ret_value);
/* Machine code: two hexadecimal digits a byte, at most @capacity bytes. */
int altpick_value_code(const struct altpick_value *value, size_t capacity, uint8_t *ret_code,
                       uint32_t *ret_bytes);

/* Refuse members of an object that are not among the NULL-terminated @keys. */
int altpick_value_only(const struct altpick_value *object, const char *const *keys);

/*
 * What is wrong with @name as the name of a machine, question, item or candidate; NULL when it is
 * fine: not empty, fits @capacity with its NUL, printable ASCII without quotes, slashes and
 * backslashes, so that it can stand in any output as it is.
 */
const char *altpick_name_fault(const char *name, size_t capacity);

/* The enumerator called @text, or -1. */
int altpick_enum_find(const char *(*name)(unsigned), const char *text);

#endif
