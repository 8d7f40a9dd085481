/* SPDX-License-Identifier: MIT */
/* Turns JSON text into typed values, or into a message that says where it is wrong. */
#include "json_read.h"

#include "diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Jansson takes a NUL byte for the end of the text and would never look at what follows it. */
static int refuse_nul(const char *name, const char *text, size_t bytes, struct altpick_diag *diag)
{
    const char *nul = bytes ? memchr(text, '\0', bytes) : NULL;
    int line = 1, column = 1;

    if (!nul)
        return ALTPICK_OK;
    for (const char *p = text; p < nul; p++) {
        column = *p == '\n' ? 1 : column + 1;
        line += *p == '\n';
    }
    return altpick_fail(diag, ALTPICK_EFORMAT, "%s:%d:%d: NUL byte", name, line, column);
}

static int parse(const char *name, const char *text, size_t bytes, struct altpick_diag *diag,
                 json_t **ret_json)
{
    json_error_t error = {0};
    json_t *json;
    int r;

    if (bytes > ALTPICK_DOCUMENT_BYTES_MAX)
        return altpick_fail(diag, ALTPICK_EFORMAT, "%s: larger than %d bytes", name,
                            ALTPICK_DOCUMENT_BYTES_MAX);
    r = refuse_nul(name, text, bytes, diag);
    if (r < 0)
        return r;
    json = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &error);
    if (!json && json_error_code(&error) == json_error_out_of_memory)
        return altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", name);
    if (!json)
        return altpick_fail(diag, ALTPICK_EFORMAT, "%s:%d:%d: %s", name,
                            error.line > 0 ? error.line : 1, error.column > 0 ? error.column : 1,
                            error.text);
    *ret_json = json;
    return ALTPICK_OK;
}

static int check_head(const struct altpick_value *top, const char *format, unsigned version)
{
    struct altpick_value member;
    uint64_t written = 0;
    char found[32];
    int r = altpick_value_object(top);

    if (r < 0)
        return r;
    member = altpick_value_member(top, "format");
    r = altpick_value_text(&member, sizeof found, found);
    if (r == 0 && strcmp(found, format) != 0)
        r = altpick_value_fail(&member, ALTPICK_EFORMAT, "must be \"%s\"", format);
    if (r < 0)
        return r;

    member = altpick_value_member(top, "version");
    r = altpick_value_count(&member, INT64_MAX, &written);
    if (r == 0 && written == 0)
        r = altpick_value_fail(&member, ALTPICK_EFORMAT, "must be at least 1");
    if (r == 0 && written > version)
        r = altpick_value_fail(&member, ALTPICK_EVERSION,
                               "%ju is newer than this altpick, which reads up to %u",
                               (uintmax_t) written, version);
    return r;
}

int altpick_document_parse(const char *name, const char *text, size_t bytes, const char *format,
                           unsigned version, struct altpick_diag *diag, json_t **ret_json)
{
    struct altpick_value top;
    json_t *json = NULL;
    int r = parse(name, text, bytes, diag, &json);

    if (r < 0)
        return r;
    top = altpick_value_top(name, json, diag);
    r = check_head(&top, format, version);
    if (r < 0)
        json_decref(json);
    else
        *ret_json = json;
    return r;
}

struct altpick_value altpick_value_top(const char *name, json_t *json, struct altpick_diag *diag)
{
    return (struct altpick_value){.json = json, .name = name, .diag = diag};
}

struct altpick_value altpick_value_of(const struct altpick_value *object, const char *key,
                                      json_t *json)
{
    return (struct altpick_value){
        .json = json, .up = object, .key = key, .name = object->name, .diag = object->diag};
}

struct altpick_value altpick_value_member(const struct altpick_value *object, const char *key)
{
    return altpick_value_of(object, key, json_object_get(object->json, key));
}

struct altpick_value altpick_value_element(const struct altpick_value *array, size_t index)
{
    struct altpick_value value = altpick_value_of(array, NULL, json_array_get(array->json, index));

