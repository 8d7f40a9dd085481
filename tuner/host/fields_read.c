/* SPDX-License-Identifier: MIT */
/* Turns flat JSON objects into structs, by the table that also writes them. */
#include "fields_read.h"

#include <string.h>

enum { KEYS_MAX = 32 };

/* The largest value that the member holds and the file format allows. */
static uint64_t max_of(const struct altpick_field *field)
{
    /* Cycles: below 10^9 of them, so that every figure is exact in a double. */
    static const uint64_t limits[] = {
        [ALTPICK_FIELD_RING] = 3,
        [ALTPICK_FIELD_BYTE] = UINT8_MAX,
        [ALTPICK_FIELD_HZ] = UINT64_C(1000000000000),
        [ALTPICK_FIELD_CYCLES] = UINT64_C(999999999999999),
    };

    if (field->limit)
        return limits[field->limit];
    return field->bytes == sizeof(uint64_t) ? UINT64_MAX : UINT32_MAX;
}

static void store(const struct altpick_field *field, uint64_t number, void *ret_member)
{
    uint32_t narrow = (uint32_t) number;

    if (field->bytes == sizeof number)
        memcpy(ret_member, &number, sizeof number);
    else
        memcpy(ret_member, &narrow, sizeof narrow);
}

static int read_bits(const struct altpick_value *value, const struct altpick_field *field,
                     uint32_t *ret_words)
{
    int r = altpick_value_array(value);

    for (size_t i = 0; r == 0 && i < json_array_size(value->json); i++) {
        struct altpick_value element = altpick_value_element(value, i);
        unsigned bit = 0;

        r = altpick_value_enum(&element, field->name, &bit);
        if (r < 0)
            return r;
        if (ret_words[bit / 32] >> bit % 32 & 1)
            return altpick_value_fail(&element, ALTPICK_EFORMAT, "named twice");
        ret_words[bit / 32] |= UINT32_C(1) << bit % 32;
    }
    return r;
}

static int read_texts(const struct altpick_value *value, const struct altpick_field *field,
                      char *ret_texts, size_t *ret_n)
{
    size_t n = json_array_size(value->json);
    int r = altpick_value_array(value);

    if (r == 0 && n > field->bytes / field->each)
        r = altpick_value_fail(value, ALTPICK_EFORMAT, "more than %zu texts",
                               (size_t) (field->bytes / field->each));
    for (size_t i = 0; r == 0 && i < n; i++) {
        struct altpick_value element = altpick_value_element(value, i);

        r = altpick_value_text(&element, field->each, ret_texts + i * field->each);
    }
    if (r == 0)
        *ret_n = n;
    return r;
}

static int read_one(const struct altpick_value *value, const struct altpick_field *field,
                    char *ret_struct)
{
    void *member = ret_struct + field->offset;
    uint64_t number = 0;
    unsigned enumerator = 0;
    int r = ALTPICK_OK;

    switch (field->kind) {
    case ALTPICK_FIELD_TEXT:
        if (field->optional && !value->json)
            return ALTPICK_OK;
        return altpick_value_text(value, field->bytes, member);
    case ALTPICK_FIELD_BITS:
        return read_bits(value, field, member);
    case ALTPICK_FIELD_TEXTS:
        return read_texts(value, field, member, (void *) (ret_struct + field->count_offset));
    case ALTPICK_FIELD_COUNT:
        if (field->optional && !value->json)
            return ALTPICK_OK;
        r = altpick_value_count(value, max_of(field), &number);
        break;
    case ALTPICK_FIELD_HEX:
        r = altpick_value_hex(value, max_of(field), &number);
        break;
    case ALTPICK_FIELD_MICRO:
        r = altpick_value_scaled(value, 1000000, max_of(field), &number);
        break;
    case ALTPICK_FIELD_NAME:
        r = altpick_value_enum(value, field->name, &enumerator);
        number = enumerator;
        break;
    }
    if (r == 0)
        store(field, number, member);
    return r;
}

int altpick_fields_read(const struct altpick_value *object, const struct altpick_fields *fields,
                        void *ret_struct)
{
    int r = altpick_value_object(object);

    for (size_t i = 0; r == 0 && i < fields->n; i++) {
        struct altpick_value member = altpick_value_member(object, fields->field[i].key);

        r = read_one(&member, &fields->field[i], ret_struct);
    }
    return r;
}

int altpick_fields_only(const struct altpick_value *object, const struct altpick_fields *fields,
                        const struct altpick_fields *more)
{
    const char *keys[KEYS_MAX] = {0};
    size_t n = 0;

    for (size_t i = 0; i < fields->n && n < KEYS_MAX - 1; i++)
        keys[n++] = fields->field[i].key;
    for (size_t i = 0; more && i < more->n && n < KEYS_MAX - 1; i++)
        keys[n++] = more->field[i].key;
    return altpick_value_only(object, keys);
}
