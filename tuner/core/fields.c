/* SPDX-License-Identifier: MIT */
/* The table of the profile's flat objects, and what turns a struct into JSON by it. */
#include "fields.h"

#define MEMBER(type, member)                                                                       \
    .offset = offsetof(struct type, member), .bytes = sizeof((struct type *) 0)->member

/* clang-format off */

/* A member a line.  The order is the order in the file. */
#define CPU(member) MEMBER(altpick_cpu, member)
static const struct altpick_field cpu[] = {
    {"vendor",     ALTPICK_FIELD_TEXT,  CPU(vendor)},
    {"family",     ALTPICK_FIELD_COUNT, CPU(family)},
    {"model",      ALTPICK_FIELD_COUNT, CPU(model)},
    {"stepping",   ALTPICK_FIELD_COUNT, CPU(stepping)},
    {"signature",  ALTPICK_FIELD_HEX,   CPU(signature)},
    {"brand",      ALTPICK_FIELD_TEXT,  CPU(brand)},
    {"core_type",  ALTPICK_FIELD_HEX,   CPU(core_type), .limit = ALTPICK_FIELD_BYTE},
    {"microcode",  ALTPICK_FIELD_HEX,   CPU(microcode)},
    {"hypervisor", ALTPICK_FIELD_TEXT,  CPU(hypervisor)},
    {"features",   ALTPICK_FIELD_BITS,  CPU(features), .name = altpick_cpu_feature_name},
    {"xcr0",       ALTPICK_FIELD_HEX,   CPU(xcr0)},
    {"l1i_bytes",  ALTPICK_FIELD_COUNT, CPU(l1i_bytes)},
    {"l1d_bytes",  ALTPICK_FIELD_COUNT, CPU(l1d_bytes)},
    {"l2_bytes",   ALTPICK_FIELD_COUNT, CPU(l2_bytes)},
    {"line_bytes", ALTPICK_FIELD_COUNT, CPU(line_bytes)},
};

#define MACHINE(member) MEMBER(altpick_machine, member)
static const struct altpick_field measured[] = {
    {"ring",             ALTPICK_FIELD_COUNT, MACHINE(ring), .limit = ALTPICK_FIELD_RING},
    {"trust",            ALTPICK_FIELD_NAME,  MACHINE(trust), .name = altpick_trust_name},
    {"tsc_hz",           ALTPICK_FIELD_COUNT, MACHINE(tsc_hz), .limit = ALTPICK_FIELD_HZ},
    {"quantum_ticks",    ALTPICK_FIELD_COUNT, MACHINE(quantum_ticks)},
    {"altpick",          ALTPICK_FIELD_TEXT,  MACHINE(altpick_version)},
    {"selftest_shuffle", ALTPICK_FIELD_COUNT, MACHINE(selftest_shuffle)},
    {"warnings",         ALTPICK_FIELD_TEXTS, MACHINE(warnings), .each = ALTPICK_REASON_MAX,
     .count_offset = offsetof(struct altpick_machine, n_warnings)},
};

#define CONDITION(member) MEMBER(altpick_condition_facts, member)
static const struct altpick_field condition[] = {
    {"status",      ALTPICK_FIELD_NAME,  CONDITION(status), .name = altpick_status_name},
    {"block_bytes", ALTPICK_FIELD_COUNT, CONDITION(block_bytes)},
    {"reason",      ALTPICK_FIELD_TEXT,  CONDITION(reason), .optional = true},
};

#define MEASUREMENT(member) MEMBER(altpick_measurement, member)
static const struct altpick_field reason[] = {
    {"reason", ALTPICK_FIELD_TEXT, MEASUREMENT(reason), .optional = true},
};

static const struct altpick_field counted[] = {
    {"instructions", ALTPICK_FIELD_COUNT, MEASUREMENT(instructions), .optional = true},
};

#define OBSERVED(member) MEMBER(altpick_observed, member)
static const struct altpick_field observed[] = {
    {"before", ALTPICK_FIELD_HEX,   OBSERVED(before)},
    {"after",  ALTPICK_FIELD_HEX,   OBSERVED(after)},
    {"result", ALTPICK_FIELD_COUNT, OBSERVED(result)},
    {"report", ALTPICK_FIELD_NAME,  OBSERVED(report), .name = altpick_report_name},
};

