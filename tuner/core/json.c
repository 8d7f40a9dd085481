/* SPDX-License-Identifier: MIT */
/* Turns a sequence of values into a JSON document in one canonical form. */
#include "altpick/json.h"

#include "altpick/err.h"
#include "bytes.h"

void altpick_json_init(struct altpick_json *json, struct altpick_out *out)
{
    altpick_zero(json, sizeof *json);
    json->out = out;
}

/*
 * Bytes of the well-formed UTF-8 sequence at @s (Unicode, table 3-7: no overlong forms, no
 * surrogates, nothing above U+10FFFF); 0 where there is none.  Never looks past a NUL.
 */
static size_t sequence_bytes(const uint8_t *s)
{
    uint8_t low = 0x80, high = 0xbf;
    size_t n;

    if (s[0] < 0x80)
        return 1;
    if (s[0] >= 0xc2 && s[0] <= 0xdf) {
        n = 2;
    } else if (s[0] >= 0xe0 && s[0] <= 0xef) {
        n = 3;
        low = s[0] == 0xe0 ? 0xa0 : low;
        high = s[0] == 0xed ? 0x9f : high;
    } else if (s[0] >= 0xf0 && s[0] <= 0xf4) {
        n = 4;
        low = s[0] == 0xf0 ? 0x90 : low;
        high = s[0] == 0xf4 ? 0x8f : high;
    } else {
        return 0;
    }
    if (s[1] < low || s[1] > high)
        return 0;
    for (size_t i = 2; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    }
    return n;
}

/* U+FFFD is always written escaped, so that a text keeps its bytes when it is read and rewritten.
 */
static bool is_replacement(const uint8_t *s)
{
    return s[0] == 0xef && s[1] == 0xbf && s[2] == 0xbd;
}

static void quoted(struct altpick_out *out, const char *text)
{
    const uint8_t *s = (const uint8_t *) text;

    altpick_out_bytes(out, "\"", 1);
    while (*s) {
        size_t n = sequence_bytes(s);

        if (*s == '"' || *s == '\\') {
            altpick_out_bytes(out, "\\", 1);
            altpick_out_bytes(out, (const char *) s, 1);
        } else if (*s < 0x20 || *s == 0x7f) {
            altpick_out_text(out, "\\u");
            altpick_out_hex(out, *s, 4);
        } else if (n == 0 || (n == 3 && is_replacement(s))) {
            altpick_out_text(out, "\\ufffd");
        } else {
            altpick_out_bytes(out, (const char *) s, n);
        }
        s += n ? n : 1;
    }
    altpick_out_bytes(out, "\"", 1);
}

static void new_line(struct altpick_json *json)
{
    altpick_out_bytes(json->out, "\n", 1);
    for (unsigned i = 0; i < json->depth; i++)
        altpick_out_text(json->out, "  ");
}

/* What comes before a value: comma, new line, key. */
static void member(struct altpick_json *json, const char *key)
{
    if (json->depth > 0) {
        if (json->has_member[json->depth - 1])
            altpick_out_bytes(json->out, ",", 1);
        json->has_member[json->depth - 1] = true;
        new_line(json);
    }
    if (key) {
        quoted(json->out, key);
        altpick_out_text(json->out, ": ");
    }
}

static void nest(struct altpick_json *json, const char *key, bool array)
{
    member(json, key);
    if (json->depth == ALTPICK_JSON_DEPTH_MAX) {
        json->out->err = json->out->err ? json->out->err : ALTPICK_ENOSPACE;
        return;
    }
    json->in_array[json->depth] = array;
    json->has_member[json->depth] = false;
    json->depth++;
    altpick_out_text(json->out, array ? "[" : "{");
}

void altpick_json_object(struct altpick_json *json, const char *key)
{
    nest(json, key, false);
}

void altpick_json_array(struct altpick_json *json, const char *key)
{
    nest(json, key, true);
}

void altpick_json_end(struct altpick_json *json)
{
    if (json->depth == 0) /* only after nesting failed: the error is already kept */
        return;
    json->depth--;
    if (json->has_member[json->depth])
        new_line(json);
    altpick_out_text(json->out, json->in_array[json->depth] ? "]" : "}");
}

void altpick_json_text(struct altpick_json *json, const char *key, const char *text)
{
    member(json, key);
    quoted(json->out, text);
}

void altpick_json_i64(struct altpick_json *json, const char *key, int64_t value)
{
    member(json, key);
    if (value < 0)
        altpick_out_bytes(json->out, "-", 1);
    altpick_out_u64(json->out, value < 0 ? 0 - (uint64_t) value : (uint64_t) value);
}

void altpick_json_u64(struct altpick_json *json, const char *key, uint64_t value)
{
    member(json, key);
    altpick_out_u64(json->out, value);
}

void altpick_json_bool(struct altpick_json *json, const char *key, bool value)
{
    member(json, key);
    altpick_out_text(json->out, value ? "true" : "false");
}

void altpick_json_hex(struct altpick_json *json, const char *key, uint64_t value)
{
    member(json, key);
    altpick_out_text(json->out, "\"0x");
    altpick_out_hex(json->out, value, 1);
    altpick_out_bytes(json->out, "\"", 1);
}

void altpick_json_code(struct altpick_json *json, const char *key, const uint8_t *code,
                       size_t bytes)
{
    member(json, key);
    altpick_out_bytes(json->out, "\"", 1);
    for (size_t i = 0; i < bytes; i++)
        altpick_out_hex(json->out, code[i], 2);
    altpick_out_bytes(json->out, "\"", 1);
}

void altpick_json_micro(struct altpick_json *json, const char *key, uint64_t micro)
{
    member(json, key);
    altpick_out_micro(json->out, micro);
}

int altpick_json_finish(struct altpick_json *json)
{
    altpick_out_bytes(json->out, "\n", 1);
    return json->out->err;
}