    value.index = index;
    return value;
}

/* Append the JSON pointer (RFC 6901) of @value.  Keys come from the file: long ones are cut. */
static void append_pointer(const struct altpick_value *value, char *text, size_t capacity)
{
    size_t n;

    if (!value->up)
        return;
    append_pointer(value->up, text, capacity);
    n = strlen(text);
    if (!value->key) {
        snprintf(text + n, capacity - n, "/%zu", value->index);
        return;
    }
    snprintf(text + n, capacity - n, "/");
    for (const char *p = value->key; *p && p < value->key + 64; p++) {
        n = strlen(text);
        snprintf(text + n, capacity - n, *p == '~' ? "~0" : *p == '/' ? "~1" : "%c", *p);
    }
}

int altpick_value_fail(const struct altpick_value *value, int err, const char *format, ...)
{
    char pointer[512] = "", reason[256];
    va_list args;

    append_pointer(value, pointer, sizeof pointer);
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return altpick_fail(value->diag, err, "%s: %s: %s", value->name, *pointer ? pointer : "/",
                        reason);
}

static int expect(const struct altpick_value *value, bool is_type, const char *type)
{
    if (!value->json)
        return altpick_value_fail(value, ALTPICK_EFORMAT, "missing");
    if (!is_type)
        return altpick_value_fail(value, ALTPICK_EFORMAT, "must be %s", type);
    return ALTPICK_OK;
}

int altpick_value_object(const struct altpick_value *value)
{
    return expect(value, json_is_object(value->json), "an object");
}

int altpick_value_array(const struct altpick_value *value)
{
    return expect(value, json_is_array(value->json), "an array");
}

static int string(const struct altpick_value *value, const char **ret_text)
{
    int r = expect(value, json_is_string(value->json), "a string");

    if (r == 0)
        *ret_text = json_string_value(value->json);
    return r;
}

int altpick_value_bool(const struct altpick_value *value, bool *ret_bool)
{
    int r = expect(value, json_is_boolean(value->json), "true or false");

    if (r == 0)
        *ret_bool = json_is_true(value->json);
    return r;
}

int altpick_value_count(const struct altpick_value *value, uint64_t max, uint64_t *ret_count)
{
    json_int_t count;
    int r = expect(value, json_is_integer(value->json), "a whole number");

    if (r < 0)
        return r;
    count = json_integer_value(value->json);
    if (count < 0 || (uint64_t) count > max)
        return altpick_value_fail(value, ALTPICK_EFORMAT, "must be 0..%ju", (uintmax_t) max);
    *ret_count = (uint64_t) count;
    return ALTPICK_OK;
}

int altpick_value_scaled(const struct altpick_value *value, uint64_t scale, uint64_t max,
                         uint64_t *ret_scaled)
{
    double scaled;
    int r = expect(value, json_is_number(value->json), "a number");

    if (r < 0)
        return r;
    scaled = json_number_value(value->json) * (double) scale + 0.5;
    if (!(scaled >= 0.5 && scaled < (double) max + 1))
        return altpick_value_fail(value, ALTPICK_EFORMAT, "must be 0..%ju",
                                  (uintmax_t) (max / scale));
    *ret_scaled = (uint64_t) scaled;
    return ALTPICK_OK;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return -1;
}

int altpick_value_hex(const struct altpick_value *value, uint64_t max, uint64_t *ret_hex)
{
    const char *text = NULL;
    uint64_t hex = 0;
    size_t n;
    int r = string(value, &text);

    if (r < 0)
        return r;
    n = strlen(text);
    if (n < 3 || n > 18 || strncmp(text, "0x", 2) != 0 ||
        strspn(text + 2, "0123456789abcdef") != n - 2)
        return altpick_value_fail(value, ALTPICK_EFORMAT, "must be 0x and hexadecimal digits");
    for (const char *p = text + 2; *p; p++)
        hex = hex << 4 | (uint64_t) hex_digit(*p);
    if (hex > max)
        return altpick_value_fail(value, ALTPICK_EFORMAT, "must be at most 0x%jx", (uintmax_t) max);
    *ret_hex = hex;
    return ALTPICK_OK;
}