#define COST(member) MEMBER(altpick_cost, member)
static const struct altpick_field status[] = {
    {"status", ALTPICK_FIELD_NAME, COST(status), .name = altpick_status_name},
};

static const struct altpick_field figures[] = {
    {"cycles", ALTPICK_FIELD_MICRO, COST(cycles_micro), .limit = ALTPICK_FIELD_CYCLES},
    {"low",    ALTPICK_FIELD_MICRO, COST(low_micro), .limit = ALTPICK_FIELD_CYCLES},
    {"high",   ALTPICK_FIELD_MICRO, COST(high_micro), .limit = ALTPICK_FIELD_CYCLES},
    {"count",  ALTPICK_FIELD_COUNT, COST(count)},
};

#define FIELDS(table) {table, sizeof table / sizeof *table}
const struct altpick_fields altpick_fields_cpu = FIELDS(cpu);
const struct altpick_fields altpick_fields_measured = FIELDS(measured);
const struct altpick_fields altpick_fields_condition = FIELDS(condition);
const struct altpick_fields altpick_fields_reason = FIELDS(reason);
const struct altpick_fields altpick_fields_counted = FIELDS(counted);
const struct altpick_fields altpick_fields_observed = FIELDS(observed);
const struct altpick_fields altpick_fields_status = FIELDS(status);
const struct altpick_fields altpick_fields_figures = FIELDS(figures);

/* clang-format on */

bool altpick_status_has_figures(enum altpick_status value)
{
    return value == ALTPICK_STATUS_MEASURED || value == ALTPICK_STATUS_PUBLISHED ||
           value == ALTPICK_STATUS_ESTIMATED;
}

/* Enums are four bytes wide: the smallest type that gcc and clang give them. */
static uint64_t number(const struct altpick_field *field, const void *at)
{
    return field->bytes == sizeof(uint64_t) ? *(const uint64_t *) at : *(const uint32_t *) at;
}

static void write_bits(struct altpick_json *json, const struct altpick_field *field,
                       const uint32_t *words)
{
    altpick_json_array(json, field->key);
    for (unsigned i = 0; i < 8 * field->bytes && field->name(i); i++) {
        if (words[i / 32] >> i % 32 & 1)
            altpick_json_text(json, NULL, field->name(i));
    }
    altpick_json_end(json);
}

static void write_texts(struct altpick_json *json, const struct altpick_field *field,
                        const char *texts, size_t n)
{
    altpick_json_array(json, field->key);
    for (size_t i = 0; i < n && i < field->bytes / field->each; i++)
        altpick_json_text(json, NULL, texts + i * field->each);
    altpick_json_end(json);
}

static void write_one(struct altpick_json *json, const struct altpick_field *field,
                      const char *object)
{
    const void *at = object + field->offset;
    const char *name;

    switch ((enum altpick_field_kind) field->kind) {
    case ALTPICK_FIELD_TEXT:
        if (!field->optional || *(const char *) at)
            altpick_json_text(json, field->key, at);
        return;
    case ALTPICK_FIELD_COUNT:
        if (!field->optional || number(field, at))
            altpick_json_u64(json, field->key, number(field, at));
        return;
    case ALTPICK_FIELD_HEX:
        altpick_json_hex(json, field->key, number(field, at));
        return;
    case ALTPICK_FIELD_MICRO:
        altpick_json_micro(json, field->key, number(field, at));
        return;
    case ALTPICK_FIELD_NAME:
        name = field->name((unsigned) number(field, at));
        altpick_json_text(json, field->key, name ? name : "");
        return;
    case ALTPICK_FIELD_BITS:
        write_bits(json, field, at);
        return;
    case ALTPICK_FIELD_TEXTS:
        write_texts(json, field, at,
                    *(const size_t *) (const void *) (object + field->count_offset));
        return;
    }
}

void altpick_fields_write(struct altpick_json *json, const struct altpick_fields *fields,
                          const void *object)
{
    for (size_t i = 0; i < fields->n; i++)
        write_one(json, &fields->field[i], object);
}