int altpick_value_code(const struct altpick_value *value, size_t capacity, uint8_t *ret_code,
                       uint32_t *ret_bytes)
{
    const char *text = NULL;
    size_t n;
    int r = string(value, &text);

    if (r < 0)
        return r;
    n = strlen(text);
    if (n % 2 || strspn(text, "0123456789abcdef") != n)
        return altpick_value_fail(value, ALTPICK_EFORMAT, "must be two hexadecimal digits a byte");
    if (n / 2 > capacity)
        return altpick_value_fail(value, ALTPICK_EFORMAT, "longer than %zu bytes", capacity);
    for (size_t i = 0; i < n; i += 2)
        ret_code[i / 2] = (uint8_t) (hex_digit(text[i]) << 4 | hex_digit(text[i + 1]));
    *ret_bytes = (uint32_t) (n / 2);
    return ALTPICK_OK;
}

/* C0, DEL, and C1, which is C2 80..9F in UTF-8: a terminal obeys all of them. */
static bool has_control(const char *text)
{
    for (const unsigned char *p = (const unsigned char *) text; *p; p++) {
        if (*p < 0x20 || *p == 0x7f || (*p == 0xc2 && p[1] < 0xa0))
            return true;
    }
    return false;
}

int altpick_value_text(const struct altpick_value *value, size_t capacity, char *ret_text)
{
    const char *text = NULL;
    int r = string(value, &text);

    if (r < 0)
        return r;
    if (has_control(text))
        return altpick_value_fail(value, ALTPICK_EFORMAT, "has control characters");
    if (strlen(text) >= capacity)
        return altpick_value_fail(value, ALTPICK_EFORMAT, "longer than %zu bytes", capacity - 1);
    memcpy(ret_text, text, strlen(text) + 1);
    return ALTPICK_OK;
}

int altpick_value_name(const struct altpick_value *value, size_t capacity, char *ret_name)
{
    const char *text = NULL, *fault;
    int r = string(value, &text);

    if (r < 0)
        return r;
    fault = altpick_name_fault(text, capacity);
    if (fault)
        return altpick_value_fail(value, ALTPICK_EFORMAT, "%s", fault);
    memcpy(ret_name, text, strlen(text) + 1);
    return ALTPICK_OK;
}

int altpick_value_enum(const struct altpick_value *value, const char *(*name)(unsigned),
                       unsigned *ret_value)
{
    const char *text = NULL;
    int r = string(value, &text), found;

    if (r < 0)
        return r;
    found = altpick_enum_find(name, text);
    if (found < 0)
        return altpick_value_fail(value, ALTPICK_EFORMAT, "unknown: \"%.64s\"", text);
    *ret_value = (unsigned) found;
    return ALTPICK_OK;
}

int altpick_value_only(const struct altpick_value *object, const char *const *keys)
{
    const char *key;
    json_t *json;

    json_object_foreach (object->json, key, json) {
        struct altpick_value member = altpick_value_of(object, key, json);
        size_t i = 0;

        while (keys[i] && strcmp(keys[i], key) != 0)
            i++;
        if (!keys[i])
            return altpick_value_fail(&member, ALTPICK_EFORMAT, "unknown member");
    }
    return ALTPICK_OK;
}

const char *altpick_name_fault(const char *name, size_t capacity)
{
    if (!*name)
        return "empty name";
    if (strlen(name) >= capacity)
        return "name too long";
    for (const char *p = name; *p; p++) {
        if (*p < 0x20 || *p > 0x7e || strchr("\"'\\/", *p))
            return "a name is printable ASCII without quotes and slashes";
    }
    return NULL;
}

int altpick_enum_find(const char *(*name)(unsigned), const char *text)
{
    for (unsigned i = 0; name(i); i++) {
        if (strcmp(name(i), text) == 0)
            return (int) i;
    }
    return -1;
}
